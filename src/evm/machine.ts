import type { Frame } from './frame.js';
import type { ChildRequest } from './requests.js';
import type { TransactionState } from './state/transaction-state.js';

/** Block and transaction that contracts see. Addresses and hashes are numbers. @see docs/protocol/evm-engine.md 2.7 */
export interface Environment {
  readonly number: bigint;
  /** Seconds. */
  readonly timestamp: bigint;
  readonly coinbase: bigint;
  readonly gasLimit: bigint;
  readonly baseFee: bigint;
  /** Compact target of the DVM block. */
  readonly difficulty: bigint;
  readonly chainId: bigint;
  /** Effective price, wei. */
  readonly gasPrice: bigint;
  readonly origin: bigint;
  /** Hash of an EVM block of the best chain; 0 if there is none. */
  blockHash(number: bigint): bigint;
}

/** State and accounts of a call of a precompiled contract. */
export interface PrecompileCall {
  readonly state: TransactionState;
  readonly caller: bigint;
  /** Account in whose name it runs; its own unless it was called by CALLCODE or DELEGATECALL. */
  readonly address: bigint;
}

/** A contract that is part of the node. */
export interface Precompile {
  /** Gas for an input. @throws {Failure} if the input is refused before it is charged */
  cost(input: Uint8Array): number;
  /** True if `defid` compares the gas with the cost before it charges, so that no trace shows a charge that fails. */
  readonly comparesFirst?: boolean;
  /** @returns the output @throws {Failure} */
  run(input: Uint8Array, call: PrecompileCall): Uint8Array;
}

/** Everything an opcode works on. */
export interface Machine {
  readonly state: TransactionState;
  readonly environment: Environment;
  /** Requested by the opcode that has just run; entered before the next one. */
  child: ChildRequest | undefined;
}

/** Effect of an opcode after its static cost was charged and its operands were counted. @throws {Failure} */
export type Execute = (frame: Frame, machine: Machine) => void;

/** An opcode. */
export interface Instruction {
  readonly name: string;
  /** Static cost; the rest is charged by `execute`. */
  readonly cost: number;
  /** Operands that must be on the stack. */
  readonly operands: number;
  /** Entries of the stack afterwards, minus those before. */
  readonly growth: number;
  readonly execute: Execute;
}
