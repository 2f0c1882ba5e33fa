import { HDKey } from '@scure/bip32';
import { toHex } from '../util/bytes.js';
import type { PrivateKey } from './keys.js';

/** Version bytes of extended keys as text, 4 each; `NetworkParams.address` is one. */
export interface ExtendedKeyPrefixes {
  readonly extPublicKey: Uint8Array;
  readonly extSecretKey: Uint8Array;
}

const FINGERPRINT_SIZE = 4;

/** A key that others are derived from, with or without its secret (BIP32). */
export class ExtendedKey {
  private constructor(private readonly key: HDKey) {}

  /** Master key of a seed. @param seed 16 to 64 bytes */
  static fromSeed(seed: Uint8Array, prefixes: ExtendedKeyPrefixes): ExtendedKey {
    return new ExtendedKey(HDKey.fromMasterSeed(seed, versionsOf(prefixes)));
  }

  /** Key of Base58 text. @returns undefined if it is malformed, of another network, or no key of the curve */
  static parse(text: string, prefixes: ExtendedKeyPrefixes): ExtendedKey | undefined {
    try {
      return new ExtendedKey(HDKey.fromExtendedKey(text, versionsOf(prefixes)));
    } catch {
      return undefined;
    }
  }

  /** 33 bytes. */
  get publicKey(): Uint8Array {
    const { publicKey } = this.key;
    if (!publicKey) throw new TypeError('an extended key has a public key');
    return publicKey;
  }

  get privateKey(): PrivateKey | undefined {
    const secret = this.key.privateKey;
    return secret ? { secret, compressed: true } : undefined;
  }

  get hasPrivateKey(): boolean {
    return this.key.privateKey !== null;
  }

  /** 4 bytes by which origins name this key. */
  get fingerprint(): Uint8Array {
    const { identifier } = this.key;
    if (!identifier) throw new TypeError('an extended key has an identifier');
    return identifier.subarray(0, FINGERPRINT_SIZE);
  }

  /** Base58 text of the public half. */
  get publicText(): string {
    return this.key.publicExtendedKey;
  }

  /** Base58 text with the secret; undefined where there is none. */
  get privateText(): string | undefined {
    return this.hasPrivateKey ? this.key.privateExtendedKey : undefined;
  }

  /** @returns undefined for a hardened step without the secret, and beyond 255 steps from the master */
  derive(path: readonly number[]): ExtendedKey | undefined {
    try {
      return new ExtendedKey(path.reduce((key, step) => key.deriveChild(step), this.key));
    } catch {
      return undefined;
    }
  }
}

function versionsOf({ extPublicKey, extSecretKey }: ExtendedKeyPrefixes): { public: number; private: number } {
  return { public: Number(`0x${toHex(extPublicKey)}`), private: Number(`0x${toHex(extSecretKey)}`) };
}
