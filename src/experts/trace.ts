/**
 * Routing traces: which experts each step of a run was routed to. Policies are compared on them (simulate.ts) without a
 * model. A text, so that a person can look into it and any program can write it; gzip makes it small:
 *
 *     hotset-trace 1 layers=2 experts=16 topK=2
 *     p 0,3,4,9 1,2,12
 *     d 3,9 2,12
 *
 * One line a step: p for a prompt's batch, d for a decoded token, then the distinct experts of each expert layer in
 * rising order, '-' where none was noted.
 */
import type { ExpertKey, PoolShape, ResidencyPolicy } from '../compute/residency.ts';

export type StepKind = 'decode' | 'prefill';

export type TraceShape = Pick<PoolShape, 'expertLayerCount' | 'expertCount' | 'topK'>;

export interface TraceStep {
  readonly kind: StepKind;
  /** Experts by layer (its place in Manifest.expertLayers), distinct and rising. */
  readonly layers: readonly (readonly number[])[];
}

export interface RoutingTrace {
  readonly shape: TraceShape;
  readonly steps: readonly TraceStep[];
}

/** A file that is no trace, or a broken one; says where. */
export class TraceFormatError extends Error {
  override readonly name = 'TraceFormatError';
}

/** Bounds on files of unknown origin: what a trace may take in memory. */
const MAX_LAYERS = 1024;
const MAX_EXPERTS = 4096;
const MAX_STEPS = 1_000_000;
const MAX_ROUTED = 100_000_000;

/** Collects what a back end or a pool tells of a run. */
export class TraceRecorder {
  readonly shape: TraceShape;
  readonly #steps: TraceStep[] = [];
  #layers: Set<number>[];

  constructor(shape: TraceShape) {
    this.shape = shape;
    this.#layers = this.#emptyLayers();
  }

  get trace(): RoutingTrace {
    return { shape: this.shape, steps: this.#steps };
  }

  routed(keys: readonly ExpertKey[]): void {
    const { expertCount } = this.shape;
    for (const key of keys) this.#layers[Math.floor(key / expertCount)].add(key % expertCount);
  }

  stepped(kind: StepKind): void {
    this.#steps.push({ kind, layers: this.#layers.map((experts) => [...experts].sort((a, b) => a - b)) });
    this.#layers = this.#emptyLayers();
  }

  #emptyLayers(): Set<number>[] {
    return Array.from({ length: this.shape.expertLayerCount }, () => new Set<number>());
  }
}

/**
 * A policy that tells the recorder what it is told. A pool doesn't look at the routing of a prompt in a layer whose
 * experts it holds all, so the trace has none there.
 */
export function recordingPolicy(policy: ResidencyPolicy, recorder: TraceRecorder): ResidencyPolicy {
  return {
    initial: (group) => policy.initial(group),
    routed: (keys, kind, missing) => {
      recorder.routed(keys);
      policy.routed(keys, kind, missing);
    },
    stepped: (kind) => {
      recorder.stepped(kind);
      policy.stepped(kind);
    },
    victims: (candidates, count) => policy.victims(candidates, count),
  };
}

export function traceText({ shape, steps }: RoutingTrace): string {
  const head = `hotset-trace 1 layers=${shape.expertLayerCount} experts=${shape.expertCount} topK=${shape.topK}\n`;
  const lines = steps.map(({ kind, layers }) =>
    `${kind === 'decode' ? 'd' : 'p'} ${layers.map((experts) => experts.join(',') || '-').join(' ')}\n`);
  return head + lines.join('');
}

/** @throws TraceFormatError naming the line */
export function parseTrace(text: string): RoutingTrace {
  const headEnd = text.indexOf('\n');
  const head = /^hotset-trace (\d+) layers=(\d{1,6}) experts=(\d{1,6}) topK=(\d{1,6})$/.exec(text.slice(0, Math.min(100, Math.max(0, headEnd))));
  if (!head) throw new TraceFormatError('this is no routing trace: its first line is not \'hotset-trace 1 layers=… experts=… topK=…\'');
  if (head[1] !== '1') throw new TraceFormatError(`the routing trace has version ${head[1].slice(0, 20)}, and only version 1 can be read`);
  const [expertLayerCount, expertCount, topK] = head.slice(2).map(Number);
  if (!(within(expertLayerCount, MAX_LAYERS) && within(expertCount, MAX_EXPERTS) && within(topK, expertCount))) {
    throw new TraceFormatError(
      `a routing trace has 1 to ${MAX_LAYERS} layers, 1 to ${MAX_EXPERTS} experts and topK of them, not ${head.slice(2).join(', ')}`);
  }
  const shape: TraceShape = { expertLayerCount, expertCount, topK };
  const steps: TraceStep[] = [];
  let routed = 0;
  for (let at = headEnd + 1; at < text.length;) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline;
    const step = parseStep(text.slice(at, end), shape, steps.length + 2);
    routed += step.layers.reduce((sum, experts) => sum + experts.length, 0);
    if (steps.push(step) > MAX_STEPS || routed > MAX_ROUTED) {
      throw new TraceFormatError(`the routing trace is longer than ${MAX_STEPS} steps or ${MAX_ROUTED} routed experts`);
    }
    at = end + 1;
  }
  return { shape, steps };
}

function parseStep(line: string, { expertLayerCount, expertCount, topK }: TraceShape, lineNumber: number): TraceStep {
  const wrong = (what: string): TraceFormatError => new TraceFormatError(`line ${lineNumber} of the routing trace ${what}`);
  // No line of this shape is longer, and splitting a longer one would take memory for nothing.
  if (line.length > 2 + expertLayerCount * expertCount * 5) throw wrong('is too long');
  const [kind, ...words] = line.split(' ');
  if (kind !== 'd' && kind !== 'p') throw wrong('begins with neither d nor p');
  if (words.length !== expertLayerCount) throw wrong(`has ${words.length} layers instead of ${expertLayerCount}`);
  const layers = words.map((word) => {
    const experts = word === '-' ? [] : word.split(',').map((id) => (/^\d{1,4}$/.test(id) ? Number(id) : Number.NaN));
    const isRising = experts.every((expert, i) => expert < expertCount && (i === 0 || expert > experts[i - 1]));
    if (!isRising) throw wrong(`has experts that are not rising numbers below ${expertCount}`);
    if (kind === 'd' && experts.length > topK) throw wrong(`has ${experts.length} experts in a layer, more than ${topK}`);
    return experts;
  });
  return { kind: kind === 'd' ? 'decode' : 'prefill', layers };
}

function within(value: number, most: number): boolean {
  return value >= 1 && value <= most;
}
