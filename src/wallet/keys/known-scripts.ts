import { COMPRESSED_KEY_SIZE } from '../../crypto/ecdsa.js';
import { hash160 } from '../../crypto/hash.js';
import { scriptOf } from '../../script/address.js';
import { fromHex, toHex } from '../../util/bytes.js';
import { scriptsAround } from './key-scripts.js';

/** Redeem and witness scripts that a wallet knows: those that were added, and the witness programs that its keys imply. Ids are hex. */
export class KnownScripts {
  /** By HASH160. */
  readonly #added = new Map<string, Uint8Array>();
  /** Ids of keys by the HASH160 of their witness programs. */
  readonly #programs = new Map<string, string>();
  /** Added scripts by the ids of the keys that they pay. */
  readonly #byKey = new Map<string, Uint8Array[]>();

  hasAdded(id: string): boolean {
    return this.#added.has(id);
  }

  script(id: string): Uint8Array | undefined {
    const keyId = this.#programs.get(id);
    return this.#added.get(id) ?? (keyId === undefined ? undefined : programOf(keyId));
  }

  /** Scripts that were added, without the programs of keys. */
  added(): Iterable<Uint8Array> {
    return this.#added.values();
  }

  /** All scripts with their ids. */
  *all(): Iterable<readonly [string, Uint8Array]> {
    yield* this.#added;
    for (const [id, keyId] of this.#programs) if (!this.#added.has(id)) yield [id, programOf(keyId)];
  }

  /** @param keyIds keys that the script pays @returns id of the script */
  add(script: Uint8Array, keyIds: readonly Uint8Array[]): string {
    const id = toHex(hash160(script));
    this.#added.set(id, script);
    for (const keyId of keyIds) {
      const known = this.#byKey.get(toHex(keyId));
      if (known) known.push(script);
      else this.#byKey.set(toHex(keyId), [script]);
    }
    return id;
  }

  /** Adds the witness program of a compressed key. @returns its id; undefined for other keys */
  addProgramOf(publicKey: Uint8Array, keyId: string): string | undefined {
    if (publicKey.length !== COMPRESSED_KEY_SIZE) return undefined;
    const id = toHex(hash160(programOf(keyId)));
    this.#programs.set(id, keyId);
    return id;
  }

  /** Output scripts that contain an added script which pays a key. */
  withKey(keyId: string): Uint8Array[] {
    return (this.#byKey.get(keyId) ?? []).flatMap(scriptsAround);
  }

  /** Adopts the programs of keys that are adopted. @returns their ids */
  adoptPrograms(fresh: KnownScripts): Iterable<string> {
    for (const [id, keyId] of fresh.#programs) this.#programs.set(id, keyId);
    return fresh.#programs.keys();
  }
}

/** Witness program of the compressed key with this id. */
function programOf(keyId: string): Uint8Array {
  return scriptOf({ type: 'wpkh', hash: fromHex(keyId) });
}
