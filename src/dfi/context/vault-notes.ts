import { type Hash256, NULL_HASH } from '../../primitives/hash.js';
import type { WritableView } from '../../storage/view.js';
import { EMPTY_BYTES, toHex } from '../../util/bytes.js';
import type { HistoryRecord } from '../accounts/history-columns.js';
import { toBalances } from '../kernel/amounts.js';
import type { LoanScheme } from '../loans/scheme-columns.js';
import type { CollateralRecorder } from '../vaults/columns.js';
import {
  type SchemeRecord,
  schemeHistory,
  type VaultHistoryKey,
  type VaultSnapshot,
  vaultHistory,
  vaultSchemeHistory,
  vaultSnapshots,
} from '../vaults/history-columns.js';

/** What one transaction or event tells the history of vaults. */
export class VaultNotes implements CollateralRecorder {
  /** Vault that the message is about. */
  vaultId: Hash256 | undefined;
  /** Scheme that it names for the vault. */
  scheme: string | undefined;
  /** Scheme that it makes or changes. */
  made: { readonly id: string; readonly scheme: LoanScheme; readonly isNew: boolean } | undefined;
  readonly #collateral = new Map<string, { readonly vaultId: Hash256; readonly tokens: Map<number, bigint> }>();

  noteCollateral(vaultId: Hash256, tokenId: number, difference: bigint): void {
    const key = toHex(vaultId);
    const known = this.#collateral.get(key) ?? { vaultId, tokens: new Map<number, bigint>() };
    this.#collateral.set(key, known);
    known.tokens.set(tokenId, (known.tokens.get(tokenId) ?? 0n) + difference);
  }

  *collateralChanges() {
    for (const { vaultId, tokens } of this.#collateral.values()) yield { vaultId, differences: toBalances(tokens) };
  }
}

/** What happened to a balance for the sake of a vault, or to what the vault holds. */
export interface VaultChange extends Pick<HistoryRecord, 'differences'> {
  readonly vaultId: Hash256;
  /** Whose balance changed; empty: what the vault holds. */
  readonly owner: Uint8Array;
}

interface Writer {
  readonly txid: Hash256;
  readonly category: number;
  readonly txn: number;
}

type Write = (view: WritableView) => void;

/** Gathers the history of vaults in one block and writes it with it. */
export class BlockVaultHistory {
  readonly #writes: Write[] = [];

  constructor(private readonly height: number) {}

  /** @param balances what happened to balances, by owner */
  add(notes: VaultNotes, balances: Iterable<readonly [Uint8Array, HistoryRecord['differences']]>, writer: Writer): void {
    const { vaultId, scheme, made } = notes;
    for (const change of notes.collateralChanges()) this.addChange({ ...change, owner: EMPTY_BYTES }, writer);
    if (vaultId) for (const [owner, differences] of balances) this.addChange({ vaultId, owner, differences }, writer);
    if (vaultId && scheme) {
      this.#writes.push((view) => view.put(vaultSchemeHistory, { vaultId, height: this.height }, { ...writer, scheme }));
    }
    if (made) this.#writes.push((view) => this.#writeScheme(view, made, writer));
  }

  addChange({ vaultId, owner, differences }: VaultChange, { txid, category, txn }: Writer): void {
    const key: VaultHistoryKey = { vaultId, height: this.height, txn, owner };
    this.#writes.push((view) => view.put(vaultHistory, key, { txid, category, differences }));
  }

  /** A change stands with the transaction that made the scheme. */
  #writeScheme(view: WritableView, { id, scheme, isNew }: NonNullable<VaultNotes['made']>, { txid, category, txn }: Writer): void {
    const at = { height: this.height, txn };
    let creationTx = txid;
    if (!isNew) {
      creationTx = NULL_HASH;
      for (const [key, record] of view.entries(schemeHistory, { from: { ...at, creationTx: NULL_HASH } })) {
        if (record.id !== id) continue;
        creationTx = key.creationTx;
        break;
      }
    }
    const record: SchemeRecord = { id, scheme, category, txid };
    view.put(schemeHistory, { ...at, creationTx }, record);
  }

  /** Snapshot of a vault as its collateral goes to auction or comes back. */
  addSnapshot(vaultId: Hash256, snapshot: VaultSnapshot): void {
    this.#writes.push((view) => view.put(vaultSnapshots, { vaultId, height: this.height }, snapshot));
  }

  write(view: WritableView): void {
    for (const write of this.#writes) write(view);
  }
}
