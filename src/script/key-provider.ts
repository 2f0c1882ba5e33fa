import { publicKeyOf } from '../crypto/ecdsa.js';
import { hash160 } from '../crypto/hash.js';
import type { ExtendedKey } from '../crypto/hd.js';
import { formatKeyPath, HARDENED, type KeyOrigin } from '../crypto/key-path.js';
import type { PrivateKey } from '../crypto/keys.js';
import { toHex } from '../util/bytes.js';
import { finish, type Steps } from '../util/slicer.js';

/** Wildcard at the end of a ranged key: none, or an unhardened or hardened step by the index. */
export type Wildcard = 'none' | 'plain' | 'hardened';

/** A key of a descriptor at one index. */
export interface DerivedKey {
  readonly publicKey: Uint8Array;
  readonly origin: KeyOrigin;
  readonly privateKey: PrivateKey | undefined;
}

/** Key expression of a descriptor: one key, or one per index. */
export interface KeyProvider {
  readonly isRange: boolean;
  readonly hasPrivateKey: boolean;
  /** Size of each public key, bytes. */
  readonly size: number;
  /** Text without secrets. */
  format(): string;
  /** Derives the path that all indexes share, which may be hundreds of keys; afterwards `derive` takes a fraction of a millisecond. */
  prepare(): Steps<void>;
  /** @returns undefined if a hardened step lacks the private key */
  derive(index: number): DerivedKey | undefined;
}

const FINGERPRINT_SIZE = 4;

/** A single key. */
export class FixedKey implements KeyProvider {
  readonly isRange = false;

  constructor(
    private readonly publicKey: Uint8Array,
    private readonly privateKey?: PrivateKey,
  ) {}

  static ofPrivateKey(key: PrivateKey): FixedKey {
    return new FixedKey(publicKeyOf(key.secret, key.compressed), key);
  }

  get hasPrivateKey(): boolean {
    return this.privateKey !== undefined;
  }

  get size(): number {
    return this.publicKey.length;
  }

  format(): string {
    return toHex(this.publicKey);
  }

  *prepare(): Steps<void> {}

  derive(): DerivedKey {
    const { publicKey, privateKey } = this;
    const fingerprint = hash160(publicKey).subarray(0, FINGERPRINT_SIZE);
    return { publicKey, privateKey, origin: { fingerprint, path: [] } };
  }
}

/** Keys derived from an extended key: the one at the end of the path, or its children. */
export class ExtendedKeyProvider implements KeyProvider {
  readonly size = 33;
  #parent: { readonly key: ExtendedKey | undefined } | undefined;

  constructor(
    private readonly key: ExtendedKey,
    private readonly path: readonly number[],
    private readonly wildcard: Wildcard,
  ) {}

  get isRange(): boolean {
    return this.wildcard !== 'none';
  }

  get hasPrivateKey(): boolean {
    return this.key.privateKey !== undefined;
  }

  format(): string {
    const tail = { none: '', plain: '/*', hardened: "/*'" }[this.wildcard];
    return this.key.publicText + formatKeyPath(this.path) + tail;
  }

  *prepare(): Steps<void> {
    let key: ExtendedKey | undefined = this.key;
    for (const step of this.path) {
      key = key?.derive([step]);
      yield;
      if (!key) break;
    }
    this.#parent = { key };
  }

  derive(index: number): DerivedKey | undefined {
    const step = { none: [], plain: [index], hardened: [index + HARDENED] }[this.wildcard];
    const child = this.#atPath()?.derive(step);
    if (!child) return undefined;
    const origin = { fingerprint: this.key.fingerprint, path: [...this.path, ...step] };
    return { publicKey: child.publicKey, privateKey: child.privateKey, origin };
  }

  /** Key at the end of the path, which all indexes share. */
  #atPath(): ExtendedKey | undefined {
    if (!this.#parent) finish(this.prepare());
    return this.#parent?.key;
  }
}

/** A key with an explicit origin, which is prepended to its own. */
export class KeyWithOrigin implements KeyProvider {
  constructor(
    private readonly origin: KeyOrigin,
    private readonly inner: KeyProvider,
  ) {}

  get isRange(): boolean {
    return this.inner.isRange;
  }

  get hasPrivateKey(): boolean {
    return this.inner.hasPrivateKey;
  }

  get size(): number {
    return this.inner.size;
  }

  format(): string {
    return `[${toHex(this.origin.fingerprint)}${formatKeyPath(this.origin.path)}]${this.inner.format()}`;
  }

  prepare(): Steps<void> {
    return this.inner.prepare();
  }

  derive(index: number): DerivedKey | undefined {
    const key = this.inner.derive(index);
    if (!key) return undefined;
    const { fingerprint, path } = this.origin;
    return { ...key, origin: { fingerprint, path: [...path, ...key.origin.path] } };
  }
}
