/** What can be recorded of a running model: one row a kind of event. */

/** Colours that Chromium's Performance panel knows. */
export type TrackColor = 'primary' | 'primary-light' | 'primary-dark' | 'secondary' | 'secondary-light' | 'secondary-dark'
  | 'tertiary' | 'tertiary-light' | 'tertiary-dark' | 'error';

export interface EventKind {
  readonly name: string;
  readonly track: string;
  readonly shape: 'span' | 'instant' | 'counter';
  /** What the event's numbers are, at most three. */
  readonly args: readonly string[];
  readonly color: TrackColor;
  /** Spans that run beside each other on one track. */
  readonly overlaps?: boolean;
  /** Many a step: a sink may take a cheaper way. */
  readonly hot?: boolean;
  /** Come in runs whose single events say little: a sink may draw a run as one. */
  readonly inRuns?: boolean;
}

/** Layers are numbered as the model does; a load's tier is where the expert's row was read from. */
export const EVENTS = {
  decode: { name: 'decode step', track: 'Steps', shape: 'span', args: ['position', 'missed layers', 'missed experts'], color: 'primary' },
  prefill: { name: 'prefill step', track: 'Steps', shape: 'span', args: ['position', 'tokens', 'loaded experts'], color: 'primary-dark' },
  missedLayer: { name: 'layer with misses', track: 'Layers with misses', shape: 'span', args: ['layer', 'missing', 'attempt'], color: 'error', hot: true },
  wave: { name: 'prompt wave', track: 'Layers with misses', shape: 'span', args: ['layer', 'experts', 'loaded'], color: 'secondary-dark' },
  loadMemory: { name: 'load from RAM', track: 'Expert loads', shape: 'span', args: ['layer', 'expert', 'bytes'], color: 'tertiary-light', overlaps: true, hot: true, inRuns: true },
  loadStorage: { name: 'load from storage', track: 'Expert loads', shape: 'span', args: ['layer', 'expert', 'bytes'], color: 'tertiary', overlaps: true, hot: true, inRuns: true },
  upload: { name: 'upload', track: 'Uploads', shape: 'span', args: ['layer', 'expert', 'bytes'], color: 'secondary', hot: true, inRuns: true },
  eviction: { name: 'eviction', track: 'Evictions', shape: 'instant', args: ['layer', 'expert'], color: 'secondary-light', hot: true, inRuns: true },
  /** An expert got a slot in a better tier than the one that runs by default. */
  promotion: { name: 'promotion', track: 'Promotions', shape: 'instant', args: ['layer', 'expert'], color: 'primary-light', hot: true, inRuns: true },
  /** From the submit to the readback's arrival: the GPU's work and the way there and back. */
  submit: { name: 'submit to readback', track: 'GPU', shape: 'span', args: ['attempt'], color: 'tertiary-dark', hot: true },
  /** By timestamp queries; a GPU's clock has another origin, so it is placed at the end of its submit. */
  gpuPass: { name: 'GPU pass', track: 'GPU', shape: 'span', args: ['microseconds'], color: 'tertiary', hot: true },
  kernel: { name: 'kernel', track: 'Kernels', shape: 'span', args: ['microseconds'], color: 'primary-light', hot: true },
  occupancy: { name: 'expert slots', track: 'Expert slots', shape: 'counter', args: ['used'], color: 'secondary' },
} as const satisfies Record<string, EventKind>;

export type EventName = keyof typeof EVENTS;
export const EVENT_NAMES = Object.keys(EVENTS) as EventName[];

/** In the order that tools show them. */
export const TRACKS: readonly string[] = [...new Set(EVENT_NAMES.map((name) => EVENTS[name].track))];

export function eventKind(name: EventName): EventKind {
  return EVENTS[name];
}

/** One event, as readers of a recording get it. */
export interface TraceEvent {
  readonly event: EventName;
  /** performance.now() milliseconds; equal for instants and counters. */
  readonly start: number;
  readonly end: number;
  readonly args: readonly number[];
  /** What the event is about where its name doesn't say it: a kernel's name. */
  readonly label: string | null;
}
