import type { Code } from './code.js';

/** Call that an opcode or a transaction asks for. */
export interface ChildCall {
  readonly kind: 'call';
  /** Address whose code runs. */
  readonly codeAddress: bigint;
  readonly address: bigint;
  readonly caller: bigint;
  readonly value: bigint;
  /** True if `value` moves from caller to address. */
  readonly transfers: boolean;
  /** View of the memory of the caller, which does not change before the call has ended. */
  readonly data: Uint8Array;
  readonly isStatic: boolean;
  readonly gas: bigint;
  readonly outputOffset: number;
  readonly outputLength: number;
}

/** Creation that an opcode or a transaction asks for. */
export interface ChildCreation {
  readonly kind: 'create';
  readonly address: bigint;
  readonly value: bigint;
  readonly code: Code;
  readonly gas: bigint;
}

/** Hash of so many bytes that it may be computed elsewhere. */
export interface ChildHash {
  readonly kind: 'hash';
  readonly data: Uint8Array;
}

/** Anything that an opcode leaves to the interpreter. */
export type ChildRequest = ChildCall | ChildCreation | ChildHash;
