import type { OutPoint } from '../../primitives/outpoint.js';
import type { Transaction, TransactionFields, TxOut } from '../../primitives/transaction.js';
import type { Destination } from '../../script/address.js';
import type { CoinSearch } from '../coin-search.js';
import type { KeyAddressType } from '../keys/address-type.js';
import type { FeeOptions } from './fees.js';

/** A payment of a transaction to be built. */
export interface Recipient {
  readonly script: Uint8Array;
  /** Satoshis. */
  readonly amount: bigint;
  readonly tokenId: number;
  /** Subtract a share of the fee from the amount. */
  readonly paysFee: boolean;
}

/** Options for building a transaction. */
export interface BuildOptions extends FeeOptions {
  readonly changeDestination?: Destination | undefined;
  readonly changeType?: KeyAddressType | undefined;
  /** Index of the change output; undefined for a random one. */
  readonly changePosition?: number | undefined;
  /** Inputs that are always included. */
  readonly inputs?: readonly OutPoint[];
  /** Spend watch-only coins too. */
  readonly spendWatched?: boolean;
  /** Spend the coins of an address together. By default as `-avoidpartialspends` says. */
  readonly avoidPartialSpends?: boolean;
  /** Leave out coins of addresses that were spent from before. */
  readonly avoidReuse?: boolean;
  /** Minimum confirmations of added coins; 0 by default. */
  readonly minDepth?: number;
  /** Only coins with this script are added. */
  readonly from?: Uint8Array | undefined;
  /** By default as `-walletcoinopt*` says. */
  readonly coinSearch?: CoinSearch | undefined;
  /** Outputs spent by `inputs` of a transaction that was not sent yet, by `pointKey`. */
  readonly linked?: ReadonlyMap<string, TxOut> | undefined;
}

/** A paid transaction, or the fields of one that is not signed yet. */
export interface Built<T extends TransactionFields> {
  readonly tx: T;
  /** Satoshis. */
  readonly fee: bigint;
  /** -1 without change. */
  readonly changePosition: number;
}

export type BuiltTransaction = Built<Transaction>;

/** A transaction could not be built; the message is returned to the client. @see docs/protocol/wallet.md 2.12 */
export class BuildFailed extends Error {
  override name = 'BuildFailed';

  constructor(
    message: string,
    /** Fee of the last attempt, satoshis. */
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
