import type { KeyOrigin } from '../../crypto/key-path.js';
import {
  bool,
  type Codec,
  encode,
  fixedBytes,
  i32,
  list,
  mapped,
  optional,
  restBytes,
  struct,
  u8,
  u32,
  u32be,
  u64,
  varBytes,
  varString,
} from '../../primitives/codec.js';
import { type Hash160, type Hash256, hash160, hash256 } from '../../primitives/hash.js';
import type { AnyColumn, Column, RawChange } from '../../storage/view.js';

/** Age and origin of a key or script. */
export interface Metadata {
  /** Seconds since 1970; 0 if unknown, 1 to scan the whole chain. */
  readonly createdAt: number;
  readonly origin: KeyOrigin | undefined;
  /** Id of the seed that it was derived from; a seed has its own id. */
  readonly seedId: Hash160 | undefined;
}

const keyOrigin: Codec<KeyOrigin> = struct<KeyOrigin>({ fingerprint: fixedBytes(4), path: list(u32) });
/** Integer in 64 bits, for seconds as in `defid`. */
const seconds: Codec<number> = { write: (w, v) => w.i64(BigInt(v)), read: (r) => Number(r.i64()) };
const metadata: Codec<Metadata> = struct<Metadata>({
  createdAt: seconds,
  origin: optional(keyOrigin),
  seedId: optional(hash160),
});

/** A private key as stored on disk. */
export interface StoredKey {
  /** 32 bytes unencrypted, or sealed by the wallet's master key. */
  readonly secret: Uint8Array;
  readonly isSealed: boolean;
}

/** Seed of new keys, and the number of keys derived from its external and internal branch. */
export interface HdChain {
  readonly seedId: Hash160;
  readonly external: number;
  readonly internal: number;
}

/** A key of the key pool. */
export interface PoolEntry {
  readonly publicKey: Uint8Array;
  /** For change. */
  readonly internal: boolean;
  /** Seconds since 1970. */
  readonly createdAt: number;
}

/** Cost of scrypt with blocks of 1 KiB (r = 8). */
export interface DerivationCost {
  /** Base 2 logarithm of N, the memory in KiB: below 32. */
  readonly logN: number;
  /** Number of passes (p), each over all of the memory: 1 to 8. */
  readonly passes: number;
}

/** The master key, sealed by a key derived from the passphrase. */
export interface SealedMasterKey {
  readonly salt: Uint8Array;
  readonly cost: DerivationCost;
  readonly sealed: Uint8Array;
}

/** An entry of the address book. */
export interface BookEntry {
  readonly label: string;
  readonly purpose: string;
}

/** Names and texts of notes. */
export type Notes = readonly (readonly [string, string])[];

/** A transaction of the wallet as stored on disk. @see docs/protocol/wallet.md 2.1 */
export interface TxRecord {
  readonly raw: Uint8Array;
  /** Block that contains it, or one that it conflicts with. */
  readonly blockHash: Hash256 | undefined;
  /** Position in that block; -1 if it conflicts with it. */
  readonly blockIndex: number;
  readonly isAbandoned: boolean;
  readonly receivedAt: number;
  readonly smartTime: number;
  readonly isFromMe: boolean;
  readonly order: number;
  /** `comment`, `to`, `replaces_txid`, `replaced_by_txid`. */
  readonly notes: Notes;
}

const note: Codec<readonly [string, string]> = {
  write(w, [name, value]) {
    varString.write(w, name);
    varString.write(w, value);
  },
  read: (r) => [varString.read(r), varString.read(r)],
};

/** Private keys by public key. */
export const keys: Column<Uint8Array, StoredKey> = {
  name: 'key',
  key: restBytes,
  value: struct<StoredKey>({ secret: varBytes, isSealed: bool }),
};
/** Metadata of keys by public key. */
export const keyMetadata: Column<Uint8Array, Metadata> = { name: 'keymeta', key: restBytes, value: metadata };
/** Metadata of watched, redeem and witness scripts, by script. */
export const scriptMetadata: Column<Uint8Array, Metadata> = { name: 'watchmeta', key: restBytes, value: metadata };
/** Key pool by index, in order of creation. */
export const pool: Column<number, PoolEntry> = {
  name: 'pool',
  key: u32be,
  value: struct<PoolEntry>({ publicKey: varBytes, internal: bool, createdAt: seconds }),
};
/** Redeem and witness scripts as keys, with empty values. */
export const scripts: Column<Uint8Array, Uint8Array> = { name: 'script', key: restBytes, value: restBytes };
/** Watch-only output scripts as keys, with empty values. */
export const watched: Column<Uint8Array, Uint8Array> = { name: 'watch', key: restBytes, value: restBytes };
/** Address book by output script. */
export const book: Column<Uint8Array, BookEntry> = {
  name: 'name',
  key: restBytes,
  value: struct<BookEntry>({ label: varString, purpose: varString }),
};
/** Output scripts that were spent from, in a wallet that avoids their reuse. */
export const used: Column<Uint8Array, Uint8Array> = { name: 'used', key: restBytes, value: restBytes };
/** Transactions by txid. */
export const transactions: Column<Hash256, TxRecord> = {
  name: 'tx',
  key: hash256,
  value: struct<TxRecord>({
    raw: varBytes,
    blockHash: optional(hash256),
    blockIndex: i32,
    isAbandoned: bool,
    receivedAt: seconds,
    smartTime: seconds,
    isFromMe: bool,
    order: seconds,
    notes: list(note),
  }),
};
/** One byte: logN in the low five bits, passes - 1 above them. */
const derivationCost: Codec<DerivationCost> = mapped(
  u8,
  (byte) => ({ logN: byte & 31, passes: (byte >> 5) + 1 }),
  ({ logN, passes }) => ((passes - 1) << 5) | logN,
);

/** The sealed master key, at most one row; none in an unencrypted wallet. */
export const masterKeys: Column<number, SealedMasterKey> = {
  name: 'mkey',
  key: u8,
  value: struct<SealedMasterKey>({ salt: varBytes, cost: derivationCost, sealed: varBytes }),
};

/** True for a row with an unencrypted private key, by the last byte of its value. */
export function isPlainKey({ column, value }: RawChange): boolean {
  return column === keys.name && value?.at(-1) === 0;
}

const SINGLE = u8;
/** Set while files with unencrypted keys, written before the wallet was encrypted, may remain in its directory. */
export const leftovers: Column<number, boolean> = { name: 'leftovers', key: SINGLE, value: bool };
/** Bits of `WalletFlag`. */
export const flags: Column<number, bigint> = { name: 'flags', key: SINGLE, value: u64 };
/** Seed of new keys; no row in a wallet without seed. */
export const hdChain: Column<number, HdChain> = {
  name: 'hdchain',
  key: SINGLE,
  value: struct<HdChain>({ seedId: hash160, external: u32, internal: u32 }),
};
/** Last block that the wallet has processed. */
export const syncedTo: Column<number, Hash256> = { name: 'bestblock', key: SINGLE, value: hash256 };
/** Key of the columns that hold one row. */
export const ONLY = 0;

/** All columns, in no significant order. */
export const walletColumns: readonly AnyColumn[] = [
  keys,
  keyMetadata,
  scriptMetadata,
  pool,
  scripts,
  watched,
  book,
  used,
  transactions,
  masterKeys,
  flags,
  hdChain,
  syncedTo,
  leftovers,
];

/** Encodes a change of one row. */
export function put<K, V>(column: Column<K, V>, key: K, value: V): RawChange {
  return { column: column.name, key: encode(column.key, key), value: encode(column.value, value) };
}

/** Encodes the deletion of a row. */
export function remove<K, V>(column: Column<K, V>, key: K): RawChange {
  return { column: column.name, key: encode(column.key, key), value: undefined };
}
