import { BlockInvalid } from '../consensus/errors.js';
import { DecodeError } from '../primitives/codec.js';
import { isDiskFull, StoreDamaged } from '../storage/errors.js';

/**
 * Why no more blocks are taken.
 * - `disk-full`: there is no room; it ends when there is
 * - `write`: the store refuses for another reason; tried again with each block
 * - `damaged`: what is stored cannot be read; only a rebuild helps
 */
export interface Trouble {
  readonly kind: 'disk-full' | 'write' | 'damaged';
  readonly message: string;
}

/** The trouble that an error means; undefined for a verdict on what was handed in. */
export function troubleOf(error: unknown): Trouble | undefined {
  if (error instanceof BlockInvalid || error instanceof DecodeError) return undefined;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof StoreDamaged) return { kind: 'damaged', message };
  return { kind: isDiskFull(error) ? 'disk-full' : 'write', message };
}
