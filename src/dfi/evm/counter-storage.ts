import { keccak256 } from '../../crypto/keccak.js';
import * as contract from '../../evm/contracts/addresses.js';
import { IntrinsicsSlot } from '../../evm/contracts/slots.js';
import { EMPTY_ROOT, Trie } from '../../evm/state/trie.js';
import { WORD_SIZE, wordBytes, writeWord } from '../../evm/words.js';
import { StoreDamaged } from '../../storage/errors.js';
import type { StateView } from '../../storage/view.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { evmHeader, evmTip } from './blocks.js';
import { evmStorageNodes, type StoredAccount } from './state-columns.js';

/**
 * Storage of the contract with the block counters. Every block writes the same three slots, and their values follow from its header. So
 * slots, earlier values, trie nodes and root are not stored: account and trie of all accounts have {@link COUNTERS} in place of the root,
 * and a block without transactions changes neither. Any other storage of this contract, which only development networks make, is stored
 * like that of other contracts, under an incarnation of its own.
 * @see docs/protocol/evm-engine.md 7.4
 */
export interface Counters {
  /** Number of the EVM block. */
  readonly number: number;
  /** Height of the DVM block that contains it. */
  readonly dvmHeight: number;
}

/** Replaces the storage root of an account whose storage is that of the counters. */
export const COUNTERS: Uint8Array = new Uint8Array(WORD_SIZE);

const VERSION = 1n;
/** Root that was computed last: a block that this node mints is executed twice. */
let last: { readonly counters: Counters; readonly root: Uint8Array } | undefined;

/** Counters after an EVM block; undefined for unknown numbers. */
export function countersAt(view: StateView, number: number): Counters | undefined {
  const header = evmHeader(view, number);
  return header && { number, dvmHeight: header.dvmHeight };
}

/** Slots with their values. */
export function counterSlots({ number, dvmHeight }: Counters): readonly (readonly [bigint, bigint])[] {
  return [
    [IntrinsicsSlot.version, VERSION],
    [IntrinsicsSlot.evmBlocks, BigInt(number)],
    [IntrinsicsSlot.dvmBlocks, BigInt(dvmHeight)],
  ];
}

/** Value of a slot. */
export function counterSlot(counters: Counters, slot: bigint): bigint {
  return counterSlots(counters).find(([own]) => own === slot)?.[1] ?? 0n;
}

/** Root of the storage. @returns 32 bytes */
export function counterRoot(counters: Counters): Uint8Array {
  if (last?.counters.number !== counters.number || last.counters.dvmHeight !== counters.dvmHeight)
    last = { counters, root: rootOf(counters) };
  return last.root;
}

/** Nodes of the trie of any counters: a branch and its three leaves. Only values and hashes, which come last in them, differ. */
const NODES: readonly Uint8Array[] = nodesOf(counterSlots({ number: 0, dvmHeight: 0 }));

function nodesOf(slots: readonly (readonly [bigint, bigint])[]): readonly Uint8Array[] {
  const nodes = new Map<string, Uint8Array>();
  const trie = new Trie({ get: () => undefined, put: (position, node) => nodes.set(position, node), delete: () => undefined });
  for (const [slot, value] of slots) trie.set(toHex(wordBytes(slot)), wordBytes(value));
  trie.commit();
  return [...nodes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, node]) => node);
}

/** Leaf of a counter. */
interface CounterLeaf {
  readonly bytes: Uint8Array;
  /** View of `bytes`, to write numbers to. */
  readonly words: DataView;
  /** Position of its hash in the branch. */
  readonly hashAt: number;
}

const BRANCH = NODES[0] as Uint8Array;
/** Leaves of the counters, which follow that of the version. The hashes of all leaves end the branch, each after its length. */
const [NUMBER_LEAF, HEIGHT_LEAF] = NODES.slice(2).map((bytes, i) => ({
  bytes,
  words: new DataView(bytes.buffer, bytes.byteOffset),
  hashAt: BRANCH.length - (2 - i) * (1 + WORD_SIZE) + 1,
})) as [CounterLeaf, CounterLeaf];

/** Root of the slots. The nodes are overwritten; the leaf of the version never changes. */
function rootOf({ number, dvmHeight }: Counters): Uint8Array {
  setCounter(NUMBER_LEAF, number);
  setCounter(HEIGHT_LEAF, dvmHeight);
  return keccak256(BRANCH);
}

function setCounter({ bytes, words, hashAt }: CounterLeaf, value: number): void {
  writeWord(words, bytes.length - WORD_SIZE, BigInt(value));
  BRANCH.set(keccak256(bytes), hashAt);
}

/** Counters that slots consist of; undefined if they have other slots or values. */
export function countersOf(storage: Iterable<readonly [bigint, bigint]>, number: number): Counters | undefined {
  const slots = new Map(storage);
  const counters = { number, dvmHeight: Number(slots.get(IntrinsicsSlot.dvmBlocks) ?? 0n) };
  const expected = counterSlots(counters);
  return slots.size === expected.length && expected.every(([slot, value]) => slots.get(slot) === value) ? counters : undefined;
}

/**
 * True if the storage of an account is that of the counters and not stored. Earlier versions of an account, and accounts that format 4
 * stored, have the root itself. @param account at `address`, of any block
 */
export function hasCounterStorage(view: StateView, address: bigint, account: StoredAccount | undefined): boolean {
  if (address !== contract.INTRINSICS || !account) return false;
  if (equalBytes(account.storageRoot, COUNTERS)) return true;
  if (equalBytes(account.storageRoot, EMPTY_ROOT)) return false;
  return !view.has(evmStorageNodes, { address, incarnation: account.incarnation, position: '' });
}

/** An account with the root of its storage, also where that is not stored. @param view state after a block */
export function withStorageRoot(view: StateView, address: bigint, account: StoredAccount): StoredAccount {
  if (address !== contract.INTRINSICS || !equalBytes(account.storageRoot, COUNTERS)) return account;
  return { ...account, storageRoot: counterRoot(lastCounters(view)) };
}

/** Counters after the last EVM block of a view that has one. */
export function lastCounters(view: StateView): Counters {
  const tip = evmTip(view);
  const counters = tip && countersAt(view, tip.number);
  if (!counters) throw new StoreDamaged('the header of the last EVM block is missing; start with -reindex to build the database again');
  return counters;
}
