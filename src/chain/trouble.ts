import { formatHash, type Hash256 } from '../primitives/hash.js';
import { isDiskFull, isStorageFailure, StoreDamaged } from '../storage/errors.js';
import { errorText, NodeError } from '../util/errors.js';
import type { Logger } from '../util/logger.js';

/**
 * Reason why block processing is halted.
 * - `disk-full`: there is no room; processing resumes once there is
 * - `write`: the store refuses for another reason; tried again with each block
 * - `damaged`: stored data cannot be read; only a rebuild helps
 * - `internal`: a fault of this program; processing resumes after a restart or `reconsiderblock`
 */
export interface Trouble {
  readonly kind: 'disk-full' | 'write' | 'damaged' | 'internal';
  readonly message: string;
}

/** A fault of this program, found while the active chain changed. It is no verdict on the block. */
export class InternalFault extends NodeError {
  override name = 'InternalFault';

  constructor(message: string, options?: ErrorOptions) {
    super('internal', message, options);
  }
}

/** Runs a step that changes the active chain, and names the block if the step fails by a fault of this program. */
export function atBlock<T>(step: 'connecting' | 'disconnecting', { hash, height }: { hash: Hash256; height: number }, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof InternalFault || isStorageFailure(error)) throw error;
    const where = `${step} block ${formatHash(hash)} at height ${height}`;
    const advice = 'Block processing is halted; restart the node, or call reconsiderblock, to try again';
    throw new InternalFault(`Internal error while ${where}: ${errorText(error)}. ${advice}`, { cause: error });
  }
}

/** The trouble that an error means; undefined where the chain can go on. */
export function troubleOf(error: unknown): Trouble | undefined {
  if (error instanceof InternalFault) return { kind: 'internal', message: error.message };
  return isStorageFailure(error) ? writeTroubleOf(error) : undefined;
}

/** The trouble that a failed flush means: whatever the reason, what is pending is not written. */
export function writeTroubleOf(error: unknown): Trouble {
  const message = errorText(error);
  if (error instanceof StoreDamaged) return { kind: 'damaged', message };
  // A value that cannot be encoded, or a bug: another try would end the same way.
  if (error instanceof RangeError || error instanceof TypeError) return { kind: 'internal', message };
  return { kind: isDiskFull(error) ? 'disk-full' : 'write', message };
}

/** What the guard asks of the database. */
interface GuardedData {
  /** @throws {DiskFull} */
  requireRoom(): void;
  flush(options: { readonly sync: boolean }): void;
}

/** Stands before everything that changes the chain: while there is trouble nothing does. */
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

  /** True while only a restart, a rebuild or an operator's request can resume processing. */
  get isHalted(): boolean {
    return this.#trouble?.kind === 'internal' || this.#trouble?.kind === 'damaged';
  }

  /** Lets processing go on after an internal fault, at the operator's request. */
  resume(): void {
    if (this.#trouble?.kind !== 'internal') return;
    this.#log.info('block processing resumed by request');
    this.#set(undefined);
  }

  /** @returns true if there is no trouble, or none any more */
  retry(): boolean {
    try {
      this.#requireNoTrouble();
    } catch (error) {
      this.#note(troubleOf(error), error);
    }
    return this.#trouble === undefined;
  }

  /** Does what changes the chain. While there is trouble it is not done: what is pending must not grow. */
  change<T>(work: () => T): T {
    try {
      this.#requireNoTrouble();
      return work();
    } catch (error) {
      this.#note(troubleOf(error), error);
      throw error;
    }
  }

  /** Notes that what is pending could not be written. */
  noteFlushFailure(error: unknown): void {
    this.#note(writeTroubleOf(error), error);
  }

  #note(trouble: Trouble | undefined, error: unknown): void {
    if (!trouble || trouble.message === this.#trouble?.message) return;
    const { cause = error } = error as Error;
    const stack = trouble.kind === 'internal' && cause instanceof Error ? { stack: cause.stack } : {};
    this.#log.error('block processing halted', { kind: trouble.kind, error: trouble.message, ...stack });
    this.#set(trouble);
  }

  #requireNoTrouble(): void {
    if (!this.#trouble) return;
    if (this.#trouble.kind === 'internal') throw new InternalFault(this.#trouble.message);
    if (this.#trouble.kind === 'damaged') throw new StoreDamaged(this.#trouble.message);
    this.#data.requireRoom();
    this.#data.flush({ sync: true });
    this.#log.info('block processing resumed');
    this.#set(undefined);
  }

  #set(trouble: Trouble | undefined): void {
    this.#trouble = trouble;
    this.#onChange(trouble);
  }
}
