import { sha256d, writeSha256d } from '../crypto/hash.js';
import { concatBytes, equalBytes } from '../util/bytes.js';
import { type Codec, list, struct, u32, varBytes } from './codec.js';
import { HASH_BYTES, type Hash256, hash256 } from './hash.js';
import { type BlockHeader, blockHeader } from './header.js';

/** Partial merkle tree, which proves some leaves of a block (BIP37). */
export interface PartialMerkleTree {
  /** Leaves of the whole tree. */
  readonly leafCount: number;
  /** Hashes in the order of a depth-first walk from the root. */
  readonly hashes: readonly Hash256[];
  /** One bit per visited node, lowest bit of the first byte first; set if the subtree contains a proven leaf. */
  readonly flags: Uint8Array;
}

export const partialMerkleTree: Codec<PartialMerkleTree> = struct<PartialMerkleTree>({
  leafCount: u32,
  hashes: list(hash256),
  flags: varBytes,
});

/** A header with the proof of some transactions. */
export interface MerkleBlock {
  readonly header: BlockHeader;
  readonly tree: PartialMerkleTree;
}

export const merkleBlock: Codec<MerkleBlock> = struct<MerkleBlock>({ header: blockHeader, tree: partialMerkleTree });

/** Maximum transactions of a block: its weight limit divided by the minimum weight of a transaction. */
const MAX_LEAVES = Math.floor(64_000_000 / (60 * 4));

/** Nodes at a height above the leaves. */
function widthAt(leafCount: number, height: number): number {
  return Math.ceil(leafCount / 2 ** height);
}

function treeHeight(leafCount: number): number {
  let height = 0;
  while (widthAt(leafCount, height) > 1) height++;
  return height;
}

function parentHash(left: Hash256, right: Hash256): Hash256 {
  return sha256d(concatBytes(left, right));
}

/**
 * Builds the proof of some leaves.
 * @param proven for each leaf, true if it is to be proven
 * @throws {RangeError} without leaves
 */
export function buildPartialMerkleTree(leaves: readonly Hash256[], proven: readonly boolean[]): PartialMerkleTree {
  if (leaves.length === 0) throw new RangeError('a tree needs leaves');
  const levels: Level[] = [{ hashes: Buffer.concat(leaves), matches: proven }];
  for (let below = levels[0]; below && below.matches.length > 1; below = levels.at(-1)) levels.push(levelAbove(below));
  const hashes: Hash256[] = [];
  const bits: boolean[] = [];
  const walk = (height: number, at: number): void => {
    const level = levels[height] as Level;
    const match = level.matches[at] === true;
    bits.push(match);
    if (height === 0 || !match) {
      hashes.push(level.hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
      return;
    }
    walk(height - 1, at * 2);
    if (at * 2 + 1 < (levels[height - 1] as Level).matches.length) walk(height - 1, at * 2 + 1);
  };
  walk(levels.length - 1, 0);
  return { leafCount: leaves.length, hashes, flags: packBits(bits) };
}

interface Level {
  /** Hashes of the nodes, one after the other. */
  readonly hashes: Buffer;
  /** For each node, true if a leaf below it is proven. */
  readonly matches: readonly boolean[];
}

function levelAbove({ hashes, matches }: Level): Level {
  const size = Math.ceil(matches.length / 2);
  const above = Buffer.allocUnsafe(size * HASH_BYTES);
  const matchesAbove: boolean[] = [];
  for (let i = 0; i < size; i++) {
    const children = hashes.subarray(i * 2 * HASH_BYTES, (i + 1) * 2 * HASH_BYTES);
    // The last node of an odd level is its own sibling.
    writeSha256d(children.length > HASH_BYTES ? children : Buffer.concat([children, children]), above, i * HASH_BYTES);
    matchesAbove.push(matches[i * 2] === true || matches[i * 2 + 1] === true);
  }
  return { hashes: above, matches: matchesAbove };
}

function packBits(bits: readonly boolean[]): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(bits.length / 8));
  bits.forEach((bit, i) => {
    if (bit) bytes[i >> 3] = (bytes[i >> 3] as number) | (1 << (i & 7));
  });
  return bytes;
}

export interface ProvenLeaves {
  /** Root that the proof implies; must equal that of the header. */
  readonly root: Hash256;
  /** Proven leaves, in block order. */
  readonly leaves: readonly Hash256[];
  /** Index of each among the leaves of the whole tree. */
  readonly positions: readonly number[];
}

class Malformed extends Error {}

/** Extracts root and proven leaves. @returns undefined if the tree is malformed */
export function readPartialMerkleTree(tree: PartialMerkleTree): ProvenLeaves | undefined {
  const { leafCount, hashes, flags } = tree;
  const bitCount = flags.length * 8;
  if (leafCount === 0 || leafCount > MAX_LEAVES || hashes.length > leafCount || bitCount < hashes.length) return undefined;
  try {
    const walker = new TreeWalker(tree);
    const root = walker.visit(treeHeight(leafCount), 0);
    return walker.isAllUsed() ? { root, leaves: walker.leaves, positions: walker.positions } : undefined;
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

class TreeWalker {
  readonly leaves: Hash256[] = [];
  readonly positions: number[] = [];
  #bits = 0;
  #hashes = 0;

  constructor(private readonly tree: PartialMerkleTree) {}

  visit(height: number, at: number): Hash256 {
    const match = this.#nextBit();
    if (height === 0 || !match) {
      const hash = this.#nextHash();
      if (height === 0 && match) {
        this.leaves.push(hash);
        this.positions.push(at);
      }
      return hash;
    }
    const left = this.visit(height - 1, at * 2);
    if (at * 2 + 1 >= widthAt(this.tree.leafCount, height - 1)) return parentHash(left, left);
    const right = this.visit(height - 1, at * 2 + 1);
    // With equal halves another list of leaves has the same root (CVE-2012-2459).
    if (equalBytes(left, right)) throw new Malformed();
    return parentHash(left, right);
  }

  isAllUsed(): boolean {
    return this.#hashes === this.tree.hashes.length && Math.ceil(this.#bits / 8) === this.tree.flags.length;
  }

  #nextBit(): boolean {
    const at = this.#bits++;
    const byte = this.tree.flags[at >> 3];
    if (byte === undefined) throw new Malformed();
    return ((byte >> (at & 7)) & 1) === 1;
  }

  #nextHash(): Hash256 {
    const hash = this.tree.hashes[this.#hashes++];
    if (!hash) throw new Malformed();
    return hash;
  }
}
