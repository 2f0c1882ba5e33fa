import { concatBytes, equalBytes } from '../util/bytes.js';
import { decodeBase58Check, encodeBase58Check } from './base58.js';
import { addToPublicKey, addToSecretKey, COMPRESSED_KEY_SIZE, isPublicKey, isSecretKey, publicKeyOf } from './ecdsa.js';
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

const FINGERPRINT_SIZE = 4;
const SECRET_SIZE = 32;
/** Byte in front of a secret, which is as long as a public key with it. */
const SECRET_PREFIX = 0;
/** Offsets in the 78 bytes of an extended key: version, depth, parent's fingerprint, index, chain code, key. */
const AT = { depth: 4, parent: 5, index: 9, chainCode: 13, key: 45, end: 78 };
const MAX_DEPTH = 255;
/** Maximum Base58 digits of 78 bytes and checksum; the time of decoding grows with the square. */
const MAX_DIGITS = 112;
/** HMAC key of master keys (BIP32). */
const SEED_KEY = Buffer.from('Bitcoin seed');
const NO_PARENT = new Uint8Array(FINGERPRINT_SIZE);

/** Extended key, with or without private key (BIP32). The curve arithmetic is that of the backend for signatures. */
export class ExtendedKey {
  #fingerprint: Uint8Array | undefined;

  private constructor(
    private readonly fields: Fields,
    private readonly prefixes: ExtendedKeyPrefixes,
  ) {}

  /** Master key of a seed. @param seed 16 to 64 bytes @throws {RangeError} for the one seed in 2^127 that has no key */
  static fromSeed(seed: Uint8Array, prefixes: ExtendedKeyPrefixes): ExtendedKey {
    const mixed = hmacSha512(SEED_KEY, seed);
    const secret = Uint8Array.from(mixed.subarray(0, SECRET_SIZE));
    if (!isSecretKey(secret)) throw new RangeError('no key belongs to this seed');
    const chainCode = Uint8Array.from(mixed.subarray(SECRET_SIZE));
    mixed.fill(0);
    const fields = { publicKey: publicKeyOf(secret), secret, chainCode, depth: 0, index: 0, parent: NO_PARENT };
    return new ExtendedKey(fields, prefixes);
  }

  /** Parses Base58 text. @returns undefined if it is malformed, of another network, or not a valid key */
  static parse(text: string, prefixes: ExtendedKeyPrefixes): ExtendedKey | undefined {
    if (text.length > MAX_DIGITS || /\s/.test(text)) return undefined;
    const bytes = decodeBase58Check(text);
    if (bytes?.length !== AT.end) return undefined;
    const isSecret = bytes[AT.key] === SECRET_PREFIX;
    if (!equalBytes(bytes.subarray(0, AT.depth), isSecret ? prefixes.extSecretKey : prefixes.extPublicKey)) return undefined;
    const keys = isSecret ? keysOfSecret(bytes.slice(AT.key + 1)) : keysOfPublicKey(bytes.slice(AT.key));
    const depth = bytes[AT.depth] as number;
    // A master key has no parent and no index.
    if (!keys || (depth === 0 && bytes.subarray(AT.parent, AT.chainCode).some((byte) => byte !== 0))) return undefined;
    const index = new DataView(bytes.buffer, bytes.byteOffset).getUint32(AT.index);
    const fields = { ...keys, depth, index, parent: bytes.slice(AT.parent, AT.index), chainCode: bytes.slice(AT.chainCode, AT.key) };
    return new ExtendedKey(fields, prefixes);
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
    return this.#text(this.prefixes.extPublicKey, this.publicKey);
  }

  /** Base58 text of the private extended key; undefined if there is none. */
  get privateText(): string | undefined {
    const { secret } = this.fields;
    return secret && this.#text(this.prefixes.extSecretKey, concatBytes(Uint8Array.of(SECRET_PREFIX), secret));
  }

  #text(version: Uint8Array, key: Uint8Array): string {
    const { depth, parent, index, chainCode } = this.fields;
    return encodeBase58Check(concatBytes(version, Uint8Array.of(depth), parent, bigEndian(index), chainCode, key));
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
    return new ExtendedKey(fields, this.prefixes);
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

function keysOfSecret(secret: Uint8Array): Pick<Fields, 'publicKey' | 'secret'> | undefined {
  return isSecretKey(secret) ? { publicKey: publicKeyOf(secret), secret } : undefined;
}

function keysOfPublicKey(publicKey: Uint8Array): Pick<Fields, 'publicKey' | 'secret'> | undefined {
  return publicKey.length === COMPRESSED_KEY_SIZE && isPublicKey(publicKey) ? { publicKey, secret: undefined } : undefined;
}

function bigEndian(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}
