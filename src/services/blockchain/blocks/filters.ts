import type { GetBlockFilterRequest, GetBlockFilterResponse } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import type { BlockIndexEntry } from '../../../chain/block-index.js';
import { formatHash } from '../../../primitives/hash.js';
import type { Handler } from '../../../rpc/handler.js';
import { parseHash } from '../../../rpc/shapes.js';
import { toHex } from '../../../util/bytes.js';
import { NodeError } from '../../../util/errors.js';
import { requireBlockEntry } from '../../format/blocks.js';
import type { BlockchainModules, FilterLookup } from '../modules.js';

const BASIC = 'basic';

type Modules = Pick<BlockchainModules, 'filterIndex'> & { readonly chain: Pick<BlockchainModules['chain'], 'entry'> };

export const getBlockFilter: Handler<Modules, GetBlockFilterRequest, GetBlockFilterResponse> = ({ chain, filterIndex }, request) => {
  const hash = parseHash(request.blockhash, 'blockhash');
  const filtertype = request.filtertype ?? BASIC;
  if (filtertype !== BASIC) throw new NodeError('not-found', 'Unknown filtertype');
  if (!filterIndex) throw new NodeError('misc', `Index is not enabled for filtertype ${filtertype}`);
  const entry = requireBlockEntry(chain, hash);
  const found = filterIndex.filter(entry);
  if (!found) throw missing(entry, filterIndex);
  return { filter: toHex(found.filter), header: formatHash(found.header) };
};

function missing(entry: BlockIndexEntry, { synced }: FilterLookup): NodeError {
  // `defid` treats an invalidated block as one that was never connected.
  if (!entry.valid || entry.failed) return new NodeError('not-found', 'Filter not found. Block was not connected to active chain.');
  return synced
    ? new NodeError('internal', 'Filter not found. This error is unexpected and indicates index corruption.')
    : new NodeError('misc', 'Filter not found. Block filters are still in the process of being indexed.');
}
