import { BlockInvalid } from '../consensus/errors.js';
import type { Hash256 } from '../primitives/hash.js';
import { equalBytes } from '../util/bytes.js';
import type { BlockIndexEntry } from './block-index.js';

/** Block that the operator does not let connect. */
export interface InterruptionPoint {
  /** Every block of this height; undefined or -1 for none. */
  readonly height?: number | undefined;
  readonly hash?: Hash256 | undefined;
}

/**
 * Block at which the operator interrupts block processing, with `-interrupt-block` and `setinterruptblock`. As in `defid`, such a block counts as
 * invalid until the height is moved or `reconsiderblock` is called, but the peers that send it and those above it are not blamed.
 */
export class Interruption {
  height: number;
  readonly #hash: Hash256 | undefined;
  /** Blocks that were not connected. */
  readonly #stopped = new Set<BlockIndexEntry>();

  constructor({ height = -1, hash }: InterruptionPoint = {}) {
    this.height = height;
    this.#hash = hash;
  }

  matches({ height, hash }: { readonly height: number; readonly hash?: Hash256 }): boolean {
    return height === this.height || (hash !== undefined && this.#hash !== undefined && equalBytes(hash, this.#hash));
  }

  /** @throws {BlockInvalid} for a block that must not be connected */
  check(block: { readonly height: number; readonly hash?: Hash256 }): void {
    if (this.matches(block)) throw new BlockInvalid('user-interrupt-request', 'interrupted');
  }

  /** Checks a block that is to be connected now, and records it if it must not be. @throws {BlockInvalid} */
  checkNext(entry: BlockIndexEntry): void {
    if (this.matches(entry)) this.#stopped.add(entry);
    else this.#stopped.delete(entry);
    this.check(entry);
  }

  /** True for a block that was not connected because of an interruption, and for those above it. */
  hasStopped(entry: BlockIndexEntry): boolean {
    for (const stopped of this.#stopped) if (stopped.invalid && entry.ancestor(stopped.height) === stopped) return true;
    return false;
  }
}
