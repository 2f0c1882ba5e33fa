import { BlockInvalid } from '../../consensus/errors.js';
import { formatAmount } from '../../primitives/amount.js';
import type { Hash256 } from '../../primitives/hash.js';
import type { StateView, WritableView } from '../../storage/view.js';
import { toHex } from '../../util/bytes.js';
import { hasSkippedEvmTransactions } from '../kernel/unexecuted-columns.js';
import { beneficiaryOf, type EvmCommitment } from './commitment.js';
import { evmFees, noteEvmFees } from './fees.js';
import { EvmLedger, isLedgerHash } from './ledger.js';
import { transferStats } from './transfer-stats.js';

/** DVM block that contains an EVM block. */
export interface EvmHost {
  readonly height: number;
  readonly hash: Hash256;
}

/**
 * Ends the EVM block and checks it against the commitment in the coinbase. The hash is compared only if an {@link EvmLedger} made it, since
 * hashes of a real EVM cannot be computed here. Fees must be 0 until the chain has EVM transactions; then those of the commitment are used.
 * @throws {BlockInvalid} if they differ
 * @see docs/protocol/evm.md 3.3, 6.3
 */
export function endEvmBlock(view: WritableView, { height, hash }: EvmHost, claimed: EvmCommitment): void {
  const tip = new EvmLedger(view).endBlock({ height, beneficiary: beneficiaryOf(claimed) });
  if (isLedgerHash(claimed.blockHash) && claimed.blockHash !== toHex(tip.hash)) throw wrong('Incorrect EVM block hash in coinbase output');
  if (!hasSkippedEvmTransactions(view)) {
    if (claimed.burnt !== 0n) throw wrong('Incorrect EVM burnt fee in coinbase output');
    if (claimed.priority !== 0n) throw wrong('Incorrect EVM priority fee in coinbase output');
  }
  noteEvmFees(view, { burnt: BigInt.asIntN(64, claimed.burnt), priority: BigInt.asIntN(64, claimed.priority) }, hash);
  if (!hasSkippedEvmTransactions(view)) checkTransfers(view);
}

/** Checks that no more was moved out of the EVM than into it, minus fees. @throws {BlockInvalid} */
function checkTransfers(view: StateView): void {
  const { burnt, priority } = evmFees(view);
  const fees = burnt.total + priority.total;
  for (const { tokenId, amount } of transferStats(view).dvmCurrent) {
    if (tokenId === 0 && amount + fees > 0n) {
      const amounts = `DVM Out: ${formatAmount(amount)} Fees: ${formatAmount(fees)} Total: ${formatAmount(amount + fees)}`;
      throw wrong(`More DFI moved from DVM to EVM than in. ${amounts}\n`);
    }
    if (tokenId !== 0 && amount > 0n) {
      throw wrong(`More ${tokenId} moved from DVM to EVM than in. DVM Out: ${formatAmount(amount)}\n`);
    }
  }
}

/** Rejection with an empty reason; `defid` only logs the text. */
function wrong(text: string): BlockInvalid {
  return new BlockInvalid('', 'consensus', text);
}
