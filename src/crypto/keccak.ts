import { keccak_256 } from '@noble/hashes/sha3.js';
import type { IHasher } from 'hash-wasm';
import type { Steps } from '../util/slicer.js';

let fast: IHasher | undefined;
let loading: Promise<void> | undefined;

/**
 * Keccak-256 as Ethereum uses it, which is not SHA3-256. The first use loads an implementation as WebAssembly, some seven times as
 * fast; until it is there, and where it cannot be loaded, JavaScript computes.
 * @returns 32 bytes
 */
export function keccak256(bytes: Uint8Array): Uint8Array {
  if (fast) return fast.init().update(bytes).digest('binary');
  void useFastKeccak();
  return keccak_256(bytes);
}

/** Bytes hashed per slice, in a fraction of a millisecond. */
const BYTES_AT_ONCE = 1 << 16;

/** Keccak-256 in slices, for megabytes. @returns 32 bytes */
export function* longKeccak256(bytes: Uint8Array): Steps<Uint8Array> {
  if (bytes.length <= BYTES_AT_ONCE) return keccak256(bytes);
  const hash = fast ? new SharedHash(fast) : keccak_256.create();
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) {
    hash.update(bytes.subarray(at, at + BYTES_AT_ONCE));
    yield;
  }
  return hash.digest();
}

/** A hash on an implementation that computes others in between. */
class SharedHash {
  #state: Uint8Array;

  constructor(private readonly hasher: IHasher) {
    this.#state = hasher.init().save();
  }

  update(bytes: Uint8Array): void {
    this.#state = this.hasher.load(this.#state).update(bytes).save();
  }

  digest(): Uint8Array {
    return this.hasher.load(this.#state).digest('binary');
  }
}

/** Loads the fast implementation. */
export function useFastKeccak(): Promise<void> {
  loading ??= load().catch(() => undefined);
  return loading;
}

async function load(): Promise<void> {
  const { createKeccak } = await import('hash-wasm');
  fast = await createKeccak(256);
}
