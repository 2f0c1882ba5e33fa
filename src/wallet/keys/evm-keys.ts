import { uncompressed } from '../../crypto/ecdsa.js';
import { hash160 } from '../../crypto/hash.js';
import { evmAddressOf } from '../../script/erc55.js';
import { toHex } from '../../util/bytes.js';

/** Public keys by what the EVM side names them by, which cannot be computed from a key id. */
export class EvmKeys {
  /** By EVM address, in hex. */
  readonly #byAddress = new Map<string, Uint8Array>();
  /** By the id of their uncompressed form, in hex. */
  readonly #byLongForm = new Map<string, Uint8Array>();
  /** Ids of the keys that are in the two maps above. */
  readonly #indexed = new Set<string>();

  /** Adds a key, unless it was added before. @param id key id, in hex */
  add(id: string, publicKey: Uint8Array): void {
    if (this.#indexed.has(id)) return;
    this.#indexed.add(id);
    const address = evmAddressOf(publicKey);
    if (address) this.#byAddress.set(toHex(address), publicKey);
    const long = uncompressed(publicKey);
    if (long) this.#byLongForm.set(toHex(hash160(long)), publicKey);
  }

  withAddress(address: Uint8Array): Uint8Array | undefined {
    return this.#byAddress.get(toHex(address));
  }

  withLongForm(keyId: Uint8Array): Uint8Array | undefined {
    return this.#byLongForm.get(toHex(keyId));
  }
}
