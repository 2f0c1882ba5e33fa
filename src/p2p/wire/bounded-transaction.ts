import { type ByteReader, type Codec, compactSize, DecodeError, varInt32 } from '../../primitives/codec.js';
import { type Transaction, TX_VERSION_TOKENS, type TxFormat, transaction } from '../../primitives/transaction.js';
import { skipItem } from '../../primitives/witness.js';

/** Most inputs, outputs and witness items in one message; more than a block of the largest size can use. */
const MAX_PARTS = 1_000_000;

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
  readonly #tokenIds: boolean;

  constructor(format: TxFormat) {
    this.codec = transaction(format);
    this.#tokenIds = format.tokenIds;
  }

  /** @throws {DecodeError} as the codec does, or if the budget is exceeded */
  read(r: ByteReader, budget: PartBudget): Transaction {
    const start = r.position;
    this.#walk(r, budget);
    r.rewind(start);
    return this.codec.read(r);
  }

  #walk(r: ByteReader, budget: PartBudget): void {
    const withToken = this.#tokenIds && r.i32() >= TX_VERSION_TOKENS;
    if (!this.#tokenIds) r.skip(4);
    let inputs = walkInputs(r, budget);
    let flags = 0;
    if (inputs === 0) {
      flags = r.u8();
      if (flags !== 0) inputs = walkInputs(r, budget);
    }
    if (inputs > 0 || flags !== 0) walkOutputs(r, budget, withToken);
    if ((flags & 1) !== 0) {
      for (let i = 0; i < inputs; i++) {
        const items = spend(compactSize.read(r), budget);
        for (let item = 0; item < items; item++) skipItem(r);
      }
    }
    r.skip(4);
  }
}

function walkInputs(r: ByteReader, budget: PartBudget): number {
  const count = spend(compactSize.read(r), budget);
  for (let i = 0; i < count; i++) {
    r.skip(36);
    skipItem(r);
    r.skip(4);
  }
  return count;
}

function walkOutputs(r: ByteReader, budget: PartBudget, withToken: boolean): void {
  const count = spend(compactSize.read(r), budget);
  for (let i = 0; i < count; i++) {
    r.skip(8);
    skipItem(r);
    if (withToken) varInt32.read(r);
  }
}

function spend(parts: number, budget: PartBudget): number {
  budget.left -= parts;
  if (budget.left < 0) throw new DecodeError('too many parts in one message');
  return parts;
}
