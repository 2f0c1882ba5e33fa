import type { Transaction } from '../../primitives/transaction.js';
import type { Overlay } from '../../storage/overlay.js';
import { accountBalances, type BalanceKey, materialisedHeights } from '../accounts/columns.js';
import { type HistoryCountKey, historyCounts } from '../accounts/history-columns.js';
import { vaultAlarms } from '../auctions/alarm-columns.js';
import { loanAmounts } from '../loans/columns.js';
import { vaultCollaterals, vaults } from '../vaults/columns.js';
import { classify } from './classify.js';
import { customTxOf } from './registry.js';

/**
 * Hints that the rules of transactions will read the accounts and vaults that their messages name. Their rows are in as
 * many blocks of the files as there are accounts and vaults.
 */
export function hintReads(transactions: readonly Transaction[], view: Overlay, { keepsHistory }: { readonly keepsHistory: boolean }): void {
  const balances: BalanceKey[] = [];
  const owners: Uint8Array[] = [];
  const counts: HistoryCountKey[] = [];
  const vaultIds: Uint8Array[] = [];
  for (const tx of transactions) {
    const found = classify(tx, false);
    if (found.kind !== 'custom') continue;
    const reads = customTxOf(found.type.type)?.expectedReads?.(found.body);
    if (!reads) continue;
    vaultIds.push(...(reads.vaults ?? []));
    for (const balance of reads.balances ?? []) {
      balances.push(balance);
      owners.push(balance.owner);
      // The counts of one owner and type are neighbours.
      counts.push({ owner: balance.owner, category: found.type.type.charCodeAt(0), tokenId: undefined });
    }
  }
  view.hintRows(materialisedHeights, owners);
  view.hintRows(accountBalances, balances);
  for (const column of [vaults, vaultCollaterals, loanAmounts, vaultAlarms]) view.hintRows(column, vaultIds);
  if (keepsHistory) view.hintRows(historyCounts, counts);
}
