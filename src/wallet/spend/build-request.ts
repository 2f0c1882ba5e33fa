import type { OutPoint } from '../../primitives/outpoint.js';
import type { Transaction, TxOut } from '../../primitives/transaction.js';
import type { Destination } from '../../script/address.js';
import type { AddressType } from '../../script/multisig.js';
import type { CoinSearch } from '../coin-search.js';
import type { FeeOptions } from './fees.js';

/** Who gets how much. */
export interface Recipient {
  readonly script: Uint8Array;
  /** Satoshis. */
  readonly amount: bigint;
  readonly tokenId: number;
  /** The fee is taken from what it gets. */
  readonly paysFee: boolean;
}

/** How a transaction is to be made. */
export interface BuildOptions extends FeeOptions {
  readonly changeDestination?: Destination | undefined;
  readonly changeType?: AddressType | undefined;
  /** Index of the change output; undefined leaves it to chance. */
  readonly changePosition?: number | undefined;
  /** Inputs that it has in any case. */
  readonly inputs?: readonly OutPoint[];
  /** Others may be added to them; by default they may. */
  readonly addsInputs?: boolean;
  readonly spendWatched?: boolean;
  readonly avoidPartialSpends?: boolean;
  /** Leave out coins of used addresses. */
  readonly avoidReuse?: boolean;
  readonly minDepth?: number;
  /** Only coins with this script are added. */
  readonly from?: Uint8Array | undefined;
  /** By default as the operator has it. */
  readonly coinSearch?: CoinSearch | undefined;
  /** Inputs that the wallet cannot know yet, by `pointKey`. */
  readonly linked?: ReadonlyMap<string, TxOut> | undefined;
  /** Without signatures. */
  readonly unsigned?: boolean;
}

export interface BuiltTransaction {
  readonly tx: Transaction;
  readonly fee: bigint;
  /** -1 without change. */
  readonly changePosition: number;
}

/** A transaction could not be made; the words are those that callers hear. @see docs/protocol/wallet.md 2.12 */
export class BuildFailed extends Error {
  override name = 'BuildFailed';

  constructor(
    message: string,
    /** The fee that it would have taken, as far as was found out. */
    readonly fee = 0n,
  ) {
    super(message);
  }
}

/** @throws {BuildFailed} */
export function checkRecipients(recipients: readonly Recipient[]): void {
  for (const { amount, tokenId } of recipients) {
    if (amount < 0n) throw new BuildFailed('Transaction amounts must not be negative');
    if (tokenId !== 0) throw new BuildFailed('Unexpected token type set for recipient. Only native DFI token type expected.');
  }
  if (recipients.length === 0) throw new BuildFailed('Transaction must have at least one recipient');
}
