import type { NetworkParams } from '../../params/network.js';
import { encode } from '../../primitives/codec.js';
import type { Hash256 } from '../../primitives/hash.js';
import type { Transaction } from '../../primitives/transaction.js';
import type { WritableView } from '../../storage/view.js';
import { equalBytes } from '../../util/bytes.js';
import type { BalanceRecorder } from '../accounts/columns.js';
import {
  burnHistory,
  burnTotals,
  type HistoryCountKey,
  type HistoryKey,
  type HistoryRecord,
  historyByHeight,
  historyByOwner,
  historyCountKey,
  historyCounts,
} from '../accounts/history-columns.js';
import { type Balances, compareOwners, toBalances } from '../kernel/amounts.js';
import { BlockVaultHistory } from './vault-history.js';

/** Net balance changes of an owner, ascending by token id; in satoshis. */
export type OwnerChange = readonly [owner: Uint8Array, differences: Balances];

/** Net balance changes of one transaction or event, by owner and token, in satoshis. Changes that cancel out remain as 0. */
export class BalanceChanges implements BalanceRecorder {
  readonly #owners = new Map<string, { readonly owner: Uint8Array; readonly tokens: Map<number, bigint> }>();

  recordChange(owner: Uint8Array, tokenId: number, difference: bigint): void {
    const key = Buffer.from(owner).toString('latin1');
    const known = this.#owners.get(key);
    const tokens = known?.tokens ?? new Map<number, bigint>();
    if (!known) this.#owners.set(key, { owner, tokens });
    tokens.set(tokenId, (tokens.get(tokenId) ?? 0n) + difference);
  }

  /** Owners in the order of {@link compareOwners}, with their changes ascending by token id. */
  *entries(): Generator<OwnerChange> {
    const all = [...this.#owners.values()].sort((a, b) => compareOwners(a.owner, b.owner));
    for (const { owner, tokens } of all) yield [owner, toBalances(tokens)];
  }
}

/** Origin of balance changes in their history entries. */
export interface HistoryWriter {
  /** Transaction; for block events usually the block's hash. */
  readonly txid: Hash256;
  /** Type byte of the custom transaction or event; 0 for none. */
  readonly category: number;
  /** Index of the transaction in the block, or event number counted down from {@link LAST_EVENT_TXN}. */
  readonly txn: number;
  /** Height in the entries; the block's by default. */
  readonly height?: number;
}

/** Burn that does not change the account of the burn address: a fee, or an output paid to that address. */
export interface BurnRecord extends HistoryWriter {
  readonly owner: Uint8Array;
  readonly differences: Balances;
}

/** Map key of an entry, unique within one block. */
function rowKey({ owner, height, txn }: HistoryKey): string {
  return `${height}:${txn}:${Buffer.from(owner).toString('latin1')}`;
}

type Row = readonly [HistoryKey, HistoryRecord];

/** Number of the first event of a block. Later ones count down. */
export const LAST_EVENT_TXN = 0xffffffff;
/** Bound between transaction indexes (not above) and event numbers (above). */
const LAST_TXN = 0x7fffffff;

/**
 * Collects the history entries of one block and writes them to its overlay, so that disconnecting the block removes them. Totals and
 * counts are stored along with the entries, so that operations need no scan.
 */
export class BlockHistory {
  /** Entries by key. A later entry with the same key replaces the earlier one. */
  readonly #accounts = new Map<string, Row>();
  readonly #burns = new Map<string, Row>();
  /** Undefined if the history of vaults is not kept. */
  readonly vaults: BlockVaultHistory | undefined;
  #nextEventTxn = LAST_EVENT_TXN;

  constructor(
    private readonly height: number,
    private readonly params: NetworkParams,
    /** False: only the burn history is kept. */
    private readonly keepsAccounts: boolean,
    keepsVaults = false,
  ) {
    this.vaults = keepsVaults ? new BlockVaultHistory(height) : undefined;
  }

  /** Returns the number of the next event that changes balances, and counts down. */
  takeEventTxn(): number {
    return this.#nextEventTxn--;
  }

  /** Adds the changes of a transaction or event whose effects are committed. */
  add(changes: Iterable<OwnerChange>, { txid, category, txn, height = this.height }: HistoryWriter): void {
    for (const [owner, differences] of changes) {
      const key = { owner, height, txn };
      if (this.keepsAccounts) this.#accounts.set(rowKey(key), [key, { txid, category, differences }]);
      if (equalBytes(owner, this.params.scripts.burn)) this.addBurn({ owner, txid, category, txn, height, differences });
    }
  }

  addBurn({ owner, txn, txid, category, height = this.height, differences }: BurnRecord): void {
    const key = { owner, height, txn };
    this.#burns.set(rowKey(key), [key, { txid, category, differences }]);
  }

  /** Adds the outputs of a block's transactions that pay the burn address; of several in one transaction the last counts. */
  addBurntOutputs(transactions: readonly Transaction[]): void {
    const owner = this.params.scripts.burn;
    for (let txn = 0; txn < transactions.length; txn++) {
      const { txid, vout } = transactions[txn] as Transaction;
      for (const { value, scriptPubKey } of vout) {
        if (!equalBytes(scriptPubKey, owner)) continue;
        this.addBurn({ owner, txid, category: 0, txn, differences: [{ tokenId: 0, amount: value }] });
      }
    }
  }

  write(view: WritableView): void {
    this.vaults?.write(view);
    const counts = new Counts();
    for (const [key, record] of this.#accounts.values()) {
      // An event of an earlier block may have written an entry for this height: it is replaced and no longer counted.
      const replaced = key.txn > LAST_TXN ? view.get(historyByOwner, key) : undefined;
      if (replaced) {
        counts.add(key.owner, replaced, -1);
        view.put(historyByOwner, key, record);
        view.put(historyByHeight, key, 0);
      } else {
        view.putNew(historyByOwner, key, record);
        view.putNew(historyByHeight, key, 0);
      }
      counts.add(key.owner, record);
    }
    counts.write(view);
    for (const [key, record] of this.#burns.values()) this.#writeBurn(view, key, record);
  }

  #writeBurn(view: WritableView, key: HistoryKey, record: HistoryRecord): void {
    view.put(burnHistory, key, record);
    for (const { tokenId, amount } of record.differences) {
      const at = { category: record.category, tokenId };
      const { net, burnt } = view.get(burnTotals, at) ?? { net: 0n, burnt: 0n };
      view.put(burnTotals, at, { net: net + amount, burnt: amount > 0n ? burnt + amount : burnt });
    }
  }
}

/** Entry counts of one block, added up in memory because most keys occur many times. */
class Counts {
  readonly #added = new Map<string, { readonly key: HistoryCountKey; count: number }>();

  add(owner: Uint8Array, { category, differences }: HistoryRecord, times = 1): void {
    for (const scope of [owner, undefined]) {
      this.#count({ owner: scope, category, tokenId: undefined }, times);
      for (const { tokenId } of differences) this.#count({ owner: scope, category, tokenId }, times);
    }
  }

  #count(key: HistoryCountKey, times: number): void {
    const text = Buffer.from(encode(historyCountKey, key)).toString('latin1');
    const known = this.#added.get(text);
    if (known) known.count += times;
    else this.#added.set(text, { key, count: times });
  }

  write(view: WritableView): void {
    const added = [...this.#added.values()];
    const before = view.getMany(
      historyCounts,
      added.map(({ key }) => key),
    );
    for (const [i, { key, count }] of added.entries()) view.put(historyCounts, key, (before[i] ?? 0) + count);
  }
}
