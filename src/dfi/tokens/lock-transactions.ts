import { formatAmount } from '../../primitives/amount.js';
import { i64, struct } from '../../primitives/codec.js';
import { requireFoundationAuth } from '../context/auth.js';
import { type AnyCustomTx, customTx } from '../context/custom-tx.js';
import { BalanceSum, type Balances } from '../kernel/amounts.js';
import { CONTRACT } from '../kernel/contract-addresses.js';
import { multiplyDivide } from '../kernel/math.js';
import { ignoreRejection, TxRejected } from '../kernel/rejected.js';
import { lockedTokens, lockRatio, setLockRatio } from './lock-columns.js';

export interface TokenLockRelease {
  /** Part of the initially locked amounts to release, scaled by COIN. */
  readonly part: bigint;
}

/** Returns a part of the locked balances to their owners. Rewards are not materialised for this. @see docs/protocol/defi.md 9.6 */
export const tokenLockRelease = customTx<TokenLockRelease>({
  type: '!',
  name: 'TokenLockRelease',
  since: 'df24',
  codec: struct<TokenLockRelease>({ part: i64 }),
  apply(context, { part }) {
    const { view, accounts } = context;
    requireFoundationAuth(context);
    if (part === 0n) throw new TxRejected('release ratio can not be 0');
    const locked = lockRatio(view);
    if (locked < part) throw new TxRejected(`can't release more than locked ${formatAmount(locked)} vs ${formatAmount(part)}`);
    // Amounts of a negative part overflow; `defid` leaves out what cannot be added or subtracted then.
    const total = new BalanceSum();
    for (const [owner, held] of [...view.entries(lockedTokens)]) {
      const released = held.map(({ tokenId, amount }) => ({
        tokenId,
        amount: locked <= part ? amount : multiplyDivide(amount, part, locked),
      }));
      for (const amount of released) {
        ignoreRejection(() => accounts.add(owner, amount));
        total.addOrZero(amount);
      }
      const left = remainder(held, released);
      if (left.length > 0) view.put(lockedTokens, owner, left);
      else view.delete(lockedTokens, owner);
    }
    for (const amount of total.list()) ignoreRejection(() => accounts.sub(CONTRACT.tokenLock, amount));
    setLockRatio(view, BigInt.asIntN(64, locked - part));
  },
});

function remainder(held: Balances, released: Balances): Balances {
  return held
    .map(({ tokenId, amount }, i) => ({ tokenId, amount: amount - (released[i]?.amount ?? 0n) }))
    .filter(({ amount }) => amount > 0n);
}

/** Custom transactions that release locked tokens. */
export const tokenLockTypes: readonly AnyCustomTx[] = [tokenLockRelease];
