import { keccak256 } from '../../crypto/keccak.js';
import { DecodeError } from '../../primitives/codec.js';
import { equalBytes } from '../../util/bytes.js';
import { BRANCHES, type Branch, type Child, decodeNode, encodeNode, type Leaf, MAX_INLINE, nibbleAt } from './trie-node.js';
import { TriePath } from './trie-path.js';

/** Nodes of one trie by position: the nibbles from the root to the start of the node, as hex digits; the root is ''. */
export interface ReadableNodes {
  /** Undefined for none. */
  readonly cache?: TrieCache | undefined;
  get(position: string): Uint8Array | undefined;
}

/** Nodes of a trie that can be changed. */
export interface TrieNodes extends ReadableNodes {
  put(position: string, node: Uint8Array): void;
  delete(position: string): void;
}

/** Root of a trie without entries. */
export const EMPTY_ROOT: Uint8Array = keccak256(Uint8Array.of(0));

/** Root of a trie as it is stored. */
interface StoredRoot {
  readonly encoded: Uint8Array;
  readonly root: Child;
  /** Nodes that were loaded or made, an upper bound. */
  readonly nodes: number;
  /** Path to the value that was replaced last. */
  path?: TriePath;
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
 * Loaded nodes of the last roots of one trie, and its last small commits, because a block that this node mints is executed twice. A root is
 * found by its encoding, which commits to all nodes below it. So nothing needs invalidation when a block is disconnected or only tried.
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
    this.#opened = openRoot(nodes);
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

  /**
   * Root that the trie would have with another value of a key; nothing is stored. To be called after `commit`. @param key hex digits; it is
   * in the trie, like `value` with more than 32 bytes @returns 32 bytes
   */
  rootWith(key: string, value: Uint8Array): Uint8Array {
    return triePath(this.nodes, key).rootWith(value);
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
    if (!child.node) this.#loaded += 1;
    return load(this.nodes, child, position);
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

/** Path to a key of the stored trie. @param key hex digits; it is in the trie */
export function triePath(nodes: ReadableNodes, key: string): TriePath {
  const stored = openRoot(nodes);
  if (!stored) throw new Error(`no value at ${key}`);
  nodes.cache?.keep(stored);
  if (stored.path?.key !== key) stored.path = new TriePath(key, nodesTo(nodes, key, stored.root));
  return stored.path;
}

/** Nodes from the root to the leaf of a key, all stored. */
function nodesTo(nodes: ReadableNodes, key: string, root: Child): readonly (Leaf | Branch)[] {
  const found: (Leaf | Branch)[] = [];
  let depth = 0;
  for (let at: Child | undefined = root; at; ) {
    const node = load(nodes, at, key.slice(0, depth));
    if (!key.startsWith(node.path, depth)) throw new Error(`no value at ${key}`);
    found.push(node);
    depth += node.path.length;
    at = node.kind === 'branch' ? node.children[nibbleAt(key, depth)] : undefined;
    depth += 1;
  }
  return found;
}

function load(nodes: ReadableNodes, child: Child, position: string): Leaf | Branch {
  if (child.node) return child.node;
  const stored = nodes.get(position);
  if (!stored) throw new DecodeError(`no trie node at ${position}`);
  child.node = decodeNode(stored);
  return child.node;
}

function openRoot(nodes: ReadableNodes): StoredRoot | undefined {
  const encoded = nodes.get('');
  return encoded && (nodes.cache?.find(encoded) ?? { encoded, root: { hash: undefined, node: decodeNode(encoded) }, nodes: 1 });
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
