import type { PruneBlockchainRequest, PruneBlockchainResponse } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { MIN_BLOCKS_TO_KEEP } from '../../../chain/pruning.js';
import { TIMESTAMP_WINDOW_SEC } from '../../../consensus/limits.js';
import type { Handler } from '../../../rpc/handler.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { WorkReporter } from '../../../util/work-report.js';
import type { BlockchainModules } from '../modules.js';

type Chain = Pick<BlockchainModules['chain'], 'params' | 'tip' | 'entryAt' | 'pruning' | 'pruneTo' | 'lowestStored'>;

/** Larger numbers are timestamps instead of heights. */
const LAST_HEIGHT = 1_000_000_000;

/** @see docs/protocol/rpc-chain.md 3.1.23 */
export const pruneBlockchain: Handler<
  Pick<BlockchainModules, 'report'> & { readonly chain: Chain },
  PruneBlockchainRequest,
  PruneBlockchainResponse
> = async ({ chain, report }, request) => {
  if (!chain.pruning) throw new NodeError('misc', 'Cannot prune blocks because node is not in prune mode.');
  const given = request.height;
  if (given < 0) throw invalidParameter('Negative block height.');
  const height = given > LAST_HEIGHT ? heightAt(given - TIMESTAMP_WINDOW_SEC, chain) : given;
  const { tip, params } = chain;
  if (tip.height < params.pruneAfterHeight) throw new NodeError('misc', 'Blockchain is too short for pruning.');
  if (height > tip.height) throw invalidParameter('Blockchain is shorter than the attempted prune height.');
  const reporter = new WorkReporter({ work: 'pruning blocks' }, report);
  try {
    await chain.pruneTo(Math.min(height, tip.height - MIN_BLOCKS_TO_KEEP), (share) => reporter.update(share));
  } finally {
    reporter.end();
  }
  return { height: chain.lowestStored().height };
};

/** Height of the first block up to which the largest block time is at least `time`. */
function heightAt(time: number, chain: Chain): number {
  let low = 0;
  let high = chain.tip.height + 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((chain.entryAt(middle)?.maxTime ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  if (low > chain.tip.height) throw invalidParameter('Could not find block with at least the specified timestamp.');
  return low;
}
