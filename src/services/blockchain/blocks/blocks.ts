import type {
  Block as BlockMessage,
  BlockTransactions,
  DetailedBlock,
  DetailedTransaction,
  GetBlockHeaderRequest,
  GetBlockHeaderResponse,
  GetBlockRequest,
  GetBlockResponse,
  PreciousBlockRequest,
  PreciousBlockResponse,
  TransactionList,
} from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import type { BlockIndexEntry } from '../../../chain/block-index.js';
import { shownMinter } from '../../../chain/shown-minter.js';
import { difficultyOf } from '../../../consensus/pos/target.js';
import { type Block, type BlockSizes, blockSizes, strippedBlock } from '../../../primitives/block.js';
import { type BlockOutline, txidsOf } from '../../../primitives/block-outline.js';
import { encode } from '../../../primitives/codec.js';
import { formatHash } from '../../../primitives/hash.js';
import { type BlockHeader, blockHeader } from '../../../primitives/header.js';
import type { Transaction } from '../../../primitives/transaction.js';
import type { CallContext, Handler } from '../../../rpc/handler.js';
import { parseHash } from '../../../rpc/shapes.js';
import { cacheJson } from '../../../rpc/write.js';
import { toHex } from '../../../util/bytes.js';
import { inSlices, type MaybePromise, mapInSlices, type Steps, withValue } from '../../../util/slicer.js';
import { requireBlockEntry, requireStored } from '../../format/blocks.js';
import { formatHex32, formatHex256 } from '../../format/numbers.js';
import { formatTransaction, transactionHex } from '../../format/transaction.js';
import type { BlockchainModules } from '../modules.js';
import { nonUtxoRewards } from './block-rewards.js';
import { detailedTransactions, formatMinter, formatRewards, showsDetails } from './details.js';

type Chain = BlockchainModules['chain'];
type HeaderModules = { readonly chain: Pick<Chain, 'entry' | 'header' | 'next' | 'confirmations'> };
type BlockModules = Pick<BlockchainModules, 'showsWitness'> & {
  readonly chain: Pick<
    Chain,
    'params' | 'tip' | 'state' | 'entry' | 'header' | 'loadBlock' | 'outline' | 'loadRaw' | 'next' | 'confirmations'
  >;
};

type Signalled = Pick<CallContext, 'signal'>;

const TRANSACTIONS_VERBOSITY = 2;

export const getBlock: Handler<BlockModules, GetBlockRequest, GetBlockResponse> = ({ chain, showsWitness }, request, call) => {
  const hash = parseHash(request.blockhash, 'blockhash');
  const verbosity = request.verbosity ?? 1;
  const entry = requireBlockEntry(chain, hash);
  if (verbosity <= 0) {
    return withValue(inSlices(blockBytes(entry, chain, showsWitness), call), (bytes) => ({
      block: { $case: 'hex', value: toHex(bytes) },
    }));
  }
  if (verbosity < TRANSACTIONS_VERBOSITY) {
    return withValue(inSlices(chain.outline(entry), call), (outline) => listedBlock(requireStored(entry, outline), entry, chain));
  }
  return withValue(inSlices(chain.loadBlock(entry), call), (block) =>
    wholeBlock(requireStored(entry, block), entry, verbosity, { chain, showsWitness }, call),
  );
};

function wholeBlock(
  block: Block,
  entry: BlockIndexEntry,
  verbosity: number,
  { chain, showsWitness }: BlockModules,
  call: Signalled,
): MaybePromise<GetBlockResponse> {
  if (showsDetails(verbosity, chain)) {
    return withValue(detailedTransactions(block, verbosity, { chain, showsWitness }, call), (tx) => {
      return { block: { $case: 'details', value: formatDetails(block, entry, tx, chain) } };
    });
  }
  return fullBlock(block, entry, { chain, showsWitness }, call);
}

function answer(value: BlockMessage): GetBlockResponse {
  return { block: { $case: 'object', value } };
}

function listedBlock(outline: BlockOutline, entry: BlockIndexEntry, chain: BlockModules['chain']): GetBlockResponse {
  const txids = txidsOf(outline).map(formatHash);
  const { header, sizes } = outline;
  return answer(formatBlock({ header, sizes, count: txids.length }, entry, { transactions: { $case: 'txids', value: { txids } } }, chain));
}

/**
 * Cached blocks that were requested in full once. The answer is cached from the second request on: a client that walks the chain
 * requests each block once, and caching an answer that is not requested again costs as much as making it.
 */
const requestedBlocks = new WeakSet<Block>();

/** Whole answers for the blocks that the chain has in memory, valid for one tip because confirmations and the minter depend on it. */
const fullBlocks = new WeakMap<Block, { readonly tip: BlockIndexEntry; readonly response: GetBlockResponse }>();

function fullBlock(block: Block, entry: BlockIndexEntry, modules: BlockModules, call: Signalled): MaybePromise<GetBlockResponse> {
  const { chain } = modules;
  if (!requestedBlocks.has(block)) {
    requestedBlocks.add(block);
    return withValue(decodeTransactions(block, modules, call), (list) =>
      answer(formatBlock(summaryOf(block), entry, decoded(list), chain)),
    );
  }
  const known = fullBlocks.get(block);
  if (known?.tip === chain.tip) return known.response;
  return withValue(cachedTransactions(block, modules, call), (list) => {
    const response = cacheJson(answer(formatBlock(summaryOf(block), entry, decoded(list), chain)));
    fullBlocks.set(block, { tip: chain.tip, response });
    return response;
  });
}

function* blockBytes(entry: BlockIndexEntry, chain: BlockModules['chain'], withWitness: boolean): Steps<Uint8Array> {
  if (withWitness) return requireStored(entry, yield* chain.loadRaw(entry));
  return yield* strippedBlock(requireStored(entry, yield* chain.loadBlock(entry)), chain.params.txFormat);
}

/** Decoded transactions of the blocks that the chain has in memory: explorers request the newest ones repeatedly. */
const decodedBlocks = new WeakMap<Block, TransactionList>();

function cachedTransactions(block: Block, modules: BlockModules, call: Signalled): MaybePromise<TransactionList> {
  const known = decodedBlocks.get(block);
  if (known) return known;
  return withValue(decodeTransactions(block, modules, call), (list) => {
    decodedBlocks.set(block, cacheJson(list));
    return list;
  });
}

function decodeTransactions(block: Block, { chain, showsWitness }: BlockModules, call: Signalled): MaybePromise<TransactionList> {
  const { params } = chain;
  const format = (tx: Transaction) => formatTransaction(tx, { params, hex: transactionHex(tx, params, showsWitness) });
  return withValue(mapInSlices(block.transactions, format, call), (transactions) => ({ transactions }));
}

function decoded(value: TransactionList): BlockTransactions {
  return { transactions: { $case: 'decoded', value } };
}

function formatDetails(block: Block, entry: BlockIndexEntry, tx: DetailedTransaction[], chain: BlockModules['chain']): DetailedBlock {
  const { header } = block;
  return {
    ...formatPlace(blockSizes(block), entry, chain),
    ...formatHeaderFields(entry, header, chain),
    ntx: block.transactions.length,
    minter: formatMinter(header, shownMinter(entry, header, chain)),
    rewards: formatRewards(entry.height, chain.params),
    tx,
  };
}

/** Header, sizes and length of a block. */
interface BlockSummary {
  readonly header: BlockHeader;
  readonly sizes: BlockSizes;
  /** Number of transactions. */
  readonly count: number;
}

function summaryOf(block: Block): BlockSummary {
  return { header: block.header, sizes: blockSizes(block), count: block.transactions.length };
}

function formatBlock(
  { header, sizes, count }: BlockSummary,
  entry: BlockIndexEntry,
  tx: BlockTransactions,
  chain: BlockModules['chain'],
): BlockMessage {
  const minter = shownMinter(entry, header, chain);
  return {
    ...formatPlace(sizes, entry, chain),
    masternode: minter?.masternode,
    minter: minter?.minter,
    mintedblocks: header.mintedBlocks,
    stakemodifier: formatHash(header.stakeModifier),
    ...formatHeaderFields(entry, header, chain),
    nonutxo: nonUtxoRewards(entry.height, chain.tip.height, chain.params),
    tx,
    ntx: count,
  };
}

/** Members that all object forms of `getblock` share: the block's place in the chain, and its sizes in bytes and weight units. */
function formatPlace({ size, strippedSize, weight }: BlockSizes, entry: BlockIndexEntry, chain: BlockModules['chain']) {
  return {
    hash: formatHash(entry.hash),
    confirmations: chain.confirmations(entry),
    strippedsize: strippedSize,
    size,
    weight,
    height: entry.height,
  };
}

/** Members that `getblock` and `getblockheader` share. */
function formatHeaderFields(entry: BlockIndexEntry, header: BlockHeader, chain: Pick<Chain, 'next'>) {
  const next = chain.next(entry);
  return {
    version: header.version,
    versionhex: formatHex32(header.version),
    merkleroot: formatHash(header.merkleRoot),
    time: header.time,
    mediantime: entry.medianTimePast(),
    nonce: 0,
    bits: formatHex32(header.bits),
    difficulty: difficultyOf(header.bits),
    chainwork: formatHex256(entry.chainWork),
    previousblockhash: entry.parent && formatHash(entry.parent.hash),
    nextblockhash: next && formatHash(next.hash),
  };
}

export const getBlockHeader: Handler<HeaderModules, GetBlockHeaderRequest, GetBlockHeaderResponse> = ({ chain }, request) => {
  const hash = parseHash(request.blockhash, 'hash');
  const verbose = request.verbose ?? true;
  const entry = requireBlockEntry(chain, hash);
  const header = chain.header(entry);
  if (!verbose) return { header: { $case: 'hex', value: toHex(encode(blockHeader, header)) } };
  const value = {
    hash: formatHash(entry.hash),
    confirmations: chain.confirmations(entry),
    height: entry.height,
    ...formatHeaderFields(entry, header, chain),
    ntx: entry.nTx,
  };
  return { header: { $case: 'object', value } };
};

export const preciousBlock: Handler<{ readonly chain: Pick<Chain, 'entry' | 'precious'> }, PreciousBlockRequest, PreciousBlockResponse> = (
  { chain },
  request,
) => {
  chain.precious(requireBlockEntry(chain, parseHash(request.blockhash, 'blockhash')));
  return {};
};
