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

/** Data that one transaction or event records for the history of vaults. */
export class VaultHistoryRecorder implements CollateralRecorder {
  /** Vault that the message names. */
  vaultId: Hash256 | undefined;
  /** Id of the loan scheme that the message selects for the vault. */
  scheme: string | undefined;
  /** Loan scheme that the message creates or changes. */
  schemeChange: { readonly id: string; readonly scheme: LoanScheme; readonly isNew: boolean } | undefined;
  readonly #collateral = new Map<string, { readonly vaultId: Hash256; readonly tokens: Map<number, bigint> }>();

  /** @param difference satoshis, negative for a withdrawal */
  recordCollateral(vaultId: Hash256, tokenId: number, difference: bigint): void {
    if (difference === 0n) return;
    const key = toHex(vaultId);
    const known = this.#collateral.get(key) ?? { vaultId, tokens: new Map<number, bigint>() };
    this.#collateral.set(key, known);
    known.tokens.set(tokenId, (known.tokens.get(tokenId) ?? 0n) + difference);
  }

  /** Net changes of vault collateral, in the order in which the vaults were first changed. */
  *collateralChanges() {
    for (const { vaultId, tokens } of this.#collateral.values()) yield { vaultId, differences: toBalances(tokens) };
  }
}

/** Recorder of events in whose history `defid` names no vault: their changes are those of the vault with the id 0. */
export class UnnamedVaultRecorder extends VaultHistoryRecorder {
  override recordCollateral(_: Hash256, tokenId: number, difference: bigint): void {
    super.recordCollateral(NULL_HASH, tokenId, difference);
  }
}

/** Change of an owner's balance that belongs to a vault operation, or of the vault's collateral. */
export interface VaultChange extends Pick<HistoryRecord, 'differences'> {
  readonly vaultId: Hash256;
  /** Script of the owner whose balance changed; empty for a change of the vault's collateral. */
  readonly owner: Uint8Array;
}

interface Writer {
  readonly txid: Hash256;
  readonly category: number;
  readonly txn: number;
}

type Write = (view: WritableView) => void;

/** Collects the vault history entries of one block and writes them to its overlay. */
export class BlockVaultHistory {
  readonly #writes: Write[] = [];

  constructor(private readonly height: number) {}

  /** @param balances changes of account balances, by owner */
  add(recorder: VaultHistoryRecorder, balances: Iterable<readonly [Uint8Array, HistoryRecord['differences']]>, writer: Writer): void {
    const { vaultId, scheme, schemeChange } = recorder;
    for (const change of recorder.collateralChanges()) this.addChange({ ...change, owner: EMPTY_BYTES }, writer);
    if (vaultId) for (const [owner, differences] of balances) this.addChange({ vaultId, owner, differences }, writer);
    if (vaultId && scheme) {
      this.#writes.push((view) => view.put(vaultSchemeHistory, { vaultId, height: this.height }, { ...writer, scheme }));
    }
    if (schemeChange) this.#writes.push((view) => this.#writeScheme(view, schemeChange, writer));
  }

  addChange({ vaultId, owner, differences }: VaultChange, { txid, category, txn }: Writer): void {
    const key: VaultHistoryKey = { vaultId, height: this.height, txn, owner };
    this.#writes.push((view) => view.put(vaultHistory, key, { txid, category, differences }));
  }

  /** Stores a new or changed scheme. A change is keyed by the transaction that created the scheme, or 0 if none is found. */
  #writeScheme(
    view: WritableView,
    { id, scheme, isNew }: NonNullable<VaultHistoryRecorder['schemeChange']>,
    { txid, category, txn }: Writer,
  ): void {
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

  /** Adds the snapshot of a vault whose collateral is put up for auction or returned. */
  addSnapshot(vaultId: Hash256, snapshot: VaultSnapshot): void {
    this.#writes.push((view) => view.put(vaultSnapshots, { vaultId, height: this.height }, snapshot));
  }

  write(view: WritableView): void {
    for (const write of this.#writes) write(view);
  }
}
