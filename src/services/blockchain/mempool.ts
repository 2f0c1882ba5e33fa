import type {
  ClearMempoolRequest,
  ClearMempoolResponse,
  GetMempoolAncestorsRequest,
  GetMempoolAncestorsResponse,
  GetMempoolDescendantsRequest,
  GetMempoolDescendantsResponse,
  GetMempoolEntryRequest,
  GetMempoolEntryResponse,
  GetMempoolInfoRequest,
  GetMempoolInfoResponse,
  GetRawMempoolRequest,
  GetRawMempoolResponse,
  MempoolEntry as MempoolEntryMessage,
  SaveMempoolRequest,
  SaveMempoolResponse,
} from '../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import type { MempoolEntry } from '../../mempool/entry.js';
import { inRelayOrder, inTxidOrder, isRelayedBefore } from '../../mempool/order.js';
import { isReplaceable } from '../../mempool/replacement.js';
import { formatHash, type Hash256 } from '../../primitives/hash.js';
import type { CallContext, Handler } from '../../rpc/handler.js';
import { LongMap } from '../../rpc/long-map.js';
import { compareParts } from '../../rpc/page-list.js';
import { type NeededElements, neededElements } from '../../rpc/page-range.js';
import { parseHash } from '../../rpc/shapes.js';
import { NodeError } from '../../util/errors.js';
import { Heap, type HeapItem } from '../../util/heap.js';
import { sortInSlices } from '../../util/sliced-sort.js';
import { eachInSlices, type MaybePromise, mapInSlices, Slicer, withValue } from '../../util/slicer.js';
import type { Wallet } from '../../wallet/wallet.js';
import type { Wallets } from '../../wallet/wallets/manager.js';
import type { MempoolModules } from './modules.js';

type View = Pick<MempoolModules, 'mempool' | 'deprecated'>;

/** Longer lists are sorted in slices. */
const SORTED_AT_ONCE = 1_000;

/**
 * Lists the mempool, for a page only the transactions of that page. A large one is listed in slices, and each transaction is described as of its slice.
 * @see docs/protocol/rpc-chain.md 3.1.12
 */
export const getRawMempool: Handler<View, GetRawMempoolRequest, GetRawMempoolResponse> = (modules, request, call) => {
  const entries = [...modules.mempool.pool.entries()];
  const needed = neededElements(request);
  if (needed) return withValue(firstByTxid(entries, needed, call), (found) => formatList(found, request.verbose ?? false, modules, call));
  const isShort = entries.length <= SORTED_AT_ONCE;
  const sorted = isShort ? inRelayOrder(entries) : sortInSlices(entries, isRelayedBefore, new Slicer(call));
  return withValue(sorted, (inOrder) => formatList(inOrder, request.verbose ?? false, modules, call));
};

/** @see docs/protocol/rpc-chain.md 3.1.13 */
export const getMempoolAncestors: Handler<View, GetMempoolAncestorsRequest, GetMempoolAncestorsResponse> = (modules, request, call) => {
  const verbose = request.verbose ?? false;
  return formatList(inTxidOrder(requireEntry(modules, request.txid).allAncestors()), verbose, modules, call);
};

/** @see docs/protocol/rpc-chain.md 3.1.13 */
export const getMempoolDescendants: Handler<View, GetMempoolDescendantsRequest, GetMempoolDescendantsResponse> = (
  modules,
  request,
  call,
) => {
  const verbose = request.verbose ?? false;
  return formatList(inTxidOrder(requireEntry(modules, request.txid).allDescendants()), verbose, modules, call);
};

/** @see docs/protocol/rpc-chain.md 3.1.14 */
export const getMempoolEntry: Handler<View, GetMempoolEntryRequest, GetMempoolEntryResponse> = (modules, { txid }) => ({
  entry: formatEntry(requireEntry(modules, txid), modules),
});

/** @see docs/protocol/rpc-chain.md 3.1.15 */
export const getMempoolInfo: Handler<Omit<MempoolModules, 'deprecated'>, GetMempoolInfoRequest, GetMempoolInfoResponse> = ({
  mempool,
  mempoolPersistence,
}) => ({
  loaded: mempoolPersistence.loaded,
  size: BigInt(mempool.pool.size),
  bytes: BigInt(mempool.pool.totalSize),
  usage: BigInt(mempool.pool.memoryUsage),
  maxmempool: BigInt(mempool.maxBytes),
  mempoolminfee: mempool.minimumFeeRate(),
  minrelaytxfee: mempool.policy.minRelayFeeRate,
});

/** @see docs/protocol/rpc-chain.md 3.1.16 */
export const saveMempool: Handler<Pick<MempoolModules, 'mempoolPersistence'>, SaveMempoolRequest, SaveMempoolResponse> = async ({
  mempoolPersistence,
}) => {
  if (!mempoolPersistence.loaded) throw new NodeError('misc', 'The mempool was not loaded yet');
  try {
    await mempoolPersistence.save();
  } catch (cause) {
    throw new NodeError('misc', 'Unable to dump mempool to disk', { cause });
  }
  return {};
};

type Clearing = Pick<MempoolModules, 'mempool'> & { readonly wallets?: Pick<Wallets, 'find'> | undefined };

/** Clears mempool and wallet. A transaction that was in both is listed twice. @see docs/protocol/rpc-chain.md 3.1.17 */
export const clearMempool: Handler<Clearing, ClearMempoolRequest, ClearMempoolResponse> = ({ mempool, wallets }, _, call) => {
  const wallet = wallets?.find(call.wallet);
  const cleared = mempool.clear().map(({ tx }) => tx.txid);
  const forgotten = wallet ? forgetUnconfirmed(wallet) : [];
  return { txids: [...cleared, ...forgotten].map(formatHash) };
};

/** Removes the wallet's unconfirmed transactions, except coinbases, which cannot be confirmed again. */
function forgetUnconfirmed(wallet: Wallet): Hash256[] {
  const waiting = [...wallet.txs.all()].filter((wtx) => !wtx.isCoinbase && wtx.depth(wallet.deps.chain) === 0);
  for (const wtx of waiting) wallet.txs.remove(wtx);
  wallet.commit();
  return waiting.map(({ tx }) => tx.txid);
}

/** Entry with its rank by txid. */
interface Ranked extends HeapItem {
  readonly txid: string;
  readonly entry: MempoolEntry;
}

/** The entries of a page in any order: those with the lowest txids behind that of the page before. */
function firstByTxid(entries: readonly MempoolEntry[], { after, count }: NeededElements, call: CallContext): MaybePromise<MempoolEntry[]> {
  const last = after?.[0];
  const found = new Set<Ranked>();
  const highestFirst = new Heap<Ranked>((a, b) => compareParts(a.txid, b.txid) > 0);
  const consider = (entry: MempoolEntry): void => {
    const txid = formatHash(entry.tx.txid);
    if (last !== undefined && compareParts(txid, last) <= 0) return;
    const highest = found.size < count ? undefined : highestFirst.peek();
    if (highest) {
      if (compareParts(txid, highest.txid) > 0) return;
      highestFirst.delete(highest);
      found.delete(highest);
    }
    const ranked = { txid, entry, heapIndex: -1 };
    highestFirst.push(ranked);
    found.add(ranked);
  };
  return withValue(eachInSlices(entries, consider, call), () => Array.from(found, ({ entry }) => entry));
}

function requireEntry({ mempool }: View, text: string): MempoolEntry {
  const entry = mempool.pool.get(parseHash(text, 'parameter 1'));
  if (!entry) throw new NodeError('transaction-not-found', 'Transaction not in mempool');
  return entry;
}

function formatList(
  entries: readonly MempoolEntry[],
  verbose: boolean,
  modules: View,
  call: CallContext,
): MaybePromise<GetRawMempoolResponse> {
  if (!verbose) {
    const txids = mapInSlices(entries, ({ tx }) => formatHash(tx.txid), call);
    return withValue(txids, (value) => ({ transactions: { $case: 'txids', value: { txids: value } } }));
  }
  const objects = new LongMap<MempoolEntryMessage>();
  const format = (entry: MempoolEntry): void => objects.set(formatHash(entry.tx.txid), formatEntry(entry, modules));
  return withValue(eachInSlices(entries, format, call), () => ({
    transactions: { $case: 'entries', value: { entries: objects.inMessage() } },
  }));
}

/** @see docs/protocol/rpc-chain.md 3.1.11 */
function formatEntry(entry: MempoolEntry, { deprecated }: View): MempoolEntryMessage {
  const { tx, fee, modifiedFee, vsize, weight, ancestors, descendants } = entry;
  return {
    fees: { base: fee, modified: modifiedFee, ancestor: ancestors.fees, descendant: descendants.fees },
    vsize,
    size: deprecated.includes('size') ? vsize : undefined,
    weight,
    fee,
    modifiedfee: modifiedFee,
    time: BigInt(entry.time),
    height: entry.height,
    descendantcount: BigInt(descendants.count),
    descendantsize: BigInt(descendants.size),
    descendantfees: descendants.fees,
    ancestorcount: BigInt(ancestors.count),
    ancestorsize: BigInt(ancestors.size),
    ancestorfees: ancestors.fees,
    wtxid: formatHash(tx.wtxid),
    depends: [...entry.parents].map((parent) => formatHash(parent.tx.txid)).sort(),
    spentby: inTxidOrder(entry.children).map((child) => formatHash(child.tx.txid)),
    bip125Replaceable: isReplaceable(entry),
  };
}
