import type { BalanceReason, Event, TokenSum } from '../../../gen/ts/dfi/events/v1/events.js';
import { accountBalances } from '../../dfi/accounts/columns.js';
import { type HistoryKey, type HistoryRecord, historyByOwner } from '../../dfi/accounts/history-columns.js';
import { categoryName } from '../../dfi/execution/registry.js';
import type { Balances } from '../../dfi/kernel/amounts.js';
import { formatHash } from '../../primitives/hash.js';
import type { StateView } from '../../storage/view.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { tokenSymbol } from '../format/amounts.js';
import { formatOwner } from '../format/owner.js';
import { type BlockFacts, type FoundEvent, observed } from './observed.js';

/** Types of the history whose entries are parts of swaps. */
const SWAPS = new Set(['PoolSwap', 'PoolSwapV2']);

/** Balances of accounts, with the transactions and events that changed them. */
export const balanceEvents = observed(accountBalances, ({ key: { owner, tokenId }, before = 0n, after = 0n }, facts) => {
  const balance = {
    owner: formatOwner(owner, facts.params),
    tokenId,
    token: tokenSymbol(facts.state, tokenId),
    before,
    after,
    reasons: reasonsOf(owner, tokenId, facts),
  };
  return [{ kind: 'balance', body: { balance }, owners: [owner], tokens: [tokenId] }];
});

/** Entries of the history are no events of their own: they give the reasons of balances, and {@link swapEvents}. */
export const historyEntries = observed(historyByOwner, () => []);

function reasonsOf(owner: Uint8Array, tokenId: number, { history, isUndone }: BlockFacts): BalanceReason[] {
  const reasons: BalanceReason[] = [];
  for (const [key, { txid, category, differences }] of history) {
    if (!equalBytes(key.owner, owner)) continue;
    const amount = differences.find((each) => each.tokenId === tokenId)?.amount;
    if (amount !== undefined) reasons.push({ txid: formatHash(txid), type: categoryName(category), amount: isUndone ? -amount : amount });
  }
  return reasons;
}

type Entry = readonly [HistoryKey, HistoryRecord];

/** Swaps of a block, put together from the entries of their transactions: one account gave one token, one got another. */
export function swapEvents(facts: BlockFacts): FoundEvent[] {
  const byTransaction = new Map<string, Entry[]>();
  for (const entry of facts.history) {
    const [, { txid, category }] = entry;
    if (!SWAPS.has(categoryName(category))) continue;
    const key = toHex(txid);
    byTransaction.set(key, [...(byTransaction.get(key) ?? []), entry]);
  }
  return [...byTransaction.values()].flatMap((entries) => swapOf(entries, facts));
}

function swapOf(entries: readonly Entry[], { state, params }: BlockFacts): FoundEvent[] {
  const parts = entries.flatMap(([{ owner }, { differences }]) => differences.map((each) => ({ owner, ...each })));
  const sold = parts.find(({ amount }) => amount < 0n);
  const bought = parts.find(({ amount }) => amount > 0n);
  const [first] = entries;
  if (!sold || !bought || !first) return [];
  const swap: Event['swap'] = {
    txid: formatHash(first[1].txid),
    from: formatOwner(sold.owner, params),
    to: formatOwner(bought.owner, params),
    soldToken: tokenSymbol(state, sold.tokenId),
    sold: -sold.amount,
    boughtToken: tokenSymbol(state, bought.tokenId),
    bought: bought.amount,
  };
  return [{ kind: 'swap', body: { swap }, owners: [sold.owner, bought.owner], tokens: [sold.tokenId, bought.tokenId] }];
}

/** Amounts by token. */
export function tokenSums(state: StateView, amounts: Balances): TokenSum[] {
  return amounts.map(({ tokenId, amount }) => ({ token: tokenSymbol(state, tokenId), amount }));
}
