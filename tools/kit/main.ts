/**
 * `npm run kit`: the reference models on this machine's back end, one row an architecture and container. The test
 * suite checks the same on a software adapter; this is for a machine with a graphics card and no test runner.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bytesSource } from '../../src/formats/byte_sources.ts';
import { openCheckpoint, type NamedSource } from '../../src/formats/open_checkpoint.ts';
import type { Backend, LoadedModel, SamplingParams } from '../../src/compute/ops.ts';
import { NODE_BACKENDS, openNodeBackend, type NodeBackendName } from '../../src/hosts/node_backend.ts';
import { buildGraph, planModel } from '../../src/models/registry.ts';
import { createDirectSource } from '../../src/storage/direct_source.ts';

const ROOT = fileURLToPath(new URL('../../test/vectors/models/', import.meta.url));
const ARCHITECTURES = ['qwen3_moe', 'qwen2_moe', 'olmoe', 'mixtral', 'granitemoe', 'granitemoeshared'];
const GREEDY: SamplingParams = { temperature: 0, topK: 0, topP: 1, minP: 0, repetitionPenalty: 1, penaltyLastN: 0, seed: 0 };

interface ReferenceRun {
  readonly tokens: readonly number[];
  readonly logit_positions: readonly number[];
  readonly logits: readonly (readonly number[])[];
  readonly greedy_prompt_len: number;
  readonly greedy: readonly number[];
}

function named(path: string): NamedSource {
  return { path, source: bytesSource(path, new Uint8Array(readFileSync(ROOT + path))) };
}

async function loadKitModel(backend: Backend, files: readonly string[]): Promise<LoadedModel> {
  const source = createDirectSource(planModel(await openCheckpoint(files.map(named))));
  const { architecture, hyperparameters, dense } = source.manifest;
  return backend.load(source, buildGraph(architecture, hyperparameters, dense.map(({ name }) => name)), { contextLength: 128 });
}

/** Largest relative L2 error over the stored positions, in steps of `chunk` tokens. */
async function worstError(model: LoadedModel, run: ReferenceRun, chunk: number): Promise<number> {
  const sequence = model.createSequence();
  const size = Math.min(chunk, model.maxStepTokens);
  let worst = 0;
  for (let begin = 0; begin < run.tokens.length; begin += size) {
    const part = run.tokens.slice(begin, begin + size);
    const rows = run.logit_positions.map((p) => p - begin).filter((row) => row >= 0 && row < part.length);
    const { logits } = await model.step(sequence, part, rows.length > 0 ? { kind: 'logits', rows } : { kind: 'none' });
    rows.forEach((row, i) => {
      const expected = run.logits[run.logit_positions.indexOf(begin + row)];
      const error = expected.reduce((sum, value, v) => sum + (logits![i][v] - value) ** 2, 0);
      const norm = expected.reduce((sum, value) => sum + value ** 2, 0);
      // A NaN error must not be lost in a maximum.
      const relative = Math.sqrt(error / norm);
      worst = Number.isNaN(relative) ? Infinity : Math.max(worst, relative);
    });
  }
  sequence.dispose();
  return worst;
}

async function greedyMatches(model: LoadedModel, run: ReferenceRun): Promise<boolean> {
  const sequence = model.createSequence();
  const prompt = run.tokens.slice(0, run.greedy_prompt_len);
  for (let begin = 0; begin < prompt.length - 1; begin += model.maxStepTokens) {
    await model.step(sequence, prompt.slice(begin, Math.min(begin + model.maxStepTokens, prompt.length - 1)), { kind: 'none' });
  }
  let next: readonly number[] = prompt.slice(-1);
  for (const expected of run.greedy) {
    const { token } = await model.step(sequence, next, { kind: 'sample', sampling: GREEDY, recentTokens: [] });
    if (token !== expected) return false;
    next = [expected];
  }
  sequence.dispose();
  return true;
}

const { values } = parseArgs({ options: { backend: { type: 'string', default: 'webgpu' } } });
if (!NODE_BACKENDS.includes(values.backend as NodeBackendName)) {
  console.error(`kit: --backend takes one of ${NODE_BACKENDS.join(', ')}`);
  process.exit(2);
}
const backend = await openNodeBackend(values.backend as NodeBackendName);
console.log(`${backend.info.label}\nlargest relative L2 error of logits against Hugging Face transformers in float32\n`);
console.log('| model | container | prompt | token by token | greedy |\n|---|---|---|---|---|');
for (const architecture of ARCHITECTURES) {
  const run = JSON.parse(readFileSync(`${ROOT}${architecture}/reference.json`, 'utf8')) as ReferenceRun;
  const containers = {
    safetensors: [`${architecture}/config.json`, `${architecture}/model.safetensors`],
    gguf: [`${architecture}/${architecture}.gguf`],
  };
  for (const [container, files] of Object.entries(containers)) {
    const model = await loadKitModel(backend, files);
    const errors = [await worstError(model, run, Infinity), await worstError(model, run, 1)].map((e) => e.toExponential(1));
    const greedy = await greedyMatches(model, run) ? 'equal' : 'DIFFERS';
    console.log(`| ${architecture} | ${container} | ${errors.join(' | ')} | ${greedy} |`);
    if (greedy !== 'equal' || errors.some((e) => !(Number(e) <= 2e-3))) process.exitCode = 1;
    model.dispose();
  }
}
backend.dispose();
