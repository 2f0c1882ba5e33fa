import { toHex } from '../../util/bytes.js';

/** Values up to this size are stored in their leaf; of larger ones, the hash. */
export const MAX_INLINE = 32;
/** Bytes of a hash. */
export const HASH_SIZE = 32;
/** Children of a branch at most, one for each nibble. */
export const BRANCHES = 16;
const INLINE_LEAF = 0x40;
const HASHED_LEAF = 0x20;
const BRANCH = 0x80;

/** Nodes are never changed: tries of several blocks share them. */
export interface Leaf {
  readonly kind: 'leaf';
  /** Nibbles below the start of the node, as hex digits. */
  readonly path: string;
  /** Value, or its hash if it is longer than 32 bytes. */
  readonly content: Uint8Array;
  readonly isHashed: boolean;
}

/** Branch node: keys diverge here after a common path. */
export interface Branch {
  readonly kind: 'branch';
  readonly path: string;
  readonly children: readonly (Child | undefined)[];
}

/** Reference to a node. Its parts are added as they become known. */
export interface Child {
  /** Undefined until the node is stored. */
  hash: Uint8Array | undefined;
  /** Undefined until it is loaded. */
  node: Leaf | Branch | undefined;
}

/** Header, path and content of a leaf, or header, path, bitmap and hashes of a branch. */
export function encodeNode(node: Leaf | Branch): Uint8Array {
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

/** Reads a node that {@link encodeNode} made; what it refers to is not loaded. */
export function decodeNode(stored: Uint8Array): Leaf | Branch {
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

const ZERO = 0x30;
const BEFORE_A = 0x57;

/** Value of a hex digit. */
export function nibbleAt(digits: string, at: number): number {
  const code = digits.charCodeAt(at);
  return code > BEFORE_A ? code - BEFORE_A : code - ZERO;
}
