import type { Transaction } from '../../primitives/transaction.js';
import { TxRejected } from '../kernel/rejected.js';

/**
 * A creation burns a fee in output 0, at least, and locks a collateral in output 1, exactly; both in DFI.
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
