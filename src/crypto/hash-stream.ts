import { createHash, type Hash } from 'node:crypto';
import { sha256 } from './hash.js';

/** SHA-256 twice over bytes that come in pieces. */
export class Sha256d {
  readonly #hash: Hash = createHash('sha256');

  update(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }

  /** 32 bytes; to be asked for once. */
  digest(): Uint8Array {
    return sha256(this.#hash.digest());
  }
}
