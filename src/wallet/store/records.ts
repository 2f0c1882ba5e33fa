import type { KeyOrigin } from '../../crypto/key-path.js';
import {
  bool,
  type Codec,
  encode,
  fixedBytes,
  i32,
  list,
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

/** What is known about where a key or script comes from. */
export interface Metadata {
  /** Seconds since 1970; 0 is unknown, 1 asks for a scan of everything. */
  readonly createdAt: number;
  readonly origin: KeyOrigin | undefined;
  /** Id of the seed that it was derived from; a seed names itself. */
  readonly seedId: Hash160 | undefined;
}

const keyOrigin: Codec<KeyOrigin> = struct<KeyOrigin>({ fingerprint: fixedBytes(4), path: list(u32) });
/** Numbers of seconds; beyond 32 bits as the reference's are. */
const seconds: Codec<number> = { write: (w, v) => w.i64(BigInt(v)), read: (r) => Number(r.i64()) };
const metadata: Codec<Metadata> = struct<Metadata>({
  createdAt: seconds,
  origin: optional(keyOrigin),
  seedId: optional(hash160),
});

/** A private key as it lies on disk. */
export interface StoredKey {
  /** 32 bytes in the clear, or what the wallet's master key made of them. */
  readonly secret: Uint8Array;
  readonly isSealed: boolean;
}

/** Which seed new keys come from, and how many it has given. */
export interface HdChain {
  readonly seedId: Hash160;
  readonly external: number;
  readonly internal: number;
}

/** A key made in advance. */
export interface PoolEntry {
  readonly publicKey: Uint8Array;
  readonly internal: boolean;
  readonly createdAt: number;
}

/** What a passphrase opens: the master key under a key derived from the passphrase. */
export interface SealedMasterKey {
  readonly salt: Uint8Array;
  /** Cost of the derivation (scrypt): 2^cost rounds. */
  readonly cost: number;
  readonly sealed: Uint8Array;
}

/** A name in the address book. */
export interface BookEntry {
  readonly label: string;
  readonly purpose: string;
}

export type Notes = readonly (readonly [string, string])[];

/** A transaction of the wallet as it lies on disk. @see docs/protocol/wallet.md 2.1 */
export interface TxRecord {
  readonly raw: Uint8Array;
  /** Block that holds it, or one that it conflicts with. */
  readonly blockHash: Hash256 | undefined;
  /** Position in that block; -1 when it conflicts with it. */
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

export const keys: Column<Uint8Array, StoredKey> = {
  name: 'key',
  key: restBytes,
  value: struct<StoredKey>({ secret: varBytes, isSealed: bool }),
};
/** By public key, or by watched script. */
export const keyMetadata: Column<Uint8Array, Metadata> = { name: 'keymeta', key: restBytes, value: metadata };
export const scriptMetadata: Column<Uint8Array, Metadata> = { name: 'watchmeta', key: restBytes, value: metadata };
export const pool: Column<number, PoolEntry> = {
  name: 'pool',
  key: u32be,
  value: struct<PoolEntry>({ publicKey: varBytes, internal: bool, createdAt: seconds }),
};
/** Redeem and witness scripts, by themselves. */
export const scripts: Column<Uint8Array, Uint8Array> = { name: 'script', key: restBytes, value: restBytes };
export const watched: Column<Uint8Array, Uint8Array> = { name: 'watch', key: restBytes, value: restBytes };
/** By output script. */
export const book: Column<Uint8Array, BookEntry> = {
  name: 'name',
  key: restBytes,
  value: struct<BookEntry>({ label: varString, purpose: varString }),
};
/** Output scripts that were spent from, in a wallet that avoids their reuse. */
export const used: Column<Uint8Array, Uint8Array> = { name: 'used', key: restBytes, value: restBytes };
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
export const masterKeys: Column<number, SealedMasterKey> = {
  name: 'mkey',
  key: u8,
  value: struct<SealedMasterKey>({ salt: varBytes, cost: u8, sealed: varBytes }),
};

/** A row that holds a secret in the clear: its last byte says so. */
export function isPlainKey({ column, value }: RawChange): boolean {
  return column === keys.name && value?.at(-1) === 0;
}

const SINGLE = u8;
/** The wallet was encrypted, and copies that the node made of it before may still lie beside it. */
export const leftovers: Column<number, boolean> = { name: 'leftovers', key: SINGLE, value: bool };
export const flags: Column<number, bigint> = { name: 'flags', key: SINGLE, value: u64 };
export const hdChain: Column<number, HdChain> = {
  name: 'hdchain',
  key: SINGLE,
  value: struct<HdChain>({ seedId: hash160, external: u32, internal: u32 }),
};
/** Block up to which the chain was followed. */
export const syncedTo: Column<number, Hash256> = { name: 'bestblock', key: SINGLE, value: hash256 };
/** Key of the columns that hold one row. */
export const ONLY = 0;

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

/** A change of one row as bytes. */
export function put<K, V>(column: Column<K, V>, key: K, value: V): RawChange {
  return { column: column.name, key: encode(column.key, key), value: encode(column.value, value) };
}

export function remove<K, V>(column: Column<K, V>, key: K): RawChange {
  return { column: column.name, key: encode(column.key, key), value: undefined };
}
