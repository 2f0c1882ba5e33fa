import { randomInt } from 'node:crypto';
import { TxInvalid } from '../../consensus/errors.js';
import { ancestorsWithinLimits } from '../../mempool/limits.js';
import { type Transaction, virtualSize } from '../../primitives/transaction.js';
import type { Random } from '../../util/random.js';
import type { Wallet } from '../wallet.js';
import { finish } from './assemble.js';
import { type BuildPlan, planOf } from './build-plan.js';
import { BuildFailed, type BuildOptions, type BuiltTransaction, checkRecipients, type Recipient } from './build-request.js';
import { ChangeOutput } from './change-output.js';
import { settle } from './coins-and-fee.js';

const secureRandom: Random = (below) => randomInt(below);

/**
 * Makes a transaction that pays recipients from the wallet's coins: chooses coins, adds change, finds the fee and signs. The change
 * key leaves the pool only if that succeeds; the caller commits.
 * @throws {BuildFailed}
 * @see docs/protocol/wallet.md 2.11, 2.12
 */
export function buildTransaction(
  wallet: Wallet,
  recipients: readonly Recipient[],
  options: BuildOptions = {},
  random = secureRandom,
): BuiltTransaction {
  checkRecipients(recipients);
  const change = ChangeOutput.reserve(wallet, recipients, options);
  try {
    const built = build(planOf(wallet, recipients, options, change.script, random));
    change.keep();
    return built;
  } catch (error) {
    change.returnDestination();
    throw error;
  }
}

function build(plan: BuildPlan): BuiltTransaction {
  const settled = settle(plan);
  const tx = finish(plan, settled);
  const { fee, changePosition } = settled;
  const { settings } = plan.wallet.deps;
  if (fee > settings.maxFee) throw new BuildFailed('Fee exceeds maximum configured by -maxtxfee', fee);
  if (settings.rejectLongChains) checkMempoolChain(plan.wallet, tx, fee);
  return { tx, fee, changePosition };
}

/** The mempool would not take a transaction at the end of too many others. */
function checkMempoolChain({ deps: { mempool } }: Wallet, tx: Transaction, fee: bigint): void {
  try {
    ancestorsWithinLimits(tx, virtualSize(tx), mempool.pool, mempool.limits);
  } catch (error) {
    if (error instanceof TxInvalid) throw new BuildFailed('Transaction has too long of a mempool chain', fee);
    throw error;
  }
}
