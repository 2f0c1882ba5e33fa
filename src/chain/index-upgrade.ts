import { workOf } from '../consensus/pos/target.js';
import { type Change, inBatches } from '../storage/batches.js';
import { StoreDamaged } from '../storage/errors.js';
import type { Migration } from '../storage/version.js';
import type { Store } from '../storage/view.js';
import type { Logger } from '../util/logger.js';
import { BlockFileIndex } from './file-index.js';
import { type ActiveBlock, activeBlocks, branches, fileSummaries, headers, marks, TIP_KEY, tips } from './records.js';

/** Above all heights: any block may have been stored without its witnesses. */
const ALL_HEIGHTS = 0xffffffff;

/** First format with these lists and marks. */
export const INDEX_FORMAT = 2;

/**
 * Format 1 kept all headers by hash only, and a start read all of them. Adds the active chain by height, the list of branches, the
 * summaries of the block files, and the marks.
 */
export function indexActiveChain(log: Pick<Logger, 'info'>): Migration {
  return {
    from: INDEX_FORMAT - 1,
    async run(store) {
      const tip = store.get(tips, TIP_KEY);
      const height = tip && store.get(headers, tip)?.height;
      if (height === undefined) return;
      log.info('upgrading the block index, which takes minutes for a million blocks', { height });
      await inBatches(store, writeActiveChain(store, tip as Uint8Array));
      await inBatches(store, addUp(store));
      await inBatches(store, listBranches(store, height));
    },
  };
}

/** Blocks of the active chain, from the tip down, without the sums over their ancestors. */
function* writeActiveChain(store: Store, tip: Uint8Array): Generator<Change> {
  for (let hash = tip; ; ) {
    const record = store.get(headers, hash);
    if (!record) throw new StoreDamaged('a header of the active chain is missing; start with -reindex to build the database again');
    const { header, height, nTx, flags, position } = record;
    const { version, time, bits } = header;
    const block = { hash, version, time, bits, nTx, flags, position, chainWork: 0n, maxTime: 0, chainTx: 0 };
    yield (batch) => batch.put(activeBlocks, height, block);
    if (height === 0) return;
    hash = header.prevHash;
  }
}

/** The blocks of the active chain from genesis up, with the sums over their ancestors; the summaries of the files, and the marks. */
function* addUp(store: Store): Generator<Change> {
  const files = new BlockFileIndex();
  let below = { chainWork: 0n, maxTime: 0, chainTx: 0 };
  let pruned: number | undefined;
  for (const [height, block] of store.entries(activeBlocks)) {
    below = {
      chainWork: below.chainWork + workOf(block.bits),
      maxTime: Math.max(below.maxTime, block.time),
      chainTx: below.chainTx + block.nTx,
    };
    const whole: ActiveBlock = { ...block, ...below };
    yield (batch) => batch.put(activeBlocks, height, whole);
    files.note({ height, position: block.position });
    if (!block.position) pruned = height + 1;
  }
  yield (batch) => {
    files.save(batch);
    if (pruned !== undefined) batch.put(marks, 'pruned', pruned);
    batch.put(marks, 'segwit', ALL_HEIGHTS);
  };
}

/** Headers that are not part of the active chain, and the files of their blocks. */
function* listBranches(store: Store, tipHeight: number): Generator<Change> {
  const files = new BlockFileIndex(store.entries(fileSummaries));
  const isActive = activeHashes(store, tipHeight);
  for (const [hash, { height, position, nTx }] of store.entries(headers)) {
    if (isActive(hash, height)) continue;
    yield (batch) => {
      batch.put(branches, hash, true);
      // Pruned, at no height of the active chain.
      if (!position && nTx > 0 && store.get(marks, 'pruned') === undefined) batch.put(marks, 'pruned', 0);
    };
    files.note({ height, position });
  }
  yield (batch) => files.save(batch);
}

/** Membership in the active chain, by 8 bytes of each hash: finding another header with the same ones takes 2^64 attempts. */
function activeHashes(store: Store, tipHeight: number): (hash: Uint8Array, height: number) => boolean {
  const start = (hash: Uint8Array) => Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).readBigUInt64LE();
  const known = new BigUint64Array(tipHeight + 1);
  for (const [height, { hash }] of store.entries(activeBlocks)) known[height] = start(hash);
  return (hash, height) => known[height] === start(hash);
}
