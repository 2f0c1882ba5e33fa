import type {
  DecodeCustomTxRequest,
  DecodeCustomTxResponse,
  GetCustomTxRequest,
  GetCustomTxResponse,
} from '../../../../gen/ts/dfi/node/v1/tokens.js';
import type { BlockIndexEntry } from '../../../chain/block-index.js';
import { applyCustomTx } from '../../../dfi/execution/apply.js';
import { classify } from '../../../dfi/execution/classify.js';
import { isActive } from '../../../params/network.js';
import { skippedCustomTxs } from '../../../params/skipped-custom-txs.js';
import { formatHash, type Hash256 } from '../../../primitives/hash.js';
import { isCoinbase, type Transaction } from '../../../primitives/transaction.js';
import type { CallContext, Handler } from '../../../rpc/handler.js';
import { parseHash } from '../../../rpc/shapes.js';
import { NodeError } from '../../../util/errors.js';
import { inSlices, withValue } from '../../../util/slicer.js';
import { ANY_HEIGHT, type CustomPart, customTxName, describeCustomTx } from '../../format/custom-tx-json/index.js';
import { decodeModes, decodeTransactionHex } from '../../rawtransactions/format/decode.js';
import { findTransaction, type LookupModules, requireNamedBlock } from '../../rawtransactions/transactions/lookup.js';
import type { CustomTxModules } from '../modules.js';

const COINBASE = 'Coinbase transaction. Not a custom transaction.';
const NO_CUSTOM_TX = 'Not a custom transaction';

export const getCustomTx: Handler<CustomTxModules, GetCustomTxRequest, GetCustomTxResponse> = (modules, request, call) => {
  const { chain } = modules;
  const { tx, blockHash, entry } = locate(modules, request, call);
  const height = entry?.height ?? chain.tip.height + 1;
  if (isCoinbase(tx) && height > 0) return { result: { $case: 'text', value: COINBASE } };
  const found = classify(tx, false);
  if (found.kind === 'none') return { result: { $case: 'text', value: NO_CUSTOM_TX } };
  const value = {
    type: customTxName(found),
    valid: entry ? tookEffect(modules, tx, entry.height) : wouldTakeEffect(modules, tx),
    ...show(modules, tx, found, height),
    ...(blockHash ? place(modules, blockHash, entry) : {}),
  };
  return { result: { $case: 'transaction', value } };
};

export const decodeCustomTx: Handler<CustomTxModules, DecodeCustomTxRequest, DecodeCustomTxResponse> = (modules, request, call) =>
  withValue(inSlices(decodeTransactionHex(request.hexstring, decodeModes(request.iswitness), modules.chain.params.txFormat), call), (tx) =>
    describeDecoded(modules, tx),
  );

function describeDecoded(modules: CustomTxModules, tx: Transaction): DecodeCustomTxResponse {
  if (isCoinbase(tx)) return { result: { $case: 'text', value: COINBASE } };
  const found = classify(tx, false);
  if (found.kind === 'none') return { result: { $case: 'text', value: NO_CUSTOM_TX } };
  const shown = show(modules, tx, found, ANY_HEIGHT);
  const valid = shown.error === undefined && !isSkipped(modules, tx);
  return { result: { $case: 'transaction', value: { txid: formatHash(tx.txid), type: customTxName(found), valid, ...shown } } };
}

interface Located {
  readonly tx: Transaction;
  /** Hash of its block; undefined if unconfirmed. */
  readonly blockHash: Hash256 | undefined;
  /** Index entry of that block, if the chain has it. */
  readonly entry: BlockIndexEntry | undefined;
}

/** Finds the transaction: first in the caller's wallet, where a named block is ignored. @throws {NodeError} */
function locate(modules: CustomTxModules, request: GetCustomTxRequest, call: CallContext): Located {
  const txid = parseHash(request.txid, 'txid');
  const own = modules.wallets?.findIfAny(call.wallet)?.txs.get(txid);
  if (own) {
    const block = 'block' in own.status ? own.status.block : undefined;
    return { tx: own.tx, blockHash: block?.hash, entry: block && modules.chain.entry(block.hash) };
  }
  const named = request.blockhash === undefined ? undefined : requireNamedBlock(modules, request.blockhash, 'blockhash');
  const found = findTransaction(modules, txid, named);
  if (!found) throw new NodeError('transaction-not-found', notFoundText(modules, named));
  return { tx: found.tx, blockHash: found.entry?.hash, entry: found.entry };
}

function notFoundText({ txIndex }: LookupModules, named: BlockIndexEntry | undefined): string {
  if (named) return 'No such transaction found in the provided block.';
  if (!txIndex) return 'No such mempool or wallet transaction. Use -txindex or provide a block hash.';
  if (!txIndex.synced) return 'No such mempool or wallet transaction. Transactions are still in the process of being indexed.';
  return 'No such mempool, wallet or blockchain transaction.';
}

function show({ chain: { params, tip, state } }: CustomTxModules, tx: Transaction, found: CustomPart, height: number) {
  const isMetachain = isActive(params, 'metachain', tip.height);
  return describeCustomTx(found, { tx, height, view: state, params, isMetachain });
}

/** True if the transaction had an effect in its block. From Dakota on blocks contain no transactions without one. */
function tookEffect(modules: CustomTxModules, tx: Transaction, height: number): boolean {
  return isActive(modules.chain.params, 'dakota', height) || !isSkipped(modules, tx);
}

function isSkipped({ chain }: CustomTxModules, { txid }: Transaction): boolean {
  return skippedCustomTxs(chain.params.name).has(formatHash(txid));
}

/** Tries the transaction in the next block on the state of the tip: outputs of unconfirmed transactions are unknown there. */
function wouldTakeEffect({ chain }: CustomTxModules, tx: Transaction): boolean {
  const { params, tip, state } = chain;
  const spent = tx.vin.flatMap(({ prevout }) => chain.coin(prevout) ?? []);
  const block = {
    height: tip.height + 1,
    // `defid` passes a time only from Metachain on.
    time: isActive(params, 'metachain', tip.height) ? tip.time : 0,
    params,
    coin: (point: Transaction['vin'][number]['prevout']) => chain.coin(point)?.out,
    blockTime: (at: number) => chain.entryAt(at)?.time,
  };
  return applyCustomTx({ tx, txIndex: 0, spent }, block, state).status !== 'failed';
}

function place({ chain }: CustomTxModules, blockHash: Hash256, entry: BlockIndexEntry | undefined) {
  return {
    blockHash: formatHash(blockHash),
    blockheight: entry?.height,
    blocktime: entry && BigInt(entry.time),
    confirmations: entry ? 1 + chain.tip.height - entry.height : 0,
  };
}
