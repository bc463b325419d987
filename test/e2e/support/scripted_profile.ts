/** Steps of a model that the scripted host pretends to run, as a real back end would tell them to the recorder. */
import { Tracer, type ExpertView } from '../../../src/profile/trace.ts';

const LAYERS = 48;
const EXPERTS = 128;
const TOP_K = 8;
const ROW_BYTES = 1_327_104;
/** Of four experts one is on the device. */
const SLOT_SHARE = 0.25;

export interface ScriptedProfile {
  readonly tracer: Tracer;
  open(): void;
  step(kind: 'decode' | 'prefill', position: number, tokens: number): void;
}

/** @param paged whether experts are fetched; all are resident where false */
export function createScriptedProfile(paged: boolean): ScriptedProfile {
  let clock = 1000;
  let state = 7;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const tracer = new Tracer({ now: () => clock });
  const view: ExpertView = {
    layers: Array.from({ length: LAYERS }, (_, layer) => layer), expertCount: EXPERTS, topK: TOP_K,
    pool: paged ? { slotCount: LAYERS * EXPERTS * SLOT_SHARE, byteLength: LAYERS * EXPERTS * SLOT_SHARE * ROW_BYTES } : null,
    resident: () => paged ? Uint8Array.from({ length: LAYERS * EXPERTS }, (_, at) => ((at * 37) % EXPERTS < EXPERTS * SLOT_SHARE ? 1 : 0)) : null,
  };
  const fetchRow = (layer: number): void => {
    const expert = Math.floor(random() * EXPERTS);
    const start = clock;
    const memory = random() < 0.7;
    clock += memory ? 0.1 : 0.9;
    tracer.current.misses += 1;
    tracer.current.missedLayers += 1;
    tracer.current.readMs += clock - start;
    tracer.read(memory ? 'memory' : 'storage', start, layer, expert, ROW_BYTES);
    tracer.span('upload', clock, clock + 0.15, layer, expert, ROW_BYTES);
    clock += 0.15;
    tracer.current.uploadMs += 0.15;
    tracer.current.bytesUploaded += ROW_BYTES;
    tracer.current.evictions += 1;
    tracer.mark('eviction', layer, Math.floor(random() * EXPERTS));
  };
  return {
    tracer,
    open: () => tracer.attach(view),
    step(kind, position, tokens) {
      if (!tracer.on) return;
      tracer.beginStep(kind, position, tokens);
      const missed = paged && (kind === 'prefill' || random() < 0.3) ? 1 + Math.floor(random() * 3) : 0;
      for (let i = 0; i < missed; i++) fetchRow(Math.floor(random() * LAYERS));
      const wait = 7 + 2 * random();
      tracer.span('submit', clock, clock + wait, 0);
      clock += wait;
      tracer.current.waitMs += wait;
      tracer.addGpuTime(wait - 0.8);
      tracer.current.hits += LAYERS * TOP_K - tracer.current.misses;
      for (let layer = 0; layer < LAYERS; layer++) {
        for (let k = 0; k < TOP_K; k++) tracer.routed(layer, (Math.floor(EXPERTS * random() ** 3) * 53 + layer * 17) % EXPERTS);
      }
      clock += 0.4;
      tracer.endStep();
    },
  };
}
