import type {
  GetTxOutProofRequest,
  GetTxOutProofResponse,
  VerifyTxOutProofRequest,
  VerifyTxOutProofResponse,
} from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import type { BlockIndexEntry } from '../../../chain/block-index.js';
import { txidsOf } from '../../../primitives/block-outline.js';
import { ByteReader, DecodeError, encode } from '../../../primitives/codec.js';
import { formatHash, type Hash256 } from '../../../primitives/hash.js';
import { blockHash } from '../../../primitives/header.js';
import { buildPartialMerkleTree, type MerkleBlock, merkleBlock, readPartialMerkleTree } from '../../../primitives/partial-merkle.js';
import { rawJson } from '../../../rpc/bind.js';
import type { Handler } from '../../../rpc/handler.js';
import { parseHash, parseHex } from '../../../rpc/shapes.js';
import { compareBytes, equalBytes, toHex } from '../../../util/bytes.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { inSlices, type Steps } from '../../../util/slicer.js';
import { requireBlockEntry } from '../../format/blocks.js';
import { textsOf } from '../../format/texts.js';
import type { BlockchainModules } from '../modules.js';

type Chain = BlockchainModules['chain'];
type ProofModules = Pick<BlockchainModules, 'txIndex'> & {
  readonly mempool: Pick<BlockchainModules['mempool'], 'pool'>;
  readonly chain: Pick<Chain, 'params' | 'entry' | 'entryAt' | 'outline' | 'hasUnspent'>;
};

export const getTxOutProof: Handler<ProofModules, GetTxOutProofRequest, GetTxOutProofResponse> = (modules, request, call) =>
  inSlices(prove(modules, request), call);

function* prove(modules: ProofModules, request: GetTxOutProofRequest): Steps<GetTxOutProofResponse> {
  const txids = yield* parseTxids(textsOf(request, 'txids'));
  const { blockhash } = request;
  const entry =
    blockhash === undefined ? yield* findBlock(txids, modules) : requireBlockEntry(modules.chain, parseHash(blockhash, 'blockhash'));
  const outline = yield* modules.chain.outline(entry);
  if (!outline) throw new NodeError('internal', "Can't read block from disk");
  const wanted = new Set(txids.map(toHex));
  const leaves = txidsOf(outline);
  const proven = leaves.map((txid) => wanted.has(toHex(txid)));
  if (proven.filter(Boolean).length !== wanted.size)
    throw new NodeError('transaction-not-found', 'Not all transactions found in specified or retrieved block');
  const proof = { header: outline.header, tree: buildPartialMerkleTree(leaves, proven) };
  return { proof: toHex(encode(merkleBlock, proof)) };
}

function* parseTxids(texts: Iterable<string>): Steps<readonly Hash256[]> {
  const seen = new Set<string>();
  const txids: Hash256[] = [];
  for (const text of texts) {
    yield;
    const txid = parseHash(text, 'txid');
    const key = toHex(txid);
    if (seen.has(key)) throw invalidParameter(`Invalid parameter, duplicated txid: ${text}`);
    seen.add(key);
    txids.push(txid);
  }
  return txids;
}

/**
 * Block of the first transaction, in txid order, that has an unspent output. Without one: the block of the last transaction by the index,
 * unless the transaction is in the mempool again because that block was disconnected.
 */
function* findBlock(txids: readonly Hash256[], { chain, txIndex, mempool }: ProofModules): Steps<BlockIndexEntry> {
  for (const txid of [...txids].sort(compareBytes)) {
    yield;
    const coin = chain.hasUnspent(txid);
    const entry = coin && chain.entryAt(coin.height);
    if (entry) return entry;
  }
  const last = txids.at(-1);
  const indexed = last && !mempool.pool.get(last) ? txIndex?.find(last)?.blockHash : undefined;
  const blockhash = last && (genesisHashOf(last, chain) ?? indexed);
  if (!blockhash) throw new NodeError('transaction-not-found', 'Transaction not yet in block');
  const entry = chain.entry(blockhash);
  if (!entry) throw new NodeError('internal', 'Transaction index corrupt');
  return entry;
}

/** Transactions of the genesis block are found without an index. */
function genesisHashOf(txid: Hash256, { params: { genesis } }: Pick<Chain, 'params'>): Hash256 | undefined {
  return genesis.transactions.some((tx) => equalBytes(tx.txid, txid)) ? genesis.hash : undefined;
}

export const verifyTxOutProof: Handler<
  { readonly chain: Pick<Chain, 'entry' | 'isActive'> },
  VerifyTxOutProofRequest,
  VerifyTxOutProofResponse
> = ({ chain }, request) => {
  const { header, tree } = readProof(parseHex(readProofText(request), 'proof'));
  const proven = readPartialMerkleTree(tree);
  if (!proven || !equalBytes(proven.root, header.merkleRoot)) return { txids: [] };
  const entry = chain.entry(blockHash(header));
  if (!entry || !chain.isActive(entry) || entry.nTx === 0) throw new NodeError('block-not-found', 'Block not found in chain');
  // A tree cut short at an inner node would match a block with fewer transactions.
  return { txids: entry.nTx === tree.leafCount ? proven.leaves.map(formatHash) : [] };
};

/** Proof in hex. Over JSON-RPC any value but a string counts as an empty one. */
function readProofText(request: VerifyTxOutProofRequest): string {
  const given = rawJson(request, 'proof');
  return given === undefined || typeof given === 'string' ? request.proof : '';
}

/** Decodes a proof; trailing bytes are ignored, as in `defid`. */
function readProof(bytes: Uint8Array): MerkleBlock {
  try {
    return merkleBlock.read(new ByteReader(bytes));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const reason = error.message === 'end of data' ? 'CDataStream::read(): end of data' : error.message;
    throw new NodeError('misc', `${reason}: iostream error`, { cause: error });
  }
}
