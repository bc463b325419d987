/**
 * A real model answering chats with a part of its experts resident: its own routing's locality, and beside what was
 * reached, what no policy could better (physical_bound.ts).
 */
import type { Backend } from '../../../src/compute/ops.ts';
import { countersSince, type ExpertPoolOptions, type PoolShape, type ResidencyCounters } from '../../../src/compute/residency.ts';
import { createEngine, type Engine } from '../../../src/engine/engine.ts';
import type { ChatMessage } from '../../../src/engine/types.ts';
import { NextUsePolicy } from '../../../src/experts/next_use.ts';
import { recordingPolicy, TraceRecorder } from '../../../src/experts/trace.ts';
import { openNodeModel } from '../../../src/hosts/node_model.ts';
import { expertRowByteLength } from '../../../src/storage/manifest.ts';
import type { ModelSource } from '../../../src/storage/model_source.ts';
import { GREEDY } from '../measure.ts';
import { fewestRows, stepBounds } from './physical_bound.ts';
import { withRowsInMemory } from './rows_in_memory.ts';
import type { Print } from './sweep.ts';

/** Enough for a few answers, and a small KV cache. */
const CONTEXT_TOKENS = 4096;

export interface RealModelOptions {
  readonly modelPath: string;
  /** Each a list of what a person says. The first warms up and isn't counted. */
  readonly chats: readonly (readonly string[])[];
  /** Tokens of an answer at most. */
  readonly maxTokens: number;
  /** Shares of all experts, in percent; 100 is measured in any case, first. */
  readonly pools: readonly number[];
  /** Bytes a second that rows of this length are uploaded at. */
  readonly uploadRate: (rowByteLength: number) => Promise<number>;
}

/** '/new' on a line begins another chat, as in `hotset chat`. */
export function chatsOf(text: string): string[][] {
  return text.split(/^\/new$/m).map((chat) => chat.split('\n').map((line) => line.trim()).filter((line) => line !== ''))
    .filter((chat) => chat.length > 0);
}

interface Run {
  readonly msPerToken: number;
  readonly answers: readonly string[];
  /** Of the counted chats; null where all experts are resident. */
  readonly used: ResidencyCounters | null;
  /** Decode steps of the warm-up. */
  readonly warmSteps: number;
}

/** Prints a table in Markdown. @throws Error where a pool's text differs from the resident model's */
export async function printRealModel(backend: Backend, options: RealModelOptions, print: Print): Promise<void> {
  const { source, plan } = await openNodeModel(options.modelPath);
  const { manifest } = source;
  const held = await withAllRowsInMemory(source);
  const rowByteLength = Math.max(...manifest.expertLayers.map(expertRowByteLength));
  const uploadRate = await options.uploadRate(rowByteLength);
  const resident = await answerAll(backend, held, options);
  const answers = options.chats.slice(1).reduce((sum, chat) => sum + chat.length, 0);
  await print(`${plan.name}: ${manifest.expertLayers.length} layers × ${manifest.expertCount} experts, rows of ${rowByteLength} bytes out of memory, `
    + `uploaded at ${(uploadRate / 1e9).toFixed(2)} GB/s; greedy, ${answers} answers of ${options.maxTokens} tokens at most\n`);
  await print('| pool | tok/s | of resident | hits | zero-miss steps | missed layers/token | rows/token | Belády rows/token | bound, rows on demand | bound, rows during steps |');
  await print('|---|---|---|---|---|---|---|---|---|---|');
  const speed = (msPerToken: number): string => `${(1000 / msPerToken).toFixed(1)} (${(100 * resident.msPerToken / msPerToken).toFixed(0)} %)`;
  await print(`| 100 % | ${(1000 / resident.msPerToken).toFixed(1)} | 100 % | 100 % | 100 % | 0 | 0 | 0 | ${speed(resident.msPerToken)} | ${speed(resident.msPerToken)} |`);
  for (const percent of options.pools.filter((share) => share < 100)) {
    const recorder = new TraceRecorder({
      expertLayerCount: manifest.expertLayers.length, expertCount: manifest.expertCount, topK: manifest.hyperparameters.expertUsedCount,
    });
    let pool: PoolShape | null = null;
    const { msPerToken, used, answers: found, warmSteps } = await answerAll(backend, held, options, {
      size: { share: percent / 100 },
      createPolicy: (shape) => {
        pool = shape;
        return recordingPolicy(new NextUsePolicy(shape), recorder);
      },
    });
    if (pool === null || used === null) throw new Error('the back end keeps all experts, whatever the pool');
    if (found.some((text, i) => text !== resident.answers[i])) throw new Error(`with ${percent} % of experts an answer differs`);
    const fewest = fewestRows(recorder.trace, pool, warmSteps);
    const bounds = stepBounds(resident.msPerToken, fewest * rowByteLength, uploadRate);
    await print(`| ${percent} % | ${(1000 / msPerToken).toFixed(1)} | ${(100 * resident.msPerToken / msPerToken).toFixed(0)} % | `
      + `${(100 * used.hits / Math.max(1, used.hits + used.misses)).toFixed(1)} % | ${(100 * used.zeroMissSteps / used.steps).toFixed(1)} % | `
      + `${(used.missedLayers / used.steps).toFixed(2)} | ${((used.rowsLoaded - used.prefillLoads) / used.steps).toFixed(2)} | ${fewest.toFixed(2)} | `
      + `${speed(bounds.onDemand)} | ${speed(bounds.duringSteps)} |`);
  }
  await source.close();
}

async function answerAll(backend: Backend, source: ModelSource, options: RealModelOptions, experts?: ExpertPoolOptions): Promise<Run> {
  const engine = await createEngine({ backend, source, contextLength: CONTEXT_TOKENS, ...(experts ? { experts } : {}) });
  try {
    const opened = engine.residency && { ...engine.residency };
    const [first, ...others] = options.chats;
    await converse(engine, first, options.maxTokens);
    const before = engine.residency && { ...engine.residency };
    const counted = [];
    for (const chat of others) counted.push(...await converse(engine, chat, options.maxTokens));
    const steps = counted.reduce((sum, { tokens }) => sum + tokens.length - 1, 0);
    const milliseconds = counted.reduce((sum, { decodeMs }) => sum + decodeMs, 0);
    return {
      msPerToken: milliseconds / steps,
      answers: counted.map(({ text }) => text),
      used: before && engine.residency ? countersSince(before, engine.residency) : null,
      warmSteps: opened && before ? before.steps - opened.steps : 0,
    };
  } finally {
    await engine.dispose();
  }
}

async function converse(engine: Engine, chat: readonly string[], maxTokens: number): Promise<Awaited<ReturnType<Engine['generate']>>[]> {
  const messages: ChatMessage[] = [];
  const results = [];
  for (const content of chat) {
    messages.push({ role: 'user', content });
    const result = await engine.generate({ input: { kind: 'chat', messages }, sampling: GREEDY, maxTokens }, () => undefined);
    messages.push({ role: 'assistant', content: result.text });
    results.push(result);
  }
  return results;
}

/** All rows read before the clock starts. Stays open: the engine closes what it is given. */
async function withAllRowsInMemory(source: ModelSource): Promise<ModelSource> {
  const { expertLayers, expertCount } = source.manifest;
  const held = withRowsInMemory(source);
  for (const { layer } of expertLayers) {
    for (let expert = 0; expert < expertCount; expert++) await held.readExpertRow(layer, expert);
  }
  return { ...held, close: () => Promise.resolve() };
}
