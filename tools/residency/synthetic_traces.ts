/**
 * Routing traces of no model, each of one kind of locality, made from a seed: what a policy does when routing has only
 * static skew, only recency, both, or none.
 */
import type { RoutingTrace, TraceShape, TraceStep } from '../../src/experts/trace.ts';
import { uniformRandom } from '../synthetic/random.ts';

/** Qwen3-30B-A3B's experts. */
export const SYNTHETIC_SHAPE: TraceShape = { expertLayerCount: 48, expertCount: 128, topK: 8 };

/** A prompt of so many tokens comes before every so many decoded ones. */
const PROMPT_TOKENS = 32;
const STEPS_PER_PROMPT = 250;

/** Draws a token's experts of one layer. */
type Router = (layer: number) => readonly number[];

export interface SyntheticKind {
  readonly name: string;
  router(shape: TraceShape, random: () => number): { readonly draw: Router; /** Before each decoded token. */ next?(): void };
}

/**
 * Topics, each with a liking of its own; a chat moves from one to another now and then. Half of the weight is the same
 * in all topics, and some of a token's experts are those of the token before.
 */
const TOPICS = 6;
const TOPIC_CHANGE = 1 / 150;

export const SYNTHETIC_KINDS: readonly SyntheticKind[] = [
  zipf(0.6), zipf(1), zipf(1.4), recency(0.5), recency(0.8),
  {
    name: 'topics',
    router: (shape, random) => {
      const common = zipfWeights(shape, 0.8, random);
      const topics = Array.from({ length: TOPICS }, () => zipfWeights(shape, 1.2, random).map((own, layer) =>
        own.map((weight, expert) => weight / 2 + common[layer][expert] / 2)));
      let topic = topics[0];
      const reuse = reusing(shape, random, 0.3, (layer) => topic[layer]);
      return { draw: reuse, next: () => { if (random() < TOPIC_CHANGE) topic = topics[Math.floor(random() * TOPICS)]; } };
    },
  },
  { name: 'uniform', router: (shape, random) => ({ draw: weighted(shape, random, zipfWeights(shape, 0, random)) }) },
];

export function syntheticTrace(kind: SyntheticKind, decodeSteps: number, seed: number, shape: TraceShape = SYNTHETIC_SHAPE): RoutingTrace {
  const { draw, next } = kind.router(shape, uniformRandom(seed));
  const layers = Array.from({ length: shape.expertLayerCount }, (_, layer) => layer);
  const rising = (experts: Iterable<number>): number[] => [...new Set(experts)].sort((a, b) => a - b);
  const steps: TraceStep[] = [];
  for (let step = 0; step < decodeSteps; step++) {
    if (step % STEPS_PER_PROMPT === 0) {
      const prompt = layers.map((layer) => rising(Array.from({ length: PROMPT_TOKENS }, () => draw(layer)).flat()));
      steps.push({ kind: 'prefill', layers: prompt });
    }
    next?.();
    steps.push({ kind: 'decode', layers: layers.map((layer) => rising(draw(layer))) });
  }
  return { shape, steps };
}

/** Static skew: the expert of rank r (another one in each layer) has the weight r^-exponent, whatever came before. */
function zipf(exponent: number): SyntheticKind {
  return {
    name: `zipf ${exponent}`,
    router: (shape, random) => ({ draw: weighted(shape, random, zipfWeights(shape, exponent, random)) }),
  };
}

/** Recency without skew: each expert of the token before is taken again with this probability, the rest evenly. */
function recency(reuse: number): SyntheticKind {
  return {
    name: `recency ${reuse}`,
    router: (shape, random) => {
      const even = zipfWeights(shape, 0, random);
      return { draw: reusing(shape, random, reuse, (layer) => even[layer]) };
    },
  };
}

function reusing(
  shape: TraceShape, random: () => number, reuse: number, weightsOf: (layer: number) => Float64Array,
): Router {
  const last: (readonly number[])[] = Array.from({ length: shape.expertLayerCount }, () => []);
  return (layer) => {
    const kept = last[layer].filter(() => random() < reuse);
    last[layer] = drawWithout(weightsOf(layer), shape.topK, random, kept);
    return last[layer];
  };
}

function weighted(shape: TraceShape, random: () => number, weights: readonly Float64Array[]): Router {
  return (layer) => drawWithout(weights[layer], shape.topK, random, []);
}

function zipfWeights({ expertLayerCount, expertCount }: TraceShape, exponent: number, random: () => number): Float64Array[] {
  return Array.from({ length: expertLayerCount }, () => {
    const weights = new Float64Array(expertCount);
    const ranked = Array.from(weights.keys(), (expert) => [random(), expert]).sort((a, b) => a[0] - b[0]);
    ranked.forEach(([, expert], rank) => { weights[expert] = (rank + 1) ** -exponent; });
    const sum = weights.reduce((a, b) => a + b);
    return weights.map((weight) => weight / sum);
  });
}

/** Fills `chosen` up to `count` distinct experts, each draw by weight among all (a repeated one is drawn again). */
function drawWithout(weights: Float64Array, count: number, random: () => number, chosen: readonly number[]): number[] {
  const drawn = new Set(chosen);
  while (drawn.size < count) {
    let left = random();
    let expert = 0;
    while (expert < weights.length - 1 && left >= weights[expert]) left -= weights[expert++];
    drawn.add(expert);
  }
  return [...drawn];
}
