import type { EvmHeader } from '../../evm/codec/header.js';
import type { Receipt } from '../../evm/codec/receipt.js';
import type { Log } from '../../evm/state/transaction-state.js';
import { ADDRESS_SIZE } from '../../evm/words.js';
import { bool, type Codec, fixedBytes, list, optional, struct, u8, u32, u32be, varBytes } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import type { AnyColumn, Column } from '../../storage/view.js';
import { address, hash, number, word } from './state-columns.js';

/** Key of columns with a single entry. */
export const EVM_KEY = 0;
const BLOOM_SIZE = 256;
const NONCE_SIZE = 8;

/** Last EVM block. */
export interface EvmTip {
  readonly number: number;
  readonly hash: Uint8Array;
}

/** Last EVM block, under {@link EVM_KEY}. */
export const evmTips: Column<number, EvmTip> = { name: 'evm/tip', key: u8, value: struct<EvmTip>({ number: u32, hash }) };

/** Header of an EVM block, with the DVM block that contains it. */
export interface StoredHeader {
  readonly hash: Uint8Array;
  readonly dvmHeight: number;
  readonly dvmHash: Hash256;
  readonly header: EvmHeader;
}

const minedHeader = struct<Omit<EvmHeader, 'seal'>>({
  parentHash: hash,
  beneficiary: fixedBytes(ADDRESS_SIZE),
  stateRoot: hash,
  transactionsRoot: hash,
  receiptsRoot: hash,
  logsBloom: fixedBytes(BLOOM_SIZE),
  difficulty: number,
  number,
  gasLimit: number,
  gasUsed: number,
  timestamp: number,
  extraData: varBytes,
  baseFee: number,
});

const seal = struct<NonNullable<EvmHeader['seal']>>({ mixHash: hash, nonce: fixedBytes(NONCE_SIZE) });

/** The fields of mined blocks, then those that only the block of a start state has. Nothing follows. */
const headerCodec: Codec<EvmHeader> = {
  write(w, header) {
    minedHeader.write(w, header);
    if (header.seal) seal.write(w, header.seal);
  },
  read(r) {
    const header = minedHeader.read(r);
    return r.remaining > 0 ? { ...header, seal: seal.read(r) } : header;
  },
};

/** Headers by number. */
export const evmHeaders: Column<number, StoredHeader> = {
  name: 'evm/header',
  key: u32be,
  value: struct<StoredHeader>({ hash, dvmHeight: u32, dvmHash: hash256, header: headerCodec }),
};

/** Numbers of EVM blocks by hash. */
export const evmNumbers: Column<Uint8Array, number> = { name: 'evm/number', key: hash, value: u32 };

/** Numbers of EVM blocks by the height of the DVM block that contains them. */
export const evmNumbersByHeight: Column<number, number> = { name: 'evm/number-by-height', key: u32be, value: u32 };

/** Entry of an EVM block. */
export interface StoredEntry {
  /** Canonical bytes of the transaction. */
  readonly raw: Uint8Array;
  readonly hash: Uint8Array;
  /** Signer; of a system entry, a meaningless address. */
  readonly sender: bigint;
}

/** Entries of EVM blocks, in order, by number. A block without entries has no row. */
export const evmEntryLists: Column<number, readonly StoredEntry[]> = {
  name: 'evm/entries',
  key: u32be,
  value: list(struct<StoredEntry>({ raw: varBytes, hash, sender: address })),
};

/** Receipt with what its transaction does not say. */
export interface StoredReceipt extends Receipt {
  /** Contract of a creation, also of one that failed, or of a system entry. */
  readonly contract: bigint | undefined;
  /** Wei per gas that was paid; the base fee for system entries. */
  readonly price: bigint;
}

const logCodec: Codec<Log> = struct<Log>({ address, topics: list(word), data: varBytes });

/** Receipts of EVM blocks, in the order of the entries, by number. A block without entries has no row. */
export const evmReceiptLists: Column<number, readonly StoredReceipt[]> = {
  name: 'evm/receipts',
  key: u32be,
  value: list(
    struct<StoredReceipt>({
      isSuccess: bool,
      usedGas: number,
      logs: list(logCodec),
      isSystem: bool,
      contract: optional(address),
      price: number,
    }),
  ),
};

/** Place of an entry. */
export interface EvmPlace {
  /** Number of the EVM block. */
  readonly number: number;
  /** Index in it. */
  readonly index: number;
  /** DVM transaction that carries it; undefined for system entries. */
  readonly txid: Hash256 | undefined;
}

/** Places of entries by hash. Of entries with the same hash, such as equal system entries, the last one. */
export const evmPlaces: Column<Uint8Array, EvmPlace> = {
  name: 'evm/place',
  key: hash,
  value: struct<EvmPlace>({ number: u32, index: u32, txid: optional(hash256) }),
};

/** Hashes of EVM transactions by the id of the DVM transaction that carries them. */
export const evmHashes: Column<Hash256, Uint8Array> = { name: 'evm/hash-by-txid', key: hash256, value: hash };

/** Columns of the EVM blocks and their links to DVM blocks. */
export const evmBlockColumns: readonly AnyColumn[] = [
  evmTips,
  evmHeaders,
  evmNumbers,
  evmNumbersByHeight,
  evmEntryLists,
  evmReceiptLists,
  evmPlaces,
  evmHashes,
];
