import type {
  GetRawTransactionRequest,
  GetRawTransactionResponse,
  RawTransaction,
} from '../../../../gen/ts/dfi/rawtransactions/v1/rawtransactions.js';
import type { BlockIndexEntry } from '../../../chain/block-index.js';
import { formatHash, type Hash256 } from '../../../primitives/hash.js';
import type { Transaction } from '../../../primitives/transaction.js';
import type { Handler } from '../../../rpc/handler.js';
import { parseHash } from '../../../rpc/shapes.js';
import { equalBytes } from '../../../util/bytes.js';
import { NodeError } from '../../../util/errors.js';
import { formatTransaction, transactionHex } from '../../format/transaction.js';
import type { RawtransactionsModules } from '../modules.js';

/** Modules for finding transactions. */
export interface LookupModules extends Pick<RawtransactionsModules, 'mempool' | 'txIndex'> {
  readonly chain: Pick<RawtransactionsModules['chain'], 'params' | 'genesis' | 'entry' | 'block' | 'transaction'>;
}

/** Transaction with its place in the chain. */
export interface Found {
  readonly tx: Transaction;
  /** Index entry of its block; undefined if the transaction is in the mempool. */
  readonly entry: BlockIndexEntry | undefined;
}

/** @see docs/protocol/rpc-chain.md 3.3.1 */
export const getRawTransaction: Handler<RawtransactionsModules, GetRawTransactionRequest, GetRawTransactionResponse> = (
  modules,
  request,
) => {
  const txid = parseHash(request.txid, 'parameter 1');
  const verbose = request.verbose ?? false;
  const named = request.blockhash === undefined ? undefined : requireNamedBlock(modules, request.blockhash, 'parameter 3');
  const found = findTransaction(modules, txid, named);
  if (!found) throw new NodeError('transaction-not-found', `${notFoundText(modules, named)}. Use gettransaction for wallet transactions.`);
  if (verbose) return { result: { $case: 'transaction', value: describe(modules, found, named) } };
  return { result: { $case: 'hex', value: transactionHex(found.tx, modules.chain.params, modules.showsWitness) } };
};

/** Index entry of a named block. @param label name of the argument in error texts @throws {NodeError} if the block is unknown */
export function requireNamedBlock(
  { chain }: { readonly chain: Pick<LookupModules['chain'], 'entry'> },
  blockhash: string,
  label: string,
): BlockIndexEntry {
  const entry = chain.entry(parseHash(blockhash, label));
  if (!entry) throw new NodeError('block-not-found', 'Block hash not found');
  return entry;
}

/**
 * Finds a transaction in the genesis block, then in the named block; without a named block in the mempool, then by the index.
 * @throws {NodeError} if the named block is not stored
 */
export function findTransaction(modules: LookupModules, txid: Hash256, named: BlockIndexEntry | undefined): Found | undefined {
  return inGenesis(modules, txid) ?? (named ? inBlock(modules, named, txid) : (inMempool(modules, txid) ?? byIndex(modules, txid)));
}

/** Transactions of the genesis block are in no index; they are found whatever block is named. */
function inGenesis({ chain }: LookupModules, txid: Hash256): Found | undefined {
  const tx = chain.params.genesis.transactions.find((each) => equalBytes(each.txid, txid));
  return tx && { tx, entry: chain.genesis };
}

function inBlock({ chain }: LookupModules, entry: BlockIndexEntry, txid: Hash256): Found | undefined {
  const block = chain.block(entry);
  if (!block) throw new NodeError('misc', 'Block not available');
  const tx = block.transactions.find((each) => equalBytes(each.txid, txid));
  return tx && { tx, entry };
}

function inMempool({ mempool }: LookupModules, txid: Hash256): Found | undefined {
  const waiting = mempool.pool.get(txid);
  return waiting && { tx: waiting.tx, entry: undefined };
}

function byIndex({ chain, txIndex }: LookupModules, txid: Hash256): Found | undefined {
  const place = txIndex?.find(txid);
  const entry = place && chain.entry(place.blockHash);
  const tx = entry && chain.transaction(entry, place);
  return tx && { tx, entry };
}

function notFoundText({ txIndex }: LookupModules, named: BlockIndexEntry | undefined): string {
  if (named) return 'No such transaction found in the provided block';
  if (!txIndex) {
    return 'No such mempool transaction. Use -txindex or provide a block hash to enable blockchain transaction queries';
  }
  if (!txIndex.synced) return 'No such mempool transaction. Blockchain transactions are still in the process of being indexed';
  return 'No such mempool or blockchain transaction';
}

function describe(modules: RawtransactionsModules, { tx, entry }: Found, named: BlockIndexEntry | undefined): RawTransaction {
  const { chain, showsWitness } = modules;
  const { params } = chain;
  const transaction = formatTransaction(tx, { params, hex: transactionHex(tx, params, showsWitness) });
  const inActiveChain = named && chain.isActive(named);
  if (!entry) return { inActiveChain, transaction };
  const active = chain.isActive(entry);
  const time = active ? BigInt(entry.time) : undefined;
  return {
    inActiveChain,
    transaction,
    blockhash: formatHash(entry.hash),
    confirmations: active ? chain.confirmations(entry) : 0,
    time,
    blocktime: time,
  };
}
