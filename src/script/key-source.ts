import { COMPRESSED_KEY_SIZE, compressed, publicKeyOf, uncompressed } from '../crypto/ecdsa.js';
import { hash160, sha256 } from '../crypto/hash.js';
import type { PrivateKey } from '../crypto/keys.js';
import { toHex } from '../util/bytes.js';
import { scriptOf } from './address.js';
import { erc55Script, evmAddressOf } from './erc55.js';
import type { ScriptKnowledge } from './infer.js';
import { MAX_PUSH_SIZE } from './script.js';
import { type ClassifyOptions, classify } from './standard.js';

/** Keys and scripts for signing, passed with a call or of a wallet. Ids are HASH160, 20 bytes. */
export interface KeySource extends ScriptKnowledge {
  privateKey(keyId: Uint8Array): PrivateKey | undefined;
  /** True for output scripts of impersonated owners, whose outputs are spent without a signature. By default there are none. */
  impersonates?(scriptPubKey: Uint8Array): boolean;
}

/** Empty source, to complete inputs from the collected signature data alone. */
export const NO_KEYS: KeySource = {
  publicKey: () => undefined,
  origin: () => undefined,
  script: () => undefined,
  privateKey: () => undefined,
};

const NO_EVM_KEYS: KeySource = { ...NO_KEYS, metachain: true };

/** {@link NO_KEYS}. @param options.metachain outputs to EVM addresses have a form of their own */
export function noKeys({ metachain = false }: ClassifyOptions): KeySource {
  return metachain ? NO_EVM_KEYS : NO_KEYS;
}

/** Key source with scripts and public keys only. */
export function withoutSecrets(knowledge: ScriptKnowledge): KeySource {
  return {
    metachain: knowledge.metachain === true,
    publicKeyOfEvm: (address) => knowledge.publicKeyOfEvm?.(address),
    publicKey: (keyId) => knowledge.publicKey(keyId),
    origin: (publicKey) => knowledge.origin(publicKey),
    script: (scriptId) => knowledge.script(scriptId),
    privateKey: () => undefined,
  };
}

/** Keys and scripts in memory. */
export class KeyStore implements KeySource {
  readonly #keys = new Map<string, { readonly publicKey: Uint8Array; readonly privateKey: PrivateKey }>();
  readonly #scripts = new Map<string, Uint8Array>();
  /** Public keys by EVM address, in hex. */
  readonly #byEvmAddress = new Map<string, Uint8Array>();

  /** @param metachain a key counts under the ids of both its forms and under its EVM address, as in `defid` from 4.0 on */
  constructor(readonly metachain = false) {}

  /** Adds a key; for the compressed form also the redeem script of its P2SH-P2WPKH address. */
  addKey(privateKey: PrivateKey): void {
    const publicKey = publicKeyOf(privateKey.secret, privateKey.compressed);
    if (this.metachain) this.#addEvmAddress(publicKey);
    for (const form of this.metachain ? [compressed(publicKey), uncompressed(publicKey)] : [publicKey]) {
      if (!form) continue;
      const keyId = hash160(form);
      // The public key stays as it was given, so a signature for P2PKH of the other form is not valid.
      this.#keys.set(toHex(keyId), { publicKey, privateKey });
      if (form.length === COMPRESSED_KEY_SIZE) this.#add(scriptOf({ type: 'wpkh', hash: keyId }));
    }
  }

  #addEvmAddress(publicKey: Uint8Array): void {
    const address = evmAddressOf(publicKey);
    if (!address) return;
    this.#byEvmAddress.set(toHex(address), publicKey);
    this.#add(erc55Script(address));
  }

  /** Adds a script, and its witness program as redeem script of P2SH around a witness. */
  addScript(script: Uint8Array): void {
    this.#add(script);
    this.#add(witnessFormOf(script));
  }

  #add(script: Uint8Array): void {
    // The key store of `defid` rejects scripts that cannot be pushed.
    if (script.length <= MAX_PUSH_SIZE) this.#scripts.set(toHex(hash160(script)), script);
  }

  publicKeyOfEvm(address: Uint8Array): Uint8Array | undefined {
    return this.#byEvmAddress.get(toHex(address));
  }

  publicKey(keyId: Uint8Array): Uint8Array | undefined {
    return this.#keys.get(toHex(keyId))?.publicKey;
  }

  privateKey(keyId: Uint8Array): PrivateKey | undefined {
    return this.#keys.get(toHex(keyId))?.privateKey;
  }

  origin(): undefined {
    return undefined;
  }

  script(scriptId: Uint8Array): Uint8Array | undefined {
    return this.#scripts.get(toHex(scriptId));
  }
}

/** Witness program equivalent to a script. */
function witnessFormOf(script: Uint8Array): Uint8Array {
  const { type, solutions } = classify(script);
  const [first] = solutions;
  if (first && type === 'pubkey') return scriptOf({ type: 'wpkh', hash: hash160(first) });
  if (first && type === 'pubkeyhash') return scriptOf({ type: 'wpkh', hash: first });
  return scriptOf({ type: 'wsh', hash: sha256(script) });
}
