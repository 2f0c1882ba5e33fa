import { type Codec, fixedBytes, list, mapped, struct, u8, u32, u32be, u64, varBytes } from '../../primitives/codec.js';
import type { AnyColumn, Column, StateView } from '../../storage/view.js';
import { decodeNumber, encodeInteger } from '../evm/numbers.js';

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

/** What the block that is being executed did in the EVM so far. */
export interface EvmDraft {
  /** Hashes of transactions, in order. */
  readonly transactions: readonly Uint8Array[];
  /** Addresses that they changed, in order and maybe more than once. */
  readonly touched: readonly Uint8Array[];
}

export const evmDrafts: Column<number, EvmDraft> = {
  name: 'dfi/evm-draft',
  key: u8,
  value: struct<EvmDraft>({ transactions: list(evmHash), touched: list(address) }),
};

export const evmColumns: readonly AnyColumn[] = [evmAccounts, evmTokens, evmTips, evmDrafts];

/** Undefined before the first block of the EVM. */
export function evmTip(view: StateView): EvmTip | undefined {
  return view.get(evmTips, EVM_KEY);
}

/** Nothing between blocks. */
export function evmDraft(view: StateView): EvmDraft {
  return view.get(evmDrafts, EVM_KEY) ?? { transactions: [], touched: [] };
}
