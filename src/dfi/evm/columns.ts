import { bool, type Codec, fixedBytes, mapped, struct, u8, u32, u32be, u64, varBytes } from '../../primitives/codec.js';
import type { AnyColumn, Column, StateView } from '../../storage/view.js';
import { decodeNumber, encodeInteger } from '../kernel/evm-numbers.js';

/** Address in the EVM: 20 bytes in the order in which they are shown. */
const address: Codec<Uint8Array> = fixedBytes(20);
/** Hash of the EVM: 32 bytes in the order in which they are shown. */
const evmHash: Codec<Uint8Array> = fixedBytes(32);
const bigNumber: Codec<bigint> = mapped(varBytes, decodeNumber, encodeInteger);

export interface EvmAccount {
  /** Transactions that it has signed. */
  readonly nonce: bigint;
  readonly wei: bigint;
}

/** Accounts of the EVM that were ever touched. */
export const evmAccounts: Column<Uint8Array, EvmAccount> = {
  name: 'dfi/evm-account',
  key: address,
  value: struct<EvmAccount>({ nonce: u64, wei: bigNumber }),
};

export interface EvmTokenKey {
  readonly address: Uint8Array;
  readonly tokenId: number;
}

/** What accounts of the EVM hold of tokens, with 18 decimals; never 0. The hash of a block reads those of an account in this order. */
export const evmTokens: Column<EvmTokenKey, bigint> = {
  name: 'dfi/evm-token',
  key: struct<EvmTokenKey>({ address, tokenId: u32be }),
  value: bigNumber,
};

/** The last block of the EVM. */
export interface EvmTip {
  readonly number: number;
  readonly hash: Uint8Array;
  /** What stands for all accounts as they are after it. */
  readonly state: Uint8Array;
}

/** The one key of what there is once. */
export const EVM_KEY = 0;

export const evmTips: Column<number, EvmTip> = {
  name: 'dfi/evm-tip',
  key: u8,
  value: struct<EvmTip>({ number: u32, hash: evmHash, state: evmHash }),
};

/** How many transactions of the EVM the block that is being executed has so far. Absent between blocks, like the next two. */
export const evmCounts: Column<number, number> = { name: 'dfi/evm-count', key: u8, value: u32 };

/** Their hashes, by their place in the block. */
export const evmTransactions: Column<number, Uint8Array> = { name: 'dfi/evm-transaction', key: u32be, value: evmHash };

/** Addresses that they changed. The hash of a block reads them in this order. */
export const evmTouched: Column<Uint8Array, boolean> = { name: 'dfi/evm-touched', key: address, value: bool };

export const evmColumns: readonly AnyColumn[] = [evmAccounts, evmTokens, evmTips, evmCounts, evmTransactions, evmTouched];

/** Undefined before the first block of the EVM. */
export function evmTip(view: StateView): EvmTip | undefined {
  return view.get(evmTips, EVM_KEY);
}
