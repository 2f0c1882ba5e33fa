import { pointKey } from '../../primitives/outpoint.js';
import type { TransactionFields } from '../../primitives/transaction.js';
import type { Wallet } from '../wallet.js';
import type { BuildOptions, Built } from './build-request.js';
import { buildUnsigned } from './builder.js';

export interface FundOptions extends BuildOptions {
  /** Indexes of outputs that the fee is subtracted from. */
  readonly payers: ReadonlySet<number>;
  /** Lock the added coins, as `lockunspent` does. */
  readonly locksCoins: boolean;
}

/**
 * Adds inputs, and change if needed, so that a transaction pays for its outputs and fee. Existing inputs and outputs keep their order.
 * @throws {BuildFailed}
 * @see docs/protocol/wallet.md 3.0.3
 */
export function fundTransaction(
  wallet: Wallet,
  tx: TransactionFields,
  { payers, locksCoins, ...options }: FundOptions,
): Built<TransactionFields> {
  const recipients = tx.vout.map(({ scriptPubKey, value, tokenId }, i) => ({
    script: scriptPubKey,
    amount: value,
    tokenId,
    paysFee: payers.has(i),
  }));
  const inputs = tx.vin.map(({ prevout }) => prevout);
  const built = buildUnsigned(wallet, recipients, { ...options, inputs });
  const preset = new Set(inputs.map(pointKey));
  const added = built.tx.vin.filter(({ prevout }) => !preset.has(pointKey(prevout)));
  wallet.commit();
  if (locksCoins) for (const { prevout } of added) wallet.outputLocks.add(prevout);
  const { version, lockTime } = tx;
  return { ...built, tx: { version, vin: [...tx.vin, ...added], vout: built.tx.vout, lockTime } };
}
