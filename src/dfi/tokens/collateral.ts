import type { Transaction } from '../../primitives/transaction.js';
import { TxRejected } from '../kernel/rejected.js';

/**
 * Requires that output 0 burns at least the creation fee and output 1 locks exactly the collateral, both in DFI.
 * @param fee satoshis
 * @param collateral satoshis
 * @throws {TxRejected}
 * @see docs/protocol/accounts.md 1.8
 */
export function requireFeeAndCollateral({ vout }: Transaction, fee: bigint, collateral: bigint): void {
  const [first, second] = vout;
  const isRight =
    first !== undefined &&
    second !== undefined &&
    first.tokenId === 0 &&
    first.value >= fee &&
    second.tokenId === 0 &&
    second.value === collateral;
  if (!isRight) throw new TxRejected('malformed tx vouts (wrong creation fee or collateral amount)');
}
