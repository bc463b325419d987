/**
 * Set-up of tests on Dawn. Dawn for Node asks for finished work by setImmediate, as often as Node turns: a whole core,
 * which the software adapter needs to compile and to compute. Here it asks once a millisecond.
 */
const POLL_MILLIS = 1;

const poll = (callback: (...args: unknown[]) => void, ...args: unknown[]) => setTimeout(callback, POLL_MILLIS, ...args);
globalThis.setImmediate = poll as unknown as typeof setImmediate;
