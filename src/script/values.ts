import { decodeScriptNumber } from './script.js';
import { ScriptError } from './script-error.js';

/** False for zero and negative zero, otherwise true. */
export function isTrue(value: Uint8Array): boolean {
  const last = value.length - 1;
  return value.some((byte, i) => byte !== 0 && !(i === last && byte === 0x80));
}

/**
 * Decodes a stack element as a number.
 * @throws {ScriptError} if it is too long or, with `minimal`, padded
 */
export function decodeNumber(value: Uint8Array, minimal: boolean, maxSize: number): number {
  if (value.length > maxSize) throw new ScriptError('UNKNOWN_ERROR');
  const top = value[value.length - 1];
  if (minimal && top !== undefined && (top & 0x7f) === 0) {
    // The last byte may be 0x00 or 0x80 only if the byte before it uses its top bit.
    const before = value[value.length - 2];
    if (before === undefined || (before & 0x80) === 0) throw new ScriptError('UNKNOWN_ERROR');
  }
  return decodeScriptNumber(value);
}
