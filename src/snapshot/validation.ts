import type { BlockIndexEntry } from '../chain/block-index.js';
import type { Chain } from '../chain/chain.js';
import type { SnapshotBase } from '../chain/records.js';
import type { Logger } from '../util/logger.js';
import { Progress } from '../util/progress.js';
import { Slicer } from '../util/slicer.js';
import type { SnapshotDigest } from './digest.js';
import type { ValidatorReport, ValidatorRequest } from './validator.js';

/** Blocks that the validator is asked to connect at once. */
const BATCH_BLOCKS = 256;
const BATCH_BYTES = 8 * 2 ** 20;

/** The process that validates, or one in memory for tests. */
export interface Validator {
  send(request: ValidatorRequest): void;
  /** Ends it, with its changes written. */
  stop(): Promise<void>;
}

/** Result of the validation of a snapshot. */
export type ValidationResult =
  | { readonly valid: true }
  /** The blocks do not lead to the state. */
  | { readonly valid: false; readonly height: number; readonly problem: string };

/** Parts of the node that {@link SnapshotValidation} uses. */
export interface ValidationParts {
  readonly chain: Pick<Chain, 'entryAt' | 'history' | 'on'>;
  readonly base: SnapshotBase;
  /** Digest of the histories that were imported; undefined if there were none, or if it was not recorded. */
  readonly historyDigest: string | undefined;
  /** Copies the undo records of the blocks from the state of the validator, which has stopped. */
  readonly copyUndo: (signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
  readonly log: Pick<Logger, 'info'>;
}

/**
 * Validates the blocks below the base of a snapshot while the node runs: requests them from peers, has them connected on a state of their
 * own, and compares the digest of that state with that of the snapshot. In the end the node has all blocks and their undo records.
 */
export class SnapshotValidation {
  readonly #parts: ValidationParts;
  readonly #progress: Progress;
  #validator: Validator | undefined;
  /** Height of the next block to connect; undefined while the validator works. */
  #next: number | undefined;
  #resolve: (result: ValidationResult) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  readonly #result = new Promise<ValidationResult>((resolve, reject) => {
    this.#resolve = resolve;
    this.#reject = reject;
  });

  constructor(parts: ValidationParts) {
    this.#parts = parts;
    this.#progress = new Progress('validating the blocks below the snapshot', { log: parts.log, quietMs: 0 });
  }

  /** Runs until the result is known. @throws the reason of the signal if it is aborted */
  async run(): Promise<ValidationResult> {
    const { chain, signal } = this.#parts;
    chain.history.genesisPosition();
    const stop = chain.on('filled', ({ height }) => {
      if (height === this.#next) this.#feed();
    });
    const abort = () => this.#reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      const result = await this.#result;
      if (result.valid) await this.#complete();
      else chain.history.refute(result.height);
      return result;
    } finally {
      signal.removeEventListener('abort', abort);
      stop();
    }
  }

  /** Uses a validator from now on, which sends its first report unasked. */
  attach(validator: Validator): void {
    this.#validator = validator;
  }

  /** The validator has ended before the result was known. */
  detach(): void {
    this.#validator = undefined;
    this.#next = undefined;
  }

  /** Processes a report of the validator. */
  reported(report: ValidatorReport): void {
    switch (report.kind) {
      case 'connected':
        this.#connected(report.height);
        return;
      case 'invalid':
        this.#resolve({ valid: false, height: report.height, problem: `block ${report.height} is invalid: ${report.reason}` });
        return;
      case 'digest':
        this.#compare(report.digest);
    }
  }

  #connected(height: number): void {
    const { chain, base } = this.#parts;
    chain.history.validation = { height, base: base.height };
    this.#progress.update({ share: height / base.height, blocks: height, facts: { height, base: base.height } });
    this.#next = height + 1;
    this.#feed();
  }

  /** Has the next blocks connected, as far as they are stored; the others are wanted from peers. */
  #feed(): void {
    const { chain, base } = this.#parts;
    if (this.#next === undefined) return;
    const positions = [];
    let height = this.#next;
    for (let bytes = 0; height <= base.height && positions.length < BATCH_BLOCKS && bytes < BATCH_BYTES; height++) {
      const position = chain.entryAt(height)?.position;
      if (!position) break;
      positions.push(position);
      bytes += position.size;
    }
    chain.history.wanted = { from: height, to: base.height };
    if (positions.length === 0) return;
    this.#next = undefined;
    this.#validator?.send({ kind: 'connect', positions });
  }

  #compare({ state, history }: SnapshotDigest): void {
    const { chain, base, historyDigest } = this.#parts;
    const { height } = base;
    chain.history.validation = { height, base: base.height };
    const differs = (what: string, found: string | undefined, expected: string) =>
      this.#resolve({ valid: false, height, problem: `${what} that the blocks lead to has the digest ${found}, not ${expected}` });
    if (state !== base.digest) differs('the state', state, base.digest);
    else if (historyDigest !== undefined && history !== historyDigest) differs('the history', history, historyDigest);
    else this.#resolve({ valid: true });
  }

  /** Makes the blocks part of the chain: from now on none is missing. */
  async #complete(): Promise<void> {
    const { chain, copyUndo, signal } = this.#parts;
    await this.#validator?.stop();
    await this.#requireBlocks();
    await copyUndo(signal);
    chain.history.complete();
    this.#progress.end();
  }

  /** Waits until all blocks are stored. Positions of blocks that were validated may have been lost in a power failure. */
  async #requireBlocks(): Promise<void> {
    const { chain, base, signal } = this.#parts;
    const slicer = new Slicer(signal);
    for (let height = 0; height <= base.height; height++) {
      await slicer.pause();
      if (chain.entryAt(height)?.hasData) continue;
      chain.history.wanted = { from: height, to: base.height };
      await this.#filled(height);
    }
  }

  #filled(height: number): Promise<void> {
    const { chain, signal } = this.#parts;
    return new Promise((resolve, reject) => {
      const stop = chain.on('filled', (entry: BlockIndexEntry) => {
        if (entry.height === height) end(resolve);
      });
      const abort = () => end(() => reject(signal.reason));
      const end = (finish: () => void) => {
        stop();
        signal.removeEventListener('abort', abort);
        finish();
      };
      signal.addEventListener('abort', abort, { once: true });
    });
  }
}
