import { accountBalances } from '../accounts/columns.js';
import { toBalances } from '../kernel/amounts.js';
import { lockedTokens } from '../tokens/lock-columns.js';
import { type SplitContext, type Succession, splitWriter } from './context.js';
import { convert } from './multiplier.js';

/** Balance of an account in the old token, and its conversion to the new one; in satoshis. */
export interface ConvertedBalance {
  readonly owner: Uint8Array;
  readonly before: bigint;
  readonly after: bigint;
}

/** All balances of the old token, in the order of the owners. */
export function convertedBalances({ view, split }: SplitContext): readonly ConvertedBalance[] {
  const found: ConvertedBalance[] = [];
  for (const [{ owner, tokenId }, before] of view.entries(accountBalances)) {
    if (tokenId === split.tokenId) found.push({ owner, before, after: convert(split.multiplier, before) });
  }
  return found;
}

/** Replaces balances by those in the new token. Debit and credit are separate history entries. @throws {TxRejected} */
export function writeBalances(context: SplitContext, { oldId, newId }: Succession, balances: readonly ConvertedBalance[]): void {
  const { view, eventRecords } = context;
  const writer = splitWriter(context);
  for (const { owner, before, after } of balances) {
    eventRecords.change(view, writer, (accounts) => accounts.sub(owner, { tokenId: oldId, amount: before }));
    eventRecords.change(view, writer, (accounts) => accounts.add(owner, { tokenId: newId, amount: after }));
  }
}

/** Converts locked amounts of the old token to the new one. */
export function convertLocks({ view, split }: SplitContext, { oldId, newId }: Succession): void {
  for (const [owner, held] of [...view.entries(lockedTokens)]) {
    const locked = new Map(held.map(({ tokenId, amount }) => [tokenId, amount]));
    const before = locked.get(oldId);
    if (before === undefined) continue;
    locked.delete(oldId);
    const after = convert(split.multiplier, before);
    if (after !== 0n) locked.set(newId, (locked.get(newId) ?? 0n) + after);
    view.put(lockedTokens, owner, toBalances(locked));
  }
}
