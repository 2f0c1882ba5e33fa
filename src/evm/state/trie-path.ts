import { keccak256 } from '../../crypto/keccak.js';
import { equalBytes } from '../../util/bytes.js';
import { type Branch, encodeNode, HASH_SIZE, type Leaf, nibbleAt } from './trie-node.js';

/** Stored form of a node, with the position of the hash that leads on: of a child, or of the value. */
interface Step {
  readonly encoded: Uint8Array;
  readonly hashAt: number;
}

/** Way from the root of a trie to one of its values, to compute roots with other values in its place. */
export class TriePath {
  /** From the leaf to the root. Only the hashes on the path are ever changed. */
  readonly #steps: readonly Step[];
  #last: { readonly valueHash: Uint8Array; readonly root: Uint8Array } | undefined;

  /** @param key hex digits @param nodes from the root to the leaf of the key, whose value is hashed */
  constructor(
    readonly key: string,
    nodes: readonly (Leaf | Branch)[],
  ) {
    let depth = 0;
    const steps = nodes.map((node) => {
      depth += node.path.length + 1;
      return stepOf(node, key, depth - 1);
    });
    if (depth !== key.length + 1) throw new Error(`no value at ${key}`);
    this.#steps = steps.reverse();
  }

  /** @param value more than 32 bytes @returns 32 bytes */
  rootWith(value: Uint8Array): Uint8Array {
    const valueHash = keccak256(value);
    if (this.#last && equalBytes(this.#last.valueHash, valueHash)) return this.#last.root;
    let hash = valueHash;
    for (const { encoded, hashAt } of this.#steps) {
      encoded.set(hash, hashAt);
      hash = keccak256(encoded);
    }
    this.#last = { valueHash, root: hash };
    return hash;
  }
}

/** @param at position of the nibble that chooses a child of a branch */
function stepOf(node: Leaf | Branch, key: string, at: number): Step {
  const encoded = encodeNode(node);
  if (node.kind === 'leaf') return { encoded, hashAt: encoded.length - HASH_SIZE };
  let hashAt = encoded.length + 1;
  for (const child of node.children.slice(nibbleAt(key, at))) if (child) hashAt -= 1 + HASH_SIZE;
  return { encoded, hashAt };
}
