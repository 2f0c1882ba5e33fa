import { keccak256 } from '../../crypto/keccak.js';
import { EMPTY_BYTES } from '../../util/bytes.js';
import { encodeInteger } from '../words.js';
import { encodeRlp, type Rlp } from './rlp.js';

const BRANCHES = 16;
const HASH_SIZE = 32;
const EMPTY_ROOT = keccak256(encodeRlp(EMPTY_BYTES));

/** Entry of a Merkle-Patricia tree. */
export interface TreeEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

interface Entry {
  /** Key as nibbles. */
  readonly path: readonly number[];
  readonly value: Uint8Array;
}

/** Root of the Merkle-Patricia tree of a list, keyed by the RLP of the index: transactions and receipts of a block. */
export function orderedRoot(items: readonly Uint8Array[]): Uint8Array {
  return treeRoot(items.map((value, index) => ({ key: encodeRlp(encodeInteger(BigInt(index))), value })));
}

/** Root of a Merkle-Patricia tree. @param entries no key is the start of another @see Ethereum yellow paper, appendix D */
export function treeRoot(entries: readonly TreeEntry[]): Uint8Array {
  if (entries.length === 0) return EMPTY_ROOT;
  const paths = entries.map(({ key, value }) => ({ path: nibblesOf(key), value }));
  return keccak256(encodeRlp(nodeOf(paths, 0)));
}

function nodeOf(entries: readonly Entry[], depth: number): Rlp {
  const [first] = entries as readonly [Entry];
  if (entries.length === 1) return [hexPrefix(first.path.slice(depth), true), first.value];
  let common = depth;
  while (entries.every(({ path }) => path.length > common && path[common] === first.path[common])) common += 1;
  if (common > depth) return [hexPrefix(first.path.slice(depth, common), false), reference(nodeOf(entries, common))];
  const children: Rlp[] = [];
  for (let nibble = 0; nibble < BRANCHES; nibble++) {
    const below = entries.filter(({ path }) => path[depth] === nibble);
    children.push(below.length === 0 ? EMPTY_BYTES : reference(nodeOf(below, depth + 1)));
  }
  // No key is the start of another, so branches carry no value.
  return [...children, EMPTY_BYTES];
}

/** A node within another: itself if it is short, else its hash. */
function reference(node: Rlp): Rlp {
  const encoded = encodeRlp(node);
  return encoded.length < HASH_SIZE ? node : keccak256(encoded);
}

/** @see Ethereum yellow paper, appendix C */
function hexPrefix(nibbles: readonly number[], isLeaf: boolean): Uint8Array {
  const isOdd = nibbles.length % 2 === 1;
  const flag = (isLeaf ? 2 : 0) + (isOdd ? 1 : 0);
  const padded = isOdd ? [flag, ...nibbles] : [flag, 0, ...nibbles];
  return Uint8Array.from({ length: padded.length / 2 }, (_, i) => (padded[2 * i] as number) * 16 + (padded[2 * i + 1] as number));
}

function nibblesOf(bytes: Uint8Array): readonly number[] {
  return [...bytes].flatMap((byte) => [byte >> 4, byte & 15]);
}
