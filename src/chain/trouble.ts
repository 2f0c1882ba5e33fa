import { BlockInvalid } from '../consensus/errors.js';
import { DecodeError } from '../primitives/codec.js';
import { isDiskFull, StoreDamaged } from '../storage/errors.js';
import { errorText } from '../util/errors.js';
import type { Logger } from '../util/logger.js';

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
  const message = errorText(error);
  if (error instanceof StoreDamaged) return { kind: 'damaged', message };
  return { kind: isDiskFull(error) ? 'disk-full' : 'write', message };
}

/** What the guard asks of the database. */
interface GuardedData {
  /** @throws {DiskFull} */
  requireRoom(): void;
  flush(options: { readonly sync: boolean }): void;
}

/** Stands before everything that changes the chain: after trouble with the disk nothing does, until it is over. */
export class DiskGuard {
  readonly #data: GuardedData;
  readonly #log: Logger;
  readonly #onChange: (trouble: Trouble | undefined) => void;
  #trouble: Trouble | undefined;

  constructor(data: GuardedData, log: Logger, onChange: (trouble: Trouble | undefined) => void) {
    this.#data = data;
    this.#log = log;
    this.#onChange = onChange;
  }

  get trouble(): Trouble | undefined {
    return this.#trouble;
  }

  get hasRoom(): boolean {
    try {
      this.#data.requireRoom();
      return true;
    } catch {
      return false;
    }
  }

  /** @returns true if there is no trouble, or none any more */
  retry(): boolean {
    try {
      this.#requireNoTrouble();
    } catch (error) {
      this.note(error);
    }
    return this.#trouble === undefined;
  }

  /** Does what changes the chain. While there is trouble it is not done: what is pending must not grow. */
  change<T>(work: () => T): T {
    try {
      this.#requireNoTrouble();
      return work();
    } catch (error) {
      this.note(error);
      throw error;
    }
  }

  note(error: unknown): void {
    const trouble = troubleOf(error);
    if (!trouble || trouble.message === this.#trouble?.message) return;
    this.#log.error('no more blocks are taken', { kind: trouble.kind, error: trouble.message });
    this.#set(trouble);
  }

  #requireNoTrouble(): void {
    if (!this.#trouble) return;
    if (this.#trouble.kind === 'damaged') throw new StoreDamaged(this.#trouble.message);
    this.#data.requireRoom();
    this.#data.flush({ sync: true });
    this.#log.info('blocks are taken again');
    this.#set(undefined);
  }

  #set(trouble: Trouble | undefined): void {
    this.#trouble = trouble;
    this.#onChange(trouble);
  }
}
