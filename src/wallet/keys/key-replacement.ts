import { decode } from '../../primitives/codec.js';
import type { RawChange } from '../../storage/view.js';
import { equalBytes } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import type { SealedMasterKey, StoredKey } from '../store/records.js';
import * as records from '../store/records.js';
import type { Replacement } from '../store/replacement.js';
import { openMasterKey, seal, unseal } from '../store/seal.js';
import { WalletFlag } from './flags.js';
import type { FreshSeed } from './key-chain.js';
import type { KeyPool } from './key-pool.js';
import { keyIdHex } from './key-scripts.js';
import type { Keys } from './keys.js';

/** A change of all keys of a wallet at once. */
export interface KeyChange {
  /** Seals all keys of the new file; undefined if the wallet stays unencrypted. The caller wipes it. */
  readonly masterKey: Uint8Array | undefined;
  /** New or first passphrase of the master key; undefined keeps the present one. */
  readonly passphrase: { readonly text: string; readonly record: SealedMasterKey } | undefined;
  /** New seed; undefined keeps the present one. */
  readonly fresh: FreshSeed | undefined;
}

export interface KeyReplacementParts {
  readonly keys: Keys;
  readonly keyPool: KeyPool;
  /** Writes pending changes; they are on disk when it returns. */
  readonly commit: () => void;
}

/**
 * Rows of a wallet file in which all keys change at once. Every key that is read back from the new file is compared with the one in
 * memory. Memory changes only when the new file has been renamed to the wallet's file.
 */
export class KeyReplacement implements Replacement {
  readonly added: readonly RawChange[];
  readonly #change: KeyChange;
  readonly #parts: KeyReplacementParts;
  readonly #sealed = new Map<string, StoredKey>();
  /** Unencrypted secrets, to be wiped when their sealed forms are on disk. */
  readonly #plain: Uint8Array[] = [];
  /** Ids of the keys that were read back and compared. */
  readonly #checked = new Set<string>();
  #recordRead: SealedMasterKey | undefined;

  constructor(change: KeyChange, parts: KeyReplacementParts) {
    this.#change = change;
    this.#parts = parts;
    const { passphrase, fresh } = change;
    const record = passphrase ? [records.put(records.masterKeys, records.ONLY, passphrase.record)] : [];
    // Written together with the sealed keys: after an unclean shutdown the leftovers are removed when the wallet is loaded.
    const leftovers = parts.keys.isEncrypted ? [] : [records.put(records.leftovers, records.ONLY, true)];
    this.added = [...record, ...(passphrase ? leftovers : []), ...(fresh?.rows ?? [])];
  }

  map(row: RawChange): RawChange | undefined {
    if (row.value === undefined) return row;
    const { passphrase, fresh } = this.#change;
    switch (row.column) {
      case records.keys.name:
        return this.#mapKey(row, row.value);
      case records.masterKeys.name:
        return passphrase ? undefined : row;
      case records.hdChain.name:
        return fresh ? undefined : row;
      case records.pool.name:
        return fresh?.pool ? undefined : row;
      case records.flags.name:
        return fresh ? records.put(records.flags, records.ONLY, decode(records.flags.value, row.value) & ~WalletFlag.blank) : row;
      default:
        return row;
    }
  }

  #mapKey(row: RawChange, value: Uint8Array): RawChange {
    const { masterKey } = this.#change;
    const stored = decode(records.keys.value, value);
    if (stored.isSealed || !masterKey) return row;
    const sealed = { secret: seal(stored.secret, masterKey, row.key), isSealed: true };
    this.#plain.push(stored.secret);
    this.#sealed.set(keyIdHex(row.key), sealed);
    return records.put(records.keys, row.key, sealed);
  }

  check(rows: readonly RawChange[]): void {
    for (const { column, key, value } of rows) {
      if (value === undefined) continue;
      if (column === records.keys.name) this.#checkKey(key, decode(records.keys.value, value));
      if (column === records.masterKeys.name) this.#recordRead = decode(records.masterKeys.value, value);
    }
  }

  #checkKey(publicKey: Uint8Array, { secret, isSealed }: StoredKey): void {
    const { masterKey, fresh } = this.#change;
    const opened = isSealed && masterKey ? unseal(secret, masterKey, publicKey) : undefined;
    const expected = fresh?.keys.secretOf(publicKey, masterKey) ?? this.#parts.keys.secretOf(publicKey, masterKey);
    const found = isSealed === (masterKey !== undefined) ? (opened ?? secret) : undefined;
    const fits = found !== undefined && expected !== undefined && equalBytes(found, expected);
    opened?.fill(0);
    expected?.fill(0);
    if (!fits) throw new NodeError('wallet', 'Error: a private key could not be read back as it was written; nothing was changed');
    this.#checked.add(keyIdHex(publicKey));
  }

  async checked(): Promise<void> {
    const { passphrase, masterKey } = this.#change;
    if (!passphrase) return;
    const opened = this.#recordRead && (await openMasterKey(this.#recordRead, passphrase.text));
    const fits = opened !== undefined && masterKey !== undefined && equalBytes(opened, masterKey);
    opened?.fill(0);
    if (!fits) throw new NodeError('wallet', 'Error: the new passphrase does not open what was written; nothing was changed');
  }

  flush(): void {
    this.#parts.commit();
  }

  complete(): void {
    const count = this.#parts.keys.size + (this.#change.fresh?.keys.size ?? 0);
    if (this.#checked.size === count) return;
    throw new NodeError('wallet', `Error: ${this.#checked.size} of ${count} private keys were written; nothing was changed`);
  }

  swapped(): void {
    const { keys, keyPool } = this.#parts;
    const { passphrase, fresh } = this.#change;
    if (passphrase) keys.adoptSealed(passphrase.record, this.#sealed);
    for (const secret of this.#plain) secret.fill(0);
    if (fresh) keys.adopt(fresh.keys, fresh.scripts);
    if (fresh?.pool) keyPool.replaceBy(fresh.pool);
  }
}
