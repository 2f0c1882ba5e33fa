import { HDKey } from '@scure/bip32';
import { concatBytes, toHex } from '../util/bytes.js';
import { addToPublicKey, addToSecretKey, isSecretKey, publicKeyOf } from './ecdsa.js';
import { hash160, hmacSha512 } from './hash.js';
import { HARDENED } from './key-path.js';
import type { PrivateKey } from './keys.js';

/** Version bytes of serialised extended keys, 4 each; `NetworkParams.address` is one. */
export interface ExtendedKeyPrefixes {
  readonly extPublicKey: Uint8Array;
  readonly extSecretKey: Uint8Array;
}

interface Fields {
  /** 33 bytes. */
  readonly publicKey: Uint8Array;
  readonly secret: Uint8Array | undefined;
  readonly chainCode: Uint8Array;
  /** Steps from the master key. */
  readonly depth: number;
  /** Index of the last step. */
  readonly index: number;
  /** Fingerprint of the parent key, 4 bytes, as in the serialisation. */
  readonly parent: Uint8Array;
}

type Versions = NonNullable<ConstructorParameters<typeof HDKey>[0]['versions']>;

const FINGERPRINT_SIZE = 4;
const SECRET_SIZE = 32;
const MAX_DEPTH = 255;
/** Maximum Base58 digits of 78 bytes and checksum; the time of decoding grows with the square. */
const MAX_DIGITS = 112;
/** HMAC key of master keys (BIP32). */
const SEED_KEY = Buffer.from('Bitcoin seed');
const NO_PARENT = new Uint8Array(FINGERPRINT_SIZE);

/**
 * Extended key, with or without private key (BIP32). The library handles text; derivation is done here with the backend for
 * signatures, because the range of a descriptor needs thousands of steps.
 */
export class ExtendedKey {
  #fingerprint: Uint8Array | undefined;

  private constructor(
    private readonly fields: Fields,
    private readonly versions: Versions,
  ) {}

  /** Master key of a seed. @param seed 16 to 64 bytes @throws {RangeError} for the one seed in 2^127 that has no key */
  static fromSeed(seed: Uint8Array, prefixes: ExtendedKeyPrefixes): ExtendedKey {
    const mixed = hmacSha512(SEED_KEY, seed);
    const secret = Uint8Array.from(mixed.subarray(0, SECRET_SIZE));
    if (!isSecretKey(secret)) throw new RangeError('no key belongs to this seed');
    const chainCode = Uint8Array.from(mixed.subarray(SECRET_SIZE));
    mixed.fill(0);
    const fields = { publicKey: publicKeyOf(secret), secret, chainCode, depth: 0, index: 0, parent: NO_PARENT };
    return new ExtendedKey(fields, versionsOf(prefixes));
  }

  /** Parses Base58 text. @returns undefined if it is malformed, of another network, or not a valid key */
  static parse(text: string, prefixes: ExtendedKeyPrefixes): ExtendedKey | undefined {
    if (text.length > MAX_DIGITS) return undefined;
    const versions = versionsOf(prefixes);
    try {
      return new ExtendedKey(fieldsOf(HDKey.fromExtendedKey(text, versions)), versions);
    } catch {
      return undefined;
    }
  }

  /** 33 bytes. */
  get publicKey(): Uint8Array {
    return this.fields.publicKey;
  }

  get privateKey(): PrivateKey | undefined {
    const { secret } = this.fields;
    return secret && { secret, compressed: true };
  }

  /** First 4 bytes of the HASH160 of the public key, as used in key origins. */
  get fingerprint(): Uint8Array {
    this.#fingerprint ??= hash160(this.publicKey).subarray(0, FINGERPRINT_SIZE);
    return this.#fingerprint;
  }

  /** Base58 text of the public extended key. */
  get publicText(): string {
    return this.#library.publicExtendedKey;
  }

  /** Base58 text of the private extended key; undefined if there is none. */
  get privateText(): string | undefined {
    return this.fields.secret && this.#library.privateExtendedKey;
  }

  get #library(): HDKey {
    const { publicKey, secret, chainCode, depth, index, parent } = this.fields;
    const key = secret ? { privateKey: secret } : { publicKey };
    return new HDKey({ ...key, versions: this.versions, chainCode, depth, index, parentFingerprint: toUint32(parent) });
  }

  /**
   * @returns undefined for a hardened step without the secret, beyond 255 steps from the master, and for the one index in 2^127
   * that has no key
   */
  derive(path: readonly number[]): ExtendedKey | undefined {
    return path.reduce<ExtendedKey | undefined>((key, step) => {
      const child = key?.child(step);
      if (key !== this) key?.wipe();
      return child;
    }, this);
  }

  /** Overwrites the secret and the chain code, after which the key is unusable. Copies made by the engine are not erased. */
  wipe(): void {
    this.fields.secret?.fill(0);
    this.fields.chainCode.fill(0);
  }

  private child(index: number): ExtendedKey | undefined {
    const { publicKey, secret, chainCode, depth } = this.fields;
    if (depth === MAX_DEPTH || (index >= HARDENED && !secret)) return undefined;
    const hashed =
      index >= HARDENED && secret ? concatBytes(Uint8Array.of(0), secret, bigEndian(index)) : concatBytes(publicKey, bigEndian(index));
    const mixed = hmacSha512(chainCode, hashed);
    const scalar = mixed.subarray(0, SECRET_SIZE);
    const keys = childKeys(publicKey, secret, scalar);
    scalar.fill(0);
    hashed.fill(0);
    if (!keys) return undefined;
    const fields = { ...keys, chainCode: mixed.subarray(SECRET_SIZE), depth: depth + 1, index, parent: this.fingerprint };
    return new ExtendedKey(fields, this.versions);
  }
}

function childKeys(
  publicKey: Uint8Array,
  secret: Uint8Array | undefined,
  scalar: Uint8Array,
): Pick<Fields, 'publicKey' | 'secret'> | undefined {
  if (!secret) {
    const child = addToPublicKey(publicKey, scalar);
    return child && { publicKey: child, secret: undefined };
  }
  const child = addToSecretKey(secret, scalar);
  return child && { publicKey: publicKeyOf(child), secret: child };
}

function fieldsOf(key: HDKey): Fields {
  const { publicKey, privateKey, chainCode, depth, index, parentFingerprint } = key;
  if (!publicKey || !chainCode) throw new TypeError('an extended key has a public key and a chain code');
  return { publicKey, secret: privateKey ?? undefined, chainCode, depth, index, parent: bigEndian(parentFingerprint) };
}

function versionsOf({ extPublicKey, extSecretKey }: ExtendedKeyPrefixes): Versions {
  return { public: toUint32(extPublicKey), private: toUint32(extSecretKey) };
}

function toUint32(bytes: Uint8Array): number {
  return Number(`0x${toHex(bytes)}`);
}

function bigEndian(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}
