import { keccak256 } from '../../crypto/hash.js';
import { DecodeError } from '../../primitives/codec.js';
import { concatBytes, fromHex, toHex } from '../../util/bytes.js';

/** Nodes of one trie by position: the nibbles from the root to the start of the node, as hex digits; the root is ''. */
export interface TrieNodes {
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

interface Leaf {
  readonly kind: 'leaf';
  /** Nibbles below the start of the node, as hex digits. */
  path: string;
  /** Value, or its hash if it is longer than 32 bytes. */
  content: Uint8Array;
  isHashed: boolean;
}

interface Branch {
  readonly kind: 'branch';
  path: string;
  readonly children: (Child | undefined)[];
}

/** Node below a branch: its hash as long as it was not loaded. */
interface Child {
  hash: Uint8Array | undefined;
  node: Leaf | Branch | undefined;
}

/**
 * Trie of the state (layout of Substrate's state version 1 with Keccak-256, no extension nodes). All keys have one length, and values
 * have at least 32 bytes, so that every node is referred to by its hash. Nodes
 * are loaded as changes reach them; `commit` hashes and stores the changed ones. @see docs/protocol/evm-engine.md 4.5
 */
export class Trie {
  readonly #root: Child;
  readonly #stale = new Set<string>();

  constructor(private readonly nodes: TrieNodes) {
    const stored = nodes.get('');
    this.#root = { hash: stored && keccak256(stored), node: stored && decodeNode(stored) };
  }

  /** Sets the value of a key. @param key hex digits */
  set(key: string, value: Uint8Array): void {
    const isHashed = value.length > MAX_INLINE;
    this.#insert(this.#root, '', key, { kind: 'leaf', path: '', content: isHashed ? keccak256(value) : value, isHashed });
  }

  /** Removes a key if it is there. @param key hex digits */
  delete(key: string): void {
    this.#remove(this.#root, '', key);
  }

  /** Stores what changed. @returns the root, 32 bytes */
  commit(): Uint8Array {
    for (const position of this.#stale) this.nodes.delete(position);
    this.#stale.clear();
    if (this.#root.node === undefined) return EMPTY_ROOT;
    return this.#store(this.#root, '');
  }

  #load(child: Child, position: string): Leaf | Branch {
    if (child.node) return child.node;
    const stored = this.nodes.get(position);
    if (!stored) throw new DecodeError(`no trie node at ${position}`);
    child.node = decodeNode(stored);
    return child.node;
  }

  #insert(at: Child, position: string, key: string, leaf: Leaf): void {
    const rest = key.slice(position.length);
    if (at.hash === undefined && at.node === undefined) {
      leaf.path = rest;
      at.node = leaf;
      return;
    }
    const node = this.#load(at, position);
    const shared = commonPrefix(node.path, rest);
    if (node.kind === 'leaf' && shared === rest.length) {
      node.content = leaf.content;
      node.isHashed = leaf.isHashed;
    } else if (shared === node.path.length && node.kind === 'branch') {
      const nibble = Number.parseInt(rest[shared] as string, 16);
      const child = node.children[nibble] ?? { hash: undefined, node: undefined };
      node.children[nibble] = child;
      this.#insert(child, position + rest.slice(0, shared + 1), key, leaf);
    } else {
      this.#split(at, node, shared, rest, leaf);
    }
    at.hash = undefined;
  }

  /** Puts a branch where a key leaves the path of a node. */
  #split(at: Child, node: Leaf | Branch, shared: number, rest: string, leaf: Leaf): void {
    const branch: Branch = { kind: 'branch', path: node.path.slice(0, shared), children: new Array(BRANCHES) };
    const nibble = Number.parseInt(node.path[shared] as string, 16);
    node.path = node.path.slice(shared + 1);
    branch.children[nibble] = { hash: undefined, node };
    leaf.path = rest.slice(shared + 1);
    branch.children[Number.parseInt(rest[shared] as string, 16)] = { hash: undefined, node: leaf };
    at.node = branch;
  }

  /** @returns true if the key was there */
  #remove(at: Child, position: string, key: string): boolean {
    if (at.hash === undefined && at.node === undefined) return false;
    const node = this.#load(at, position);
    const rest = key.slice(position.length);
    if (!rest.startsWith(node.path)) return false;
    if (node.kind === 'leaf') {
      at.node = undefined;
      at.hash = undefined;
      this.#stale.add(position);
      return true;
    }
    const nibble = Number.parseInt(rest[node.path.length] as string, 16);
    const child = node.children[nibble];
    if (!child || !this.#remove(child, position + rest.slice(0, node.path.length + 1), key)) return false;
    if (child.node === undefined) node.children[nibble] = undefined;
    at.hash = undefined;
    this.#collapse(at, node, position);
    return true;
  }

  /** Replaces a branch with one child by that child. */
  #collapse(at: Child, node: Branch, position: string): void {
    const left = node.children.flatMap((child, nibble) => (child ? [{ child, nibble }] : []));
    const [only, second] = left;
    if (!only || second) return;
    const digit = only.nibble.toString(16);
    const below = position + node.path + digit;
    const last = this.#load(only.child, below);
    last.path = node.path + digit + last.path;
    at.node = last;
    this.#stale.add(below);
  }

  #store(at: Child, position: string): Uint8Array {
    if (at.hash) return at.hash;
    const node = at.node as Leaf | Branch;
    const encoded = node.kind === 'leaf' ? encodeLeaf(node) : this.#encodeBranch(node, position);
    this.nodes.put(position, encoded);
    at.hash = keccak256(encoded);
    return at.hash;
  }

  #encodeBranch({ path, children }: Branch, position: string): Uint8Array {
    let bitmap = 0;
    const parts: Uint8Array[] = [];
    for (let nibble = 0; nibble < BRANCHES; nibble++) {
      const child = children[nibble];
      if (!child) continue;
      bitmap |= 1 << nibble;
      parts.push(compact(HASH_SIZE), this.#store(child, position + path + nibble.toString(16)));
    }
    return concatBytes(header(BRANCH, 2, path.length), pack(path), Uint8Array.of(bitmap & 0xff, bitmap >> 8), ...parts);
  }
}

function commonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

function encodeLeaf({ path, content, isHashed }: Leaf): Uint8Array {
  if (isHashed) return concatBytes(header(HASHED_LEAF, 3, path.length), pack(path), content);
  return concatBytes(header(INLINE_LEAF, 2, path.length), pack(path), compact(content.length), content);
}

/** Prefix and number of nibbles. @param bits bits of the first byte that the prefix takes */
function header(prefix: number, bits: number, count: number): Uint8Array {
  const mask = 255 >> bits;
  if (count < mask) return Uint8Array.of(prefix | count);
  const bytes = [prefix | mask];
  let rest = count - (mask - 1);
  for (; rest >= 256; rest -= 255) bytes.push(255);
  return Uint8Array.from([...bytes, rest - 1]);
}

/** Nibbles as bytes; an odd first one stands alone. */
function pack(path: string): Uint8Array {
  return fromHex(path.length % 2 === 0 ? path : `0${path}`);
}

function compact(length: number): Uint8Array {
  if (length < 64) return Uint8Array.of(length << 2);
  return Uint8Array.of(((length << 2) | 1) & 0xff, length >> 6);
}

function decodeNode(bytes: Uint8Array): Leaf | Branch {
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
  const children: (Child | undefined)[] = new Array(BRANCHES);
  let at = 2;
  for (let nibble = 0; nibble < BRANCHES; nibble++) {
    if ((bitmap & (1 << nibble)) === 0) continue;
    children[nibble] = { hash: bytes.subarray(at + 1, at + 1 + HASH_SIZE), node: undefined };
    at += 1 + HASH_SIZE;
  }
  return children;
}
