import { keccak_256 } from '@noble/hashes/sha3.js';
import type { IHasher } from 'hash-wasm';

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

/** Loads the fast implementation. */
export function useFastKeccak(): Promise<void> {
  loading ??= load().catch(() => undefined);
  return loading;
}

async function load(): Promise<void> {
  const { createKeccak } = await import('hash-wasm');
  fast = await createKeccak(256);
}
