import { decodeScriptNumber } from './script.js';
import { ScriptError } from './script-error.js';

/** Anything but zero, and zero with a sign is zero. */
export function isTrue(value: Uint8Array): boolean {
  const last = value.length - 1;
  return value.some((byte, i) => byte !== 0 && !(i === last && byte === 0x80));
}

/**
 * Number that a stack element stands for.
 * @throws {ScriptError} if it is too long or, where `minimal` is asked for, padded
 */
export function decodeNumber(value: Uint8Array, minimal: boolean, maxSize: number): number {
  if (value.length > maxSize) throw new ScriptError('UNKNOWN_ERROR');
  const top = value[value.length - 1];
  if (minimal && top !== undefined && (top & 0x7f) === 0) {
    // The last byte may be a bare sign only where the byte before needs its top bit.
    const before = value[value.length - 2];
    if (before === undefined || (before & 0x80) === 0) throw new ScriptError('UNKNOWN_ERROR');
  }
  return decodeScriptNumber(value);
}
