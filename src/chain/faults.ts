import { formatHash, type Hash256 } from '../primitives/hash.js';
import { isStorageFailure, StoreDamaged } from '../storage/errors.js';
import { isDiskFull } from '../util/disk.js';
import { errorText, NodeError } from '../util/errors.js';
import type { Logger } from '../util/logger.js';

/**
 * Reason why block processing is halted.
 * - `disk-full`: processing resumes when there is room
 * - `write`: the store cannot be written for another reason; tried again with each block
 * - `damaged`: stored data cannot be read; only a rebuild helps
 * - `internal`: a fault of this program; processing resumes after a restart or `reconsiderblock`
 */
export interface ChainFault {
  readonly kind: 'disk-full' | 'write' | 'damaged' | 'internal';
  readonly message: string;
}

/** Fault of this program while the active chain changed. It is no verdict on the block. */
export class InternalFault extends NodeError {
  override name = 'InternalFault';

  constructor(message: string, options?: ErrorOptions) {
    super('internal', message, options);
  }
}

/**
 * Runs a step that changes the active chain.
 * @throws {InternalFault} that names the block if the step fails, except for storage faults, which are thrown unchanged
 */
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

/** Fault that an error means; undefined for an error that does not halt block processing. */
function faultOf(error: unknown): ChainFault | undefined {
  if (error instanceof InternalFault) return { kind: 'internal', message: error.message };
  return isStorageFailure(error) ? flushFaultOf(error) : undefined;
}

/** Fault that a failed flush means. Any error is one, because pending changes are not written. */
function flushFaultOf(error: unknown): ChainFault {
  const message = errorText(error);
  if (error instanceof StoreDamaged) return { kind: 'damaged', message };
  // A value that cannot be encoded, or a bug: another attempt would fail too.
  if (error instanceof RangeError || error instanceof TypeError) return { kind: 'internal', message };
  return { kind: isDiskFull(error) ? 'disk-full' : 'write', message };
}

/** Database of the guard. */
interface GuardedData {
  /** @throws {DiskFull} */
  requireRoom(): void;
  flush(options: { readonly sync: boolean }): void;
}

/** Guards every change of the chain: while block processing is halted, no change is made. */
export class FaultGuard {
  readonly #data: GuardedData;
  readonly #log: Logger;
  readonly #onChange: (fault: ChainFault | undefined) => void;
  #fault: ChainFault | undefined;

  constructor(data: GuardedData, log: Logger, onChange: (fault: ChainFault | undefined) => void) {
    this.#data = data;
    this.#log = log;
    this.#onChange = onChange;
  }

  get fault(): ChainFault | undefined {
    return this.#fault;
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
    return this.#fault?.kind === 'internal' || this.#fault?.kind === 'damaged';
  }

  /** Resumes block processing after an internal fault, at the operator's request. */
  resume(): void {
    if (this.#fault?.kind !== 'internal') return;
    this.#log.info('block processing resumed by request');
    this.#set(undefined);
  }

  /** Tries to write pending changes after a storage fault. @returns true if there is no fault, or no longer one */
  retry(): boolean {
    try {
      this.#requireNoFault();
    } catch (error) {
      this.#note(faultOf(error), error);
    }
    return this.#fault === undefined;
  }

  /**
   * Runs a change of the chain. After a storage fault, pending changes are written first, so that they do not grow without bound.
   * @throws the error of a fault that lasts, or that of the change
   */
  change<T>(work: () => T): T {
    try {
      this.#requireNoFault();
      return work();
    } catch (error) {
      this.#note(faultOf(error), error);
      throw error;
    }
  }

  /** Records that pending changes could not be written. */
  noteFlushFailure(error: unknown): void {
    this.#note(flushFaultOf(error), error);
  }

  #note(fault: ChainFault | undefined, error: unknown): void {
    if (!fault || fault.message === this.#fault?.message) return;
    const { cause = error } = error as Error;
    const stack = fault.kind === 'internal' && cause instanceof Error ? { stack: cause.stack } : {};
    this.#log.error('block processing halted', { kind: fault.kind, error: fault.message, ...stack });
    this.#set(fault);
  }

  #requireNoFault(): void {
    if (!this.#fault) return;
    if (this.#fault.kind === 'internal') throw new InternalFault(this.#fault.message);
    if (this.#fault.kind === 'damaged') throw new StoreDamaged(this.#fault.message);
    this.#data.requireRoom();
    this.#data.flush({ sync: true });
    this.#log.info('block processing resumed');
    this.#set(undefined);
  }

  #set(fault: ChainFault | undefined): void {
    this.#fault = fault;
    this.#onChange(fault);
  }
}
