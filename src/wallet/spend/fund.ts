import { pointKey } from '../../primitives/outpoint.js';
import { makeTransaction, type Transaction, type TxIn } from '../../primitives/transaction.js';
import type { Wallet } from '../wallet.js';
import type { BuildOptions } from './build-request.js';
import { buildTransaction } from './builder.js';

export interface FundOptions extends BuildOptions {
  /** Indexes of outputs that the fee is taken from. */
  readonly payers: ReadonlySet<number>;
  /** Set the added coins aside. */
  readonly locksCoins: boolean;
}

export interface FundedTransaction {
  readonly tx: Transaction;
  readonly fee: bigint;
  /** -1 without change. */
  readonly changePosition: number;
}

/**
 * Adds inputs, and change if need be, until a transaction pays for itself. What it has stays as it is, in its order.
 * @throws {BuildFailed}
 * @see docs/protocol/wallet.md 3.0.3
 */
export function fundTransaction(wallet: Wallet, tx: Transaction, { payers, locksCoins, ...options }: FundOptions): FundedTransaction {
  const recipients = tx.vout.map(({ scriptPubKey, value, tokenId }, i) => ({
    script: scriptPubKey,
    amount: value,
    tokenId,
    paysFee: payers.has(i),
  }));
  const inputs = tx.vin.map(({ prevout }) => prevout);
  const built = buildTransaction(wallet, recipients, { ...options, inputs, unsigned: true });
  const there = new Set(inputs.map(pointKey));
  const added = built.tx.vin.filter(({ prevout }) => !there.has(pointKey(prevout)));
  if (locksCoins) for (const { prevout } of added) wallet.outputLocks.add(prevout);
  wallet.commit();
  const vin: TxIn[] = [...tx.vin, ...added];
  const { version, lockTime } = tx;
  const funded = makeTransaction({ version, vin, vout: built.tx.vout, lockTime }, wallet.deps.chain.params.txFormat);
  return { tx: funded, fee: built.fee, changePosition: built.changePosition };
}
