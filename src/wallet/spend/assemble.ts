import { MAX_STANDARD_WEIGHT } from '../../mempool/policy.js';
import { pointKey } from '../../primitives/outpoint.js';
import {
  measureTransaction,
  type Transaction,
  type TransactionFields,
  type TransactionSize,
  type TxOut,
  transactionWeight,
} from '../../primitives/transaction.js';
import { shuffled } from '../../util/random.js';
import { type BuildPlan, inputOf } from './build-plan.js';
import { BuildFailed } from './build-request.js';
import type { CoinsAndFee } from './coins-and-fee.js';
import { signAll } from './signing.js';

/**
 * Age of the tip up to which a lock time is set, seconds. With an older tip the height at which the transaction will be minted is unknown.
 */
const RECENT_TIP_SEC = 8 * 3600;

/** An unsigned transaction. */
export interface Draft {
  readonly fields: TransactionFields;
  /** Outputs that the inputs spend, in the order of the inputs. */
  readonly spent: readonly TxOut[];
}

/** Lists the selected coins as inputs in random order, and chooses a lock time. */
export function assemble(plan: BuildPlan, { coins, vout }: CoinsAndFee): Draft {
  const vin = shuffled(coins, plan.random).map(({ point }) => inputOf(plan, point));
  const outOf = new Map(coins.map(({ point, out }) => [pointKey(point), out]));
  const fields = { version: plan.version, vin, vout, lockTime: lockTimeOf(plan) };
  return { fields, spent: vin.map(({ prevout }) => outOf.get(pointKey(prevout)) as TxOut) };
}

/** Discourages fee sniping: mostly the height of the tip, one time in ten up to 99 blocks less. */
function lockTimeOf({ wallet, random }: BuildPlan): number {
  const { chain, clock } = wallet.deps;
  if (chain.isInitialDownload() || chain.tip.time < clock.seconds() - RECENT_TIP_SEC) return 0;
  const { height } = chain.tip;
  return random(10) === 0 ? Math.max(0, height - random(100)) : height;
}

/** @throws {BuildFailed} if an input cannot be signed, or the transaction is too large */
export function signDraft({ wallet }: BuildPlan, { fields, spent }: Draft, fee: bigint): Transaction {
  const tx = signAll(wallet, fields, spent);
  if (!tx) throw new BuildFailed('Signing transaction failed', fee);
  requireStandardWeight(tx, fee);
  return tx;
}

/**
 * Fields of a draft that is signed later. As in `defid` its size is limited without signatures; the mempool rejects it if it is too large
 * with them.
 * @throws {BuildFailed} if it is too large
 */
export function unsignedDraft({ wallet }: BuildPlan, { fields }: Draft, fee: bigint): TransactionFields {
  requireStandardWeight(measureTransaction(fields, wallet.deps.chain.params.txFormat), fee);
  return fields;
}

function requireStandardWeight(tx: TransactionSize, fee: bigint): void {
  if (transactionWeight(tx) > MAX_STANDARD_WEIGHT) throw new BuildFailed('Transaction too large', fee);
}
