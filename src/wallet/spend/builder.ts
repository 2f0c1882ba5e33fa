import { randomInt } from 'node:crypto';
import { TxInvalid } from '../../consensus/errors.js';
import { ancestorsWithinLimits } from '../../mempool/limits.js';
import { measureTransaction, type TransactionFields, virtualSize } from '../../primitives/transaction.js';
import type { Random } from '../../util/random.js';
import type { Wallet } from '../wallet.js';
import { assemble, type Draft, signDraft, unsignedDraft } from './assemble.js';
import { type BuildPlan, planOf } from './build-plan.js';
import { BuildFailed, type BuildOptions, type Built, type BuiltTransaction, checkRecipients, type Recipient } from './build-request.js';
import { ChangeOutput } from './change-output.js';
import { selectCoinsAndFee } from './coins-and-fee.js';

const secureRandom: Random = (below) => randomInt(below);

/**
 * Builds a signed transaction that pays recipients from the wallet's coins: selects coins, adds change, finds the fee and signs. The
 * change key leaves the key pool only on success; the caller commits.
 * @throws {BuildFailed}
 * @see docs/protocol/wallet.md 2.11, 2.12
 */
export function buildTransaction(
  wallet: Wallet,
  recipients: readonly Recipient[],
  options: BuildOptions = {},
  random = secureRandom,
): BuiltTransaction {
  return build(wallet, recipients, options, random, signDraft);
}

/** As {@link buildTransaction}, but without signatures. @throws {BuildFailed} */
export function buildUnsigned(wallet: Wallet, recipients: readonly Recipient[], options: BuildOptions): Built<TransactionFields> {
  return build(wallet, recipients, options, secureRandom, unsignedDraft);
}

function build<T extends TransactionFields>(
  wallet: Wallet,
  recipients: readonly Recipient[],
  options: BuildOptions,
  random: Random,
  complete: (plan: BuildPlan, draft: Draft, fee: bigint) => T,
): Built<T> {
  checkRecipients(recipients);
  const change = ChangeOutput.reserve(wallet, recipients, options);
  try {
    const plan = planOf(wallet, recipients, options, change.script, random);
    const selected = selectCoinsAndFee(plan);
    const { fee, changePosition } = selected;
    const tx = complete(plan, assemble(plan, selected), fee);
    checkLimits(wallet, tx, fee);
    change.keep();
    return { tx, fee, changePosition };
  } catch (error) {
    change.returnDestination();
    throw error;
  }
}

/** @throws {BuildFailed} if the fee exceeds `-maxtxfee`, or the mempool would reject the chain of unconfirmed ancestors */
function checkLimits({ deps: { mempool, settings, chain } }: Wallet, tx: TransactionFields, fee: bigint): void {
  if (fee > settings.maxFee) throw new BuildFailed('Fee exceeds maximum configured by -maxtxfee', fee);
  if (!settings.rejectLongChains) return;
  try {
    ancestorsWithinLimits(tx, virtualSize(measureTransaction(tx, chain.params.txFormat)), mempool.pool, mempool.limits);
  } catch (error) {
    if (error instanceof TxInvalid) throw new BuildFailed('Transaction has too long of a mempool chain', fee);
    throw error;
  }
}
