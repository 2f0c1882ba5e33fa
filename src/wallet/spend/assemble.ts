import { pointKey } from '../../primitives/outpoint.js';
import { makeTransaction, type Transaction, type TransactionFields, type TxOut, transactionWeight } from '../../primitives/transaction.js';
import { type BuildPlan, inputOf } from './build-plan.js';
import { BuildFailed } from './build-request.js';
import { shuffled } from './coin-selection.js';
import type { Settled } from './coins-and-fee.js';
import { signAll } from './signing.js';

const MAX_WEIGHT = 400_000;
/** A tip that is older says little about the height at which the transaction will be mined. */
const RECENT_TIP_SEC = 8 * 3600;

/** Makes the transaction that was settled on: inputs in random order, a lock time, signatures. @throws {BuildFailed} */
export function finish(plan: BuildPlan, settled: Settled): Transaction {
  const vin = shuffled(settled.coins, plan.random).map(({ point }) => inputOf(plan, point));
  const fields = { version: plan.version, vin, vout: settled.vout, lockTime: lockTimeOf(plan) };
  const outOf = new Map(settled.coins.map(({ point, out }) => [pointKey(point), out]));
  const spent = vin.map(({ prevout }) => outOf.get(pointKey(prevout)) as TxOut);
  return plan.options.unsigned ? unsigned(plan, fields, spent, settled.fee) : signed(plan, fields, spent, settled.fee);
}

/** Mostly the tip, so that no one gains by mining the transaction in place of one that is in it. */
function lockTimeOf({ wallet, random }: BuildPlan): number {
  const { chain, clock } = wallet.deps;
  if (chain.isInitialDownload() || chain.tip.time < clock.seconds() - RECENT_TIP_SEC) return 0;
  const { height } = chain.tip;
  return random(10) === 0 ? Math.max(0, height - random(100)) : height;
}

function unsigned({ wallet, sizes, options }: BuildPlan, fields: TransactionFields, spent: readonly TxOut[], fee: bigint): Transaction {
  const filled = sizes.filled(fields, spent, options.spendWatched ?? false);
  if (filled && transactionWeight(filled) > MAX_WEIGHT) throw new BuildFailed('Transaction too large', fee);
  return makeTransaction(fields, wallet.deps.chain.params.txFormat);
}

function signed({ wallet }: BuildPlan, fields: TransactionFields, spent: readonly TxOut[], fee: bigint): Transaction {
  const tx = signAll(wallet, fields, spent);
  if (!tx) throw new BuildFailed('Signing transaction failed', fee);
  if (transactionWeight(tx) > MAX_WEIGHT) throw new BuildFailed('Transaction too large', fee);
  return tx;
}
