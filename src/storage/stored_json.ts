/** Checks on JSON that we stored ourselves but that a crash, a bug or another program may have changed. */
import { DamagedModelError } from './file_store.ts';

/** @param what what is wrong, as a clause: 'dense.pack has 3 bytes instead of 4' */
export function damaged(what: string): DamagedModelError {
  return new DamagedModelError(what);
}

export function recordOf(value: unknown, where: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw damaged(`${where} is no object`);
  return value as Record<string, unknown>;
}

export function arrayOf(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw damaged(`${where} is no list`);
  return value;
}

export function textOf(value: unknown, where: string): string {
  if (typeof value !== 'string') throw damaged(`${where} is no text`);
  return value;
}

/** A whole number from 0 on that is exact. */
export function countOf(value: unknown, where: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw damaged(`${where} is no count`);
  return value as number;
}

export function finiteOf(value: unknown, where: string): number {
  if (!Number.isFinite(value)) throw damaged(`${where} is no number`);
  return value as number;
}
