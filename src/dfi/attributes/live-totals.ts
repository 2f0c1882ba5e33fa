import type { WritableView } from '../../storage/view.js';
import { BalanceSum, type Balances, subToken, type TokenAmount, toBalances } from '../kernel/amounts.js';
import { type AttributeSource, attributes, valueAs } from './attributes.js';
import type { AttributeKey } from './key.js';
import { LIVE_GROUPS, LIVE_TYPE } from './table.js';
import type { AttributeValue } from './value.js';

/** Running totals that the state machine keeps among the attributes, mostly for display; a few rules, such as the restart, read them. */
export interface LiveTotals extends AttributeSource {
  set(key: AttributeKey, value: AttributeValue): void;
}

/** Totals of a state, written through to it. */
export function storedTotals(view: WritableView): LiveTotals {
  return { get: (key) => view.get(attributes, key), set: (key, value) => view.put(attributes, key, value) };
}

/** Keys of the totals by name. */
const KEYS: ReadonlyMap<string, AttributeKey> = new Map(
  LIVE_GROUPS.flatMap(({ code, keys }) =>
    [...keys].map(([key, name]) => [name, { type: LIVE_TYPE.code, id: code, key, keyId: 0 }] as const),
  ),
);

/** Key of a total, by the last part of its path. @see docs/protocol/oracles-governance.md 4.9 */
export function liveKey(name: string): AttributeKey {
  const key = KEYS.get(name);
  if (!key) throw new Error(`no total has the name ${name}`);
  return key;
}

/** Current total by token; empty if nothing was counted. */
export function liveTotal(totals: AttributeSource, key: AttributeKey): Balances {
  return valueAs(totals, key, 'balances') ?? [];
}

/** Adds to a total, and creates it even if there is nothing to add. @throws {TxRejected} if a sum exceeds 63 bits */
export function addToLive(totals: LiveTotals, key: AttributeKey, amounts: readonly TokenAmount[]): void {
  const sum = new BalanceSum();
  for (const amount of [...liveTotal(totals, key), ...amounts]) sum.add(amount);
  totals.set(key, { kind: 'balances', value: sum.list() });
}

/** Subtracts from a total. @throws {TxRejected} if the total is smaller */
export function subFromLive(totals: LiveTotals, key: AttributeKey, { tokenId, amount }: TokenAmount): void {
  const all = new Map(liveTotal(totals, key).map((own) => [own.tokenId, own.amount]));
  const left = subToken(all.get(tokenId) ?? 0n, amount);
  if (left === 0n) all.delete(tokenId);
  else all.set(tokenId, left);
  totals.set(key, { kind: 'balances', value: toBalances(all) });
}
