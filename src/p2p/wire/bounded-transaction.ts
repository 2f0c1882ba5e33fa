import { type ByteReader, type Codec, compactSize, DecodeError } from '../../primitives/codec.js';
import { readLongTransaction, type Transaction, TX_VERSION_TOKENS, type TxFormat, transaction } from '../../primitives/transaction.js';
import { varInt32 } from '../../primitives/var-int.js';
import { skipItem } from '../../primitives/witness.js';
import type { Steps } from '../../util/slicer.js';

/** Most inputs, outputs and witness items in one message; more than a block of the largest size can use. */
const MAX_PARTS = 1_000_000;
/** Parts of a long transaction that are counted between two yields. */
const PARTS_AT_ONCE = 1_024;

/** Inputs, outputs and witness items that the rest of a message may contain. */
export interface PartBudget {
  left: number;
}

export function partBudget(parts = MAX_PARTS): PartBudget {
  return { left: parts };
}

/**
 * Reads transactions of untrusted peers. An input or output may take one byte on the wire and a hundred in memory, so the parts are
 * counted before anything is allocated for them.
 */
export class BoundedTransactions {
  readonly codec: Codec<Transaction>;
  readonly #format: TxFormat;

  constructor(format: TxFormat) {
    this.codec = transaction(format);
    this.#format = format;
  }

  /** @throws {DecodeError} as the codec does, or if the budget is exceeded */
  read(r: ByteReader, budget: PartBudget): Transaction {
    const start = r.position;
    this.#walk(r, budget);
    r.rewind(start);
    return this.codec.read(r);
  }

  /** Reads the transaction in slices, for megabytes. @throws {DecodeError} as `read` does */
  *readLong(r: ByteReader, budget: PartBudget): Steps<Transaction> {
    const start = r.position;
    yield* this.#walkLong(r, budget);
    r.rewind(start);
    return yield* readLongTransaction(r, this.#format, true);
  }

  *#walkLong(r: ByteReader, budget: PartBudget): Steps<void> {
    const withToken = r.i32() >= TX_VERSION_TOKENS && this.#format.tokenIds;
    let inputs = yield* inPieces(r, budget, skipInputs);
    let flags = 0;
    if (inputs === 0) {
      flags = r.u8();
      if (flags !== 0) inputs = yield* inPieces(r, budget, skipInputs);
    }
    if (inputs > 0 || flags !== 0) yield* inPieces(r, budget, withToken ? skipTokenOutputs : skipOutputs);
    for (let i = 0; i < inputs && (flags & 1) !== 0; i++) {
      yield* inPieces(r, budget, skipItems);
      if (i % PARTS_AT_ONCE === 0) yield;
    }
    r.skip(4);
  }

  #walk(r: ByteReader, budget: PartBudget): void {
    const withToken = r.i32() >= TX_VERSION_TOKENS && this.#format.tokenIds;
    let inputs = walk(r, budget, skipInputs);
    let flags = 0;
    if (inputs === 0) {
      flags = r.u8();
      if (flags !== 0) inputs = walk(r, budget, skipInputs);
    }
    if (inputs > 0 || flags !== 0) walk(r, budget, withToken ? skipTokenOutputs : skipOutputs);
    if ((flags & 1) !== 0) for (let i = 0; i < inputs; i++) walk(r, budget, skipItems);
    r.skip(4);
  }
}

/** Moves a reader behind so many parts. */
type Skip = (r: ByteReader, count: number) => void;

/** @returns number of the parts */
function walk(r: ByteReader, budget: PartBudget, skip: Skip): number {
  const count = spend(compactSize.read(r), budget);
  skip(r, count);
  return count;
}

function* inPieces(r: ByteReader, budget: PartBudget, skip: Skip): Steps<number> {
  const count = spend(compactSize.read(r), budget);
  for (let left = count; left > 0; left -= PARTS_AT_ONCE) {
    skip(r, Math.min(left, PARTS_AT_ONCE));
    if (left > PARTS_AT_ONCE) yield;
  }
  return count;
}

function skipInputs(r: ByteReader, count: number): void {
  for (let i = 0; i < count; i++) {
    r.skip(36);
    skipItem(r);
    r.skip(4);
  }
}

function skipOutputs(r: ByteReader, count: number): void {
  for (let i = 0; i < count; i++) {
    r.skip(8);
    skipItem(r);
  }
}

function skipTokenOutputs(r: ByteReader, count: number): void {
  for (let i = 0; i < count; i++) {
    r.skip(8);
    skipItem(r);
    varInt32.read(r);
  }
}

function skipItems(r: ByteReader, count: number): void {
  for (let i = 0; i < count; i++) skipItem(r);
}

function spend(parts: number, budget: PartBudget): number {
  budget.left -= parts;
  if (budget.left < 0) throw new DecodeError('too many parts in one message');
  return parts;
}
