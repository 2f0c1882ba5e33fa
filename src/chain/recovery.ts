import type { Hash256 } from '../primitives/hash.js';
import { toHex } from '../util/bytes.js';
import { Slicer } from '../util/slicer.js';
import type { BlockPosition } from './block-store.js';

/** A stored block that was looked at. */
export interface StoredBlock {
  readonly hash: Hash256;
  /** Its parent, where that is unknown so far; undefined once the block is taken. */
  readonly waitsFor: Hash256 | undefined;
  /** The block index had it already. */
  readonly known: boolean;
}

/**
 * Hands stored blocks to `take` one by one. Blocks arrived in any order, so one whose parent comes later is tried again behind it.
 * @returns how many were taken
 */
export async function recoverBlocks(
  positions: Iterable<BlockPosition>,
  take: (position: BlockPosition) => StoredBlock | undefined,
  { onProgress = () => {}, signal }: { readonly onProgress?: (taken: number) => void; readonly signal?: AbortSignal | undefined } = {},
): Promise<number> {
  const slicer = new Slicer(signal);
  const waiting = new Map<string, BlockPosition[]>();
  let taken = 0;
  for (const position of positions) {
    const ready = [position];
    for (let next = ready.shift(); next; next = ready.shift()) {
      await slicer.pause();
      const block = take(next);
      if (!block) continue;
      if (block.waitsFor) {
        const parent = toHex(block.waitsFor);
        waiting.set(parent, [...(waiting.get(parent) ?? []), next]);
        continue;
      }
      if (!block.known) taken += 1;
      onProgress(taken);
      ready.push(...(waiting.get(toHex(block.hash)) ?? []));
      waiting.delete(toHex(block.hash));
    }
  }
  return taken;
}
