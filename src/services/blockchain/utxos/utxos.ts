import type {
  GetTxOutRequest,
  GetTxOutResponse,
  GetTxOutSetInfoRequest,
  GetTxOutSetInfoResponse,
} from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { formatHash } from '../../../primitives/hash.js';
import type { Handler } from '../../../rpc/handler.js';
import { parseHash } from '../../../rpc/shapes.js';
import { formatScriptPubKey } from '../../format/script.js';
import type { BlockchainModules, MempoolModules } from '../modules.js';
import { scanUtxos } from './utxo-totals.js';

type Chain = BlockchainModules['chain'];

interface OutputModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'coin'>;
  readonly mempool: Pick<MempoolModules['mempool'], 'pool'>;
}

/** @see docs/protocol/rpc-chain.md 3.1.18 */
export const getTxOut: Handler<OutputModules, GetTxOutRequest, GetTxOutResponse> = (modules, request) => {
  const txid = parseHash(request.txid, 'txid');
  const { n } = request;
  const withMempool = request.includeMempool ?? true;
  const { chain, mempool } = modules;
  const point = { txid, vout: n };
  const waiting = withMempool && n >= 0 ? mempool.pool.output(point) : undefined;
  const coin = n < 0 || waiting ? undefined : chain.coin(point);
  const out = waiting ?? coin?.out;
  if (!out || (withMempool && mempool.pool.spender(point))) return { output: undefined };
  const { tip, params } = chain;
  const output = {
    bestblock: formatHash(tip.hash),
    confirmations: coin ? tip.height - coin.height + 1 : 0,
    value: out.value,
    scriptpubkey: formatScriptPubKey(out.scriptPubKey, params),
    coinbase: coin?.coinbase ?? false,
  };
  return { output };
};

export const getTxOutSetInfo: Handler<
  { readonly chain: Pick<Chain, 'tip' | 'snapshot'> },
  GetTxOutSetInfoRequest,
  GetTxOutSetInfoResponse
> = async ({ chain }, _request, call) => {
  const { tip } = chain;
  const snapshot = chain.snapshot();
  try {
    const totals = await scanUtxos(snapshot, tip.hash, call);
    return {
      height: tip.height,
      bestblock: formatHash(tip.hash),
      transactions: BigInt(totals.transactions),
      txouts: BigInt(totals.outputs),
      bogosize: BigInt(totals.bogoSize),
      hashSerialized2: formatHash(totals.hash),
      diskSize: BigInt(totals.diskSize),
      totalAmount: totals.amount,
    };
  } finally {
    snapshot.close();
  }
};
