import type { NetworkParams } from '../params/network.js';
import type { BlockTree } from './block-tree.js';
import type { ChainParts } from './chain-parts.js';
import { blocksLackingWitness } from './stored-blocks.js';

type Parts = Pick<ChainParts, 'db' | 'connector' | 'log'> & { readonly tree: Pick<BlockTree, 'tip' | 'from' | 'descendants'> };

/** Blocks that were stored before segwit activated at their height are validated again: from disk if complete, otherwise from peers. */
export function dropBlocksLackingWitness({ tree, db, connector, log }: Parts, params: NetworkParams): void {
  const { segwit } = params.buried;
  const suspectBelow = db.mark('segwit') ?? 0;
  const dropped = blocksLackingWitness(tree, params, suspectBelow);
  if (suspectBelow !== segwit) db.setMark('segwit', segwit);
  if (dropped.size === 0) return;
  log.info('re-validating blocks stored before segwit activated', { blocks: dropped.size });
  while (dropped.has(tree.tip)) connector.disconnect();
  for (const entry of dropped) {
    entry.nTx = 0;
    entry.chainTx = 0;
    entry.valid = false;
    entry.lacksWitness = false;
    db.forgetBlock(entry);
  }
  db.fileIndex.clear();
  for (const { position, height } of tree.from(0)) db.fileIndex.note({ position, height });
}
