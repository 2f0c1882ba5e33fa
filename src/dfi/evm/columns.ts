import { decodeNumber, encodeInteger } from '../../evm/words.js';
import { bool, type Codec, fixedBytes, mapped, struct, u8, u32, u32be, u64, varBytes } from '../../primitives/codec.js';
import type { AnyColumn, Column, StateView } from '../../storage/view.js';

/** EVM address: 20 bytes in display order. */
const address: Codec<Uint8Array> = fixedBytes(20);
/** EVM hash: 32 bytes in display order. */
const evmHash: Codec<Uint8Array> = fixedBytes(32);
const bigNumber: Codec<bigint> = mapped(varBytes, decodeNumber, encodeInteger);

/** Nonce and DFI balance of an EVM account. */
export interface EvmAccount {
  /** Number of transactions signed by the account, which is the next one's nonce. */
  readonly nonce: bigint;
  readonly wei: bigint;
}

/** EVM accounts that any transaction has touched. */
export const evmAccounts: Column<Uint8Array, EvmAccount> = {
  name: 'dfi/evm-account',
  key: address,
  value: struct<EvmAccount>({ nonce: u64, wei: bigNumber }),
};

/** A token of an EVM account, whose address has 20 bytes. */
export interface EvmTokenKey {
  readonly address: Uint8Array;
  readonly tokenId: number;
}

/** Token balances of EVM accounts, with 18 decimals; never 0. The block hash covers those of an account in the order of the keys. */
export const evmTokens: Column<EvmTokenKey, bigint> = {
  name: 'dfi/evm-token',
  key: struct<EvmTokenKey>({ address, tokenId: u32be }),
  value: bigNumber,
};

/** Latest EVM block. */
export interface EvmTip {
  readonly number: number;
  readonly hash: Uint8Array;
  /** Rolling hash over the states of all accounts touched up to this block; takes the place of a state root. */
  readonly state: Uint8Array;
}

/** Key of columns with a single entry. */
export const EVM_KEY = 0;

/** Latest EVM block, under {@link EVM_KEY}. */
export const evmTips: Column<number, EvmTip> = {
  name: 'dfi/evm-tip',
  key: u8,
  value: struct<EvmTip>({ number: u32, hash: evmHash, state: evmHash }),
};

/** Number of EVM transactions so far in the block being executed. Empty between blocks, like the next two columns. */
export const evmCounts: Column<number, number> = { name: 'dfi/evm-count', key: u8, value: u32 };

/** Hashes of those transactions, by index in the EVM block. */
export const evmTransactions: Column<number, Uint8Array> = { name: 'dfi/evm-transaction', key: u32be, value: evmHash };

/** Addresses that those transactions changed. The block hash covers them in the order of the keys. */
export const evmTouched: Column<Uint8Array, boolean> = { name: 'dfi/evm-touched', key: address, value: bool };

/** Columns of the EVM ledger. */
export const evmColumns: readonly AnyColumn[] = [evmAccounts, evmTokens, evmTips, evmCounts, evmTransactions, evmTouched];

/** Latest EVM block; undefined before the first. */
export function evmTip(view: StateView): EvmTip | undefined {
  return view.get(evmTips, EVM_KEY);
}
