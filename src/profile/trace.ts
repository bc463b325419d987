/**
 * The recorder of a running model. Whoever does the work holds one (or none) and looks at `on` first: while that is
 * false nothing else is done. Recording writes numbers into arrays that are there already; the latest events and steps
 * are kept.
 */
import { EVENT_NAMES, EVENTS, type EventName, type TraceEvent } from './events.ts';
import { emptyStepRow, STEP_FIELDS, StepLog, type StepRow } from './steps.ts';

export const DEFAULT_EVENT_CAPACITY = 65_536;
export const DEFAULT_STEP_CAPACITY = 8192;

const ARG_COUNT = 3;
const EVENT_IDS = Object.fromEntries(EVENT_NAMES.map((name, id) => [name, id])) as Record<EventName, number>;

/** Where an expert's row is read from. */
export type RowTier = 'memory' | 'storage';

/** Experts of the open model, as its back end keeps them. */
export interface ExpertView {
  /** Numbers of the layers that have experts. */
  readonly layers: readonly number[];
  readonly expertCount: number;
  readonly topK: number;
  /** Device memory for experts, slots for copies of more bits (none by default) included; null where all are resident. */
  readonly pool: { readonly slotCount: number; readonly tierSlotCount?: number; readonly byteLength: number } | null;
  /**
   * By expert (place of its layer * expertCount + expert): 1 where it is on the device, 2 where its copy of more bits is,
   * 3 where both are; null where all are.
   */
  resident(): Uint8Array<ArrayBuffer> | null;
}

/** Gets every event as it is recorded. */
export interface TraceSink {
  event(name: EventName, start: number, end: number, args: ArrayLike<number>, label: string | null): void;
}

export interface RecordingOptions {
  /** Time every kernel where the device can: each runs in a pass of its own then, which slows a step. */
  readonly kernels: boolean;
  readonly sink?: TraceSink | null;
}

export interface TracerOptions {
  /** Milliseconds, performance.now() unless a test has another. */
  readonly now?: () => number;
  readonly eventCapacity?: number;
  readonly stepCapacity?: number;
}

interface EventRing {
  readonly ids: Uint8Array;
  /** start, end */
  readonly times: Float64Array;
  readonly args: Float64Array;
  readonly labels: (string | null)[];
}

export class Tracer {
  readonly now: () => number;
  /** The step that runs: what is measured is added to it. */
  readonly current: StepRow = emptyStepRow();
  readonly #eventCapacity: number;
  readonly #stepCapacity: number;
  #on = false;
  #kernels = false;
  #sink: TraceSink | null = null;
  /** Made when recording starts for the first time. */
  #ring: EventRing | null = null;
  #steps: StepLog | null = null;
  #eventCount = 0;
  #view: ExpertView | null = null;
  #heat: Uint32Array<ArrayBuffer> | null = null;
  readonly #args = new Float64Array(ARG_COUNT);

  constructor({ now, eventCapacity, stepCapacity }: TracerOptions = {}) {
    this.now = now ?? ((): number => performance.now());
    this.#eventCapacity = eventCapacity ?? DEFAULT_EVENT_CAPACITY;
    this.#stepCapacity = stepCapacity ?? DEFAULT_STEP_CAPACITY;
  }

  get on(): boolean { return this.#on; }
  get kernels(): boolean { return this.#kernels; }

  /** Begins, or goes on with other options; what was recorded stays. */
  start({ kernels, sink = null }: RecordingOptions): void {
    this.#ring ??= {
      ids: new Uint8Array(this.#eventCapacity), times: new Float64Array(2 * this.#eventCapacity),
      args: new Float64Array(ARG_COUNT * this.#eventCapacity), labels: Array<string | null>(this.#eventCapacity).fill(null),
    };
    this.#steps ??= new StepLog(this.#stepCapacity);
    this.#kernels = kernels;
    this.#sink = sink;
    this.#on = true;
  }

  stop(): void {
    this.#on = false;
    this.#kernels = false;
    this.#sink = null;
    this.current.startMs = 0;
  }

  /** Forgets what was recorded. */
  clear(): void {
    this.#eventCount = 0;
    this.current.startMs = 0;
    this.#steps?.clear();
    this.#heat?.fill(0);
  }

  /** Tells whose experts are routed to from now on. Of another model before, heat and events are forgotten. */
  attach(view: ExpertView): void {
    this.clear();
    this.#view = view;
    this.#heat = new Uint32Array(view.layers.length * view.expertCount);
  }

  detach(view: ExpertView): void {
    if (this.#view === view) this.#view = null;
  }

  get view(): ExpertView | null { return this.#view; }
  /** How often decode steps routed to each expert while recording; null before a model was attached. */
  get heat(): Readonly<Uint32Array<ArrayBuffer>> | null { return this.#heat; }
  /** Rows of the steps recorded; null before recording began. */
  get steps(): Pick<StepLog, 'count' | 'since'> | null { return this.#steps; }
  /** Events ever recorded; the latest of them are kept. */
  get eventCount(): number { return this.#eventCount; }

  // What follows is called while recording only: callers look at `on`.

  /** Number of the layer that stands at this place among those with experts. */
  layerAt(layerIndex: number): number {
    return this.#view?.layers[layerIndex] ?? layerIndex;
  }

  /** @param layerIndex place of the layer among those with experts */
  routed(layerIndex: number, expert: number): void {
    if (this.#heat && this.#view) this.#heat[layerIndex * this.#view.expertCount + expert] += 1;
  }

  /** A row of an expert has been read, since `start`. */
  read(tier: RowTier, start: number, layer: number, expert: number, byteLength: number): void {
    this.current[tier === 'memory' ? 'memoryReads' : 'storageReads'] += 1;
    this.current.bytesRead += byteLength;
    this.span(tier === 'memory' ? 'loadMemory' : 'loadStorage', start, this.now(), layer, expert, byteLength);
  }

  span(event: EventName, start: number, end: number, a = 0, b = 0, c = 0, label: string | null = null): void {
    const ring = this.#ring;
    if (!ring) return;
    const at = this.#eventCount % this.#eventCapacity;
    ring.ids[at] = EVENT_IDS[event];
    ring.times[2 * at] = start;
    ring.times[2 * at + 1] = end;
    ring.args[ARG_COUNT * at] = a;
    ring.args[ARG_COUNT * at + 1] = b;
    ring.args[ARG_COUNT * at + 2] = c;
    ring.labels[at] = label;
    this.#eventCount += 1;
    if (!this.#sink) return;
    this.#args[0] = a;
    this.#args[1] = b;
    this.#args[2] = c;
    this.#sink.event(event, start, end, this.#args, label);
  }

  /** An instant, or a counter's new value. */
  mark(event: EventName, a = 0, b = 0): void {
    const now = this.now();
    this.span(event, now, now, a, b);
  }

  beginStep(kind: 'decode' | 'prefill', position: number, tokens: number): void {
    const { current } = this;
    for (const field of STEP_FIELDS) current[field] = 0;
    current.isDecode = kind === 'decode' ? 1 : 0;
    current.position = position;
    current.tokens = tokens;
    current.gpuMs = Number.NaN;
    current.startMs = this.now();
  }

  /** Ends the step that began last; one that began before recording did is left out. */
  endStep(): void {
    const { current } = this;
    if (!this.#steps || current.startMs === 0) return;
    const end = this.now();
    current.durationMs = end - current.startMs;
    current.step = this.#steps.count;
    this.#steps.add(current);
    if (current.isDecode === 1) this.span('decode', current.startMs, end, current.position, current.missedLayers, current.misses);
    else this.span('prefill', current.startMs, end, current.position, current.tokens, current.memoryReads + current.storageReads);
    current.startMs = 0;
  }

  /** GPU time of the running step, which may have several passes. */
  addGpuTime(milliseconds: number): void {
    this.current.gpuMs = (Number.isNaN(this.current.gpuMs) ? 0 : this.current.gpuMs) + milliseconds;
  }

  /** The events that are kept, in the order in which they ended. */
  *events(): Generator<TraceEvent, void, undefined> {
    const ring = this.#ring;
    if (!ring) return;
    for (let number = Math.max(0, this.#eventCount - this.#eventCapacity); number < this.#eventCount; number++) {
      const at = number % this.#eventCapacity;
      const event = EVENT_NAMES[ring.ids[at]];
      const args = ring.args.subarray(ARG_COUNT * at, ARG_COUNT * at + EVENTS[event].args.length);
      yield { event, start: ring.times[2 * at], end: ring.times[2 * at + 1], args: [...args], label: ring.labels[at] };
    }
  }
}
