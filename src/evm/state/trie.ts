import { keccak256 } from '../../crypto/keccak.js';
import { DecodeError } from '../../primitives/codec.js';
import { equalBytes, toHex } from '../../util/bytes.js';

/** Nodes of one trie by position: the nibbles from the root to the start of the node, as hex digits; the root is ''. */
export interface TrieNodes {
  /** Undefined for none. */
  readonly cache?: TrieCache | undefined;
  get(position: string): Uint8Array | undefined;
  put(position: string, node: Uint8Array): void;
  delete(position: string): void;
}

/** Values up to this size are stored in their leaf; of larger ones, the hash. */
const MAX_INLINE = 32;
const HASH_SIZE = 32;
const BRANCHES = 16;
const INLINE_LEAF = 0x40;
const HASHED_LEAF = 0x20;
const BRANCH = 0x80;

/** Root of a trie without entries. */
export const EMPTY_ROOT: Uint8Array = keccak256(Uint8Array.of(0));

/** Nodes are never changed: tries of several blocks share them. */
interface Leaf {
  readonly kind: 'leaf';
  /** Nibbles below the start of the node, as hex digits. */
  readonly path: string;
  /** Value, or its hash if it is longer than 32 bytes. */
  readonly content: Uint8Array;
  readonly isHashed: boolean;
}

interface Branch {
  readonly kind: 'branch';
  readonly path: string;
  readonly children: readonly (Child | undefined)[];
}

/** Reference to a node. Its parts are added as they become known. */
interface Child {
  /** Undefined until the node is stored. */
  hash: Uint8Array | undefined;
  /** Undefined until it is loaded. */
  node: Leaf | Branch | undefined;
}

/** Root of a trie as it is stored. */
interface StoredRoot {
  readonly encoded: Uint8Array;
  readonly root: Child;
  /** Nodes that were loaded or made, an upper bound. */
  readonly nodes: number;
}

/** Outcome of a few changes of a trie, which its root and the changes determine. */
interface KnownCommit {
  /** Stored form of the root before. */
  readonly from: Uint8Array;
  readonly changes: readonly Change[];
  readonly stored: readonly (readonly [position: string, node: Uint8Array])[];
  readonly deleted: readonly string[];
  readonly root: Uint8Array;
}

/** A value to set, or a key to remove. */
interface Change {
  readonly key: string;
  readonly value: Uint8Array | undefined;
}

const CACHED_ROOTS = 4;
const MAX_CACHED_NODES = 4_096;
const CACHED_COMMITS = 2;
/** Most changes of a commit that is kept. */
const MAX_KNOWN_CHANGES = 64;

/**
 * Loaded nodes of the last roots of one trie, and its last small commits: a block that this node mints is executed twice. A root is found
 * by its encoding, which commits to all nodes below it, so a block that is disconnected, or one that is only tried, needs no
 * invalidation.
 */
export class TrieCache {
  readonly #roots: StoredRoot[] = [];
  readonly #commits: KnownCommit[] = [];

  find(encoded: Uint8Array): StoredRoot | undefined {
    return this.#roots.find((known) => equalBytes(known.encoded, encoded));
  }

  keep(root: StoredRoot): void {
    if (root.nodes > MAX_CACHED_NODES || this.find(root.encoded)) return;
    this.#roots.unshift(root);
    if (this.#roots.length > CACHED_ROOTS) this.#roots.pop();
  }

  findCommit(from: Uint8Array, changes: readonly Change[]): KnownCommit | undefined {
    return this.#commits.find((known) => isSameChanges(known.changes, changes) && equalBytes(known.from, from));
  }

  keepCommit(commit: KnownCommit): void {
    if (commit.changes.length > MAX_KNOWN_CHANGES) return;
    this.#commits.unshift(commit);
    if (this.#commits.length > CACHED_COMMITS) this.#commits.pop();
  }
}

function isSameChanges(a: readonly Change[], b: readonly Change[]): boolean {
  return a.length === b.length && a.every(({ key, value }, i) => key === b[i]?.key && isSameValue(value, b[i]?.value));
}

function isSameValue(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a && b ? equalBytes(a, b) : a === b;
}

/**
 * Trie of the state (layout of Substrate's state version 1 with Keccak-256, no extension nodes). All keys have one length, and values
 * have at least 32 bytes, so that every node is referred to by its hash. `commit` loads the nodes that changes reach, and hashes and
 * stores the changed ones. @see docs/protocol/evm-engine.md 4.5
 */
export class Trie {
  readonly #opened: StoredRoot | undefined;
  readonly #changes: Change[] = [];
  #root: Child | undefined;
  #loaded: number;
  readonly #stale = new Set<string>();
  readonly #stores: (readonly [position: string, node: Uint8Array])[] = [];

  constructor(private readonly nodes: TrieNodes) {
    const encoded = nodes.get('');
    this.#opened = encoded && (nodes.cache?.find(encoded) ?? { encoded, root: { hash: undefined, node: decodeNode(encoded) }, nodes: 1 });
    this.#root = this.#opened?.root;
    this.#loaded = this.#opened?.nodes ?? 0;
  }

  /** Sets the value of a key. @param key hex digits */
  set(key: string, value: Uint8Array): void {
    this.#changes.push({ key, value });
  }

  /** Removes a key if it is there. @param key hex digits */
  delete(key: string): void {
    this.#changes.push({ key, value: undefined });
  }

  /** Makes the changes and stores what they changed. To be called once. @returns the root, 32 bytes */
  commit(): Uint8Array {
    const opened = this.#opened;
    const known = opened && this.nodes.cache?.findCommit(opened.encoded, this.#changes);
    if (known) {
      this.#write(known);
      return known.root;
    }
    for (const change of this.#changes) this.#make(change);
    if (opened && this.#root === opened.root) {
      opened.root.hash ??= keccak256(opened.encoded);
      return opened.root.hash;
    }
    const root = this.#root ? this.#stored(this.#root, '') : EMPTY_ROOT;
    const commit = { changes: this.#changes, stored: this.#stores, deleted: [...this.#stale], root };
    this.#write(commit);
    if (opened) this.nodes.cache?.keepCommit({ ...commit, from: opened.encoded });
    return root;
  }

  #write({ stored, deleted }: Pick<KnownCommit, 'stored' | 'deleted'>): void {
    for (const position of deleted) this.nodes.delete(position);
    for (const [position, node] of stored) this.nodes.put(position, node);
  }

  #make({ key, value }: Change): void {
    if (!value) {
      this.#root = this.#removed(this.#root, key, 0);
      return;
    }
    const isHashed = value.length > MAX_INLINE;
    this.#root = this.#inserted(this.#root, key, 0, { content: isHashed ? keccak256(value) : value, isHashed });
  }

  #load(child: Child, position: string): Leaf | Branch {
    if (child.node) return child.node;
    const stored = this.nodes.get(position);
    if (!stored) throw new DecodeError(`no trie node at ${position}`);
    this.#loaded += 1;
    child.node = decodeNode(stored);
    return child.node;
  }

  /** @param depth nibbles of the key above the node @returns the node with the value */
  #inserted(at: Child | undefined, key: string, depth: number, value: Pick<Leaf, 'content' | 'isHashed'>): Child {
    if (!at) return this.#made({ kind: 'leaf', path: key.slice(depth), ...value });
    const node = this.#load(at, key.slice(0, depth));
    const end = depth + commonPrefix(node.path, key, depth);
    if (end === key.length) return this.#made({ kind: 'leaf', path: node.path, ...value });
    if (node.kind === 'branch' && end === depth + node.path.length) {
      const nibble = nibbleAt(key, end);
      return this.#made(withChild(node, nibble, this.#inserted(node.children[nibble], key, end + 1, value)));
    }
    // A branch where the key leaves the path of the node.
    const shared = end - depth;
    const children: (Child | undefined)[] = new Array(BRANCHES).fill(undefined);
    children[nibbleAt(node.path, shared)] = this.#made({ ...node, path: node.path.slice(shared + 1) });
    children[nibbleAt(key, end)] = this.#made({ kind: 'leaf', path: key.slice(end + 1), ...value });
    return this.#made({ kind: 'branch', path: node.path.slice(0, shared), children });
  }

  #made(node: Leaf | Branch): Child {
    this.#loaded += 1;
    return { hash: undefined, node };
  }

  /** @returns the node without the key, `at` if it was not there; undefined if nothing is left */
  #removed(at: Child | undefined, key: string, depth: number): Child | undefined {
    if (!at) return undefined;
    const node = this.#load(at, key.slice(0, depth));
    if (!key.startsWith(node.path, depth)) return at;
    if (node.kind === 'leaf') {
      this.#stale.add(key.slice(0, depth));
      return undefined;
    }
    const end = depth + node.path.length;
    const nibble = nibbleAt(key, end);
    const child = node.children[nibble];
    const left = this.#removed(child, key, end + 1);
    return left === child ? at : this.#collapsed(withChild(node, nibble, left), key.slice(0, end));
  }

  /** Replaces a branch with one child by that child. @param start position of the children without their nibble */
  #collapsed(node: Branch, start: string): Child {
    const left = node.children.flatMap((child, nibble) => (child ? [{ child, nibble }] : []));
    const [only, second] = left;
    if (!only || second) return this.#made(node);
    const digit = only.nibble.toString(16);
    const last = this.#load(only.child, start + digit);
    this.#stale.add(start + digit);
    return this.#made({ ...last, path: node.path + digit + last.path });
  }

  #stored(at: Child, position: string): Uint8Array {
    if (at.hash) return at.hash;
    const node = at.node as Leaf | Branch;
    if (node.kind === 'branch') {
      const start = position + node.path;
      for (let nibble = 0; nibble < BRANCHES; nibble++) {
        const child = node.children[nibble];
        if (child && !child.hash) this.#stored(child, start + nibble.toString(16));
      }
    }
    const encoded = encodeNode(node);
    this.#stores.push([position, encoded]);
    at.hash = keccak256(encoded);
    if (position === '') this.nodes.cache?.keep({ encoded, root: at, nodes: this.#loaded });
    return at.hash;
  }
}

function withChild(node: Branch, nibble: number, child: Child | undefined): Branch {
  const children = node.children.slice();
  children[nibble] = child;
  return { kind: 'branch', path: node.path, children };
}

/** Digits of a path that a key has at a position. */
function commonPrefix(path: string, key: string, from: number): number {
  let length = 0;
  while (length < path.length && path.charCodeAt(length) === key.charCodeAt(from + length)) length += 1;
  return length;
}

const ZERO = 0x30;
const BEFORE_A = 0x57;

function nibbleAt(digits: string, at: number): number {
  const code = digits.charCodeAt(at);
  return code > BEFORE_A ? code - BEFORE_A : code - ZERO;
}

/** Header, path and content of a leaf, or header, path, bitmap and hashes of a branch. */
function encodeNode(node: Leaf | Branch): Uint8Array {
  const { path } = node;
  const head = node.kind === 'leaf' ? (node.isHashed ? HASHED_LEAF : INLINE_LEAF) : BRANCH;
  const mask = head === HASHED_LEAF ? 0x1f : 0x3f;
  const headerSize = path.length < mask ? 1 : 2 + Math.floor((path.length - mask) / 255);
  const start = headerSize + ((path.length + 1) >> 1);
  const bytes = new Uint8Array(start + contentSize(node));
  writeHeader(bytes, head, mask, path.length);
  writePath(bytes, headerSize, path);
  if (node.kind === 'branch') writeChildren(bytes, start, node.children);
  else if (node.isHashed) bytes.set(node.content, start);
  else {
    // An inline value has at most 32 bytes, so its length takes one byte.
    bytes[start] = node.content.length << 2;
    bytes.set(node.content, start + 1);
  }
  return bytes;
}

function contentSize(node: Leaf | Branch): number {
  if (node.kind === 'leaf') return node.isHashed ? HASH_SIZE : 1 + node.content.length;
  let size = 2;
  for (const child of node.children) if (child) size += 1 + HASH_SIZE;
  return size;
}

/** Prefix and number of nibbles. @param mask bits of the first byte that are left for the number */
function writeHeader(bytes: Uint8Array, prefix: number, mask: number, count: number): void {
  if (count < mask) {
    bytes[0] = prefix | count;
    return;
  }
  bytes[0] = prefix | mask;
  let at = 1;
  let rest = count - mask;
  for (; rest >= 255; rest -= 255) bytes[at++] = 255;
  bytes[at] = rest;
}

/** Nibbles as bytes; an odd first one stands alone. */
function writePath(bytes: Uint8Array, start: number, path: string): void {
  const odd = path.length & 1;
  if (odd === 1) bytes[start] = nibbleAt(path, 0);
  for (let i = odd, at = start + odd; i < path.length; i += 2, at++) bytes[at] = (nibbleAt(path, i) << 4) | nibbleAt(path, i + 1);
}

/** Bitmap, then hashes, each after its length. */
function writeChildren(bytes: Uint8Array, start: number, children: readonly (Child | undefined)[]): void {
  let bitmap = 0;
  let at = start + 2;
  for (let nibble = 0; nibble < BRANCHES; nibble++) {
    const child = children[nibble];
    if (!child) continue;
    bitmap |= 1 << nibble;
    bytes[at] = HASH_SIZE << 2;
    bytes.set(child.hash as Uint8Array, at + 1);
    at += 1 + HASH_SIZE;
  }
  bytes[start] = bitmap & 0xff;
  bytes[start + 1] = bitmap >> 8;
}

function decodeNode(stored: Uint8Array): Leaf | Branch {
  // Parts of a plain array cost less than those of a buffer.
  const bytes = new Uint8Array(stored.buffer, stored.byteOffset, stored.length);
  const first = bytes[0] as number;
  const isBranch = (first & 0xc0) === BRANCH;
  const isInline = (first & 0xc0) === INLINE_LEAF;
  const mask = isBranch || isInline ? 0x3f : 0x1f;
  const { count, at } = readCount(bytes, mask);
  const packed = toHex(bytes.subarray(at, at + Math.ceil(count / 2)));
  const path = packed.slice(packed.length - count);
  const rest = bytes.subarray(at + Math.ceil(count / 2));
  if (isBranch) return { kind: 'branch', path, children: decodeChildren(rest) };
  // An inline value has at most 32 bytes, so its length takes one byte.
  return { kind: 'leaf', path, content: isInline ? rest.subarray(1) : rest, isHashed: !isInline };
}

function readCount(bytes: Uint8Array, mask: number): { readonly count: number; readonly at: number } {
  const low = (bytes[0] as number) & mask;
  if (low < mask) return { count: low, at: 1 };
  let count = mask - 1;
  let at = 1;
  for (; bytes[at] === 255; at++) count += 255;
  return { count: count + (bytes[at] as number) + 1, at: at + 1 };
}

function decodeChildren(bytes: Uint8Array): (Child | undefined)[] {
  const bitmap = (bytes[0] as number) | ((bytes[1] as number) << 8);
  const children: (Child | undefined)[] = new Array(BRANCHES).fill(undefined);
  let at = 2;
  for (let nibble = 0; nibble < BRANCHES; nibble++) {
    if ((bitmap & (1 << nibble)) === 0) continue;
    children[nibble] = { hash: bytes.subarray(at + 1, at + 1 + HASH_SIZE), node: undefined };
    at += 1 + HASH_SIZE;
  }
  return children;
}
