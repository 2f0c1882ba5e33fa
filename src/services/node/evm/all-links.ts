import type { LogVmMapsRequest, LogVmMapsResponse, VmLink } from '../../../../gen/ts/dfi/node/v1/evm.js';
import type { Chain } from '../../../chain/chain.js';
import { evmHashes, evmHeaders, evmNumbers, evmPlaces } from '../../../dfi/evm/block-columns.js';
import { evmHeader } from '../../../dfi/evm/blocks.js';
import { formatHash } from '../../../primitives/hash.js';
import type { Handler } from '../../../rpc/handler.js';
import type { StateView } from '../../../storage/view.js';
import { toHex } from '../../../util/bytes.js';
import { invalidParameter } from '../../../util/errors.js';
import { sortInSlices } from '../../../util/sliced-sort.js';
import { Slicer } from '../../../util/slicer.js';

interface Modules {
  readonly chain: Pick<Chain, 'snapshot'>;
}

/** All links of a type. Yields undefined for a row without a link. */
type Links = (view: StateView) => Iterable<VmLink | undefined>;

/** Links by type, in the order of the store. */
const TYPES: readonly Links[] = [blocksToEvm, blocksFromEvm, transactionsToEvm, transactionsFromEvm];

/** @see docs/protocol/evm-engine.md 9.2 */
export const logVmMaps: Handler<Modules, LogVmMapsRequest, LogVmMapsResponse> = async ({ chain }, { type }, call) => {
  const links = TYPES[type];
  if (!links) throw invalidParameter('type out of range');
  const slicer = new Slicer(call);
  const found: VmLink[] = [];
  const snapshot = chain.snapshot();
  try {
    for (const link of links(snapshot)) {
      const paused = slicer.pause();
      if (paused) await paused;
      if (link) found.push(link);
    }
  } finally {
    snapshot.close();
  }
  const indexes = await sortInSlices(found, (a, b) => a.key < b.key, slicer);
  return { indexes, count: BigInt(indexes.length) };
};

function* blocksToEvm(view: StateView): Iterable<VmLink> {
  for (const [, { dvmHash, hash }] of view.entries(evmHeaders)) yield { key: formatHash(dvmHash), value: toHex(hash) };
}

function* blocksFromEvm(view: StateView): Iterable<VmLink | undefined> {
  for (const [hash, number] of view.entries(evmNumbers)) {
    const header = evmHeader(view, number);
    yield header && { key: toHex(hash), value: formatHash(header.dvmHash) };
  }
}

function* transactionsToEvm(view: StateView): Iterable<VmLink> {
  for (const [txid, hash] of view.entries(evmHashes)) yield { key: formatHash(txid), value: toHex(hash) };
}

function* transactionsFromEvm(view: StateView): Iterable<VmLink | undefined> {
  for (const [hash, { txid }] of view.entries(evmPlaces)) yield txid && { key: toHex(hash), value: formatHash(txid) };
}
