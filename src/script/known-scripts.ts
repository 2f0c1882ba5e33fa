import { hash160 } from '../crypto/hash.js';
import type { KeyOrigin } from '../crypto/key-path.js';
import { toHex } from '../util/bytes.js';
import type { Expansion } from './descriptor.js';
import type { ScriptKnowledge } from './infer.js';
import type { ClassifyOptions } from './standard.js';

/** Keys and scripts of expanded descriptors. */
export class KnownScripts implements ScriptKnowledge {
  readonly #keys = new Map<string, { readonly publicKey: Uint8Array; readonly origin: KeyOrigin }>();
  readonly #scripts = new Map<string, Uint8Array>();
  readonly metachain: boolean;

  /** @param options.metachain outputs to EVM addresses have a form of their own */
  constructor({ metachain = false }: ClassifyOptions = {}) {
    this.metachain = metachain;
  }

  /** Adds keys and scripts; the first origin of a key wins. */
  add({ keys, subscripts }: Expansion): void {
    for (const { publicKey, origin } of keys) {
      const id = toHex(hash160(publicKey));
      if (!this.#keys.has(id)) this.#keys.set(id, { publicKey, origin });
    }
    for (const script of subscripts) this.#scripts.set(toHex(hash160(script)), script);
  }

  publicKey(keyId: Uint8Array): Uint8Array | undefined {
    return this.#keys.get(toHex(keyId))?.publicKey;
  }

  origin(publicKey: Uint8Array): KeyOrigin | undefined {
    return this.#keys.get(toHex(hash160(publicKey)))?.origin;
  }

  script(scriptId: Uint8Array): Uint8Array | undefined {
    return this.#scripts.get(toHex(scriptId));
  }
}
