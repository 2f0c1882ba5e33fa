import type {
  GetTxOutRequest,
  GetTxOutResponse,
  GetTxOutSetInfoRequest,
  GetTxOutSetInfoResponse,
} from '../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { formatHash } from '../../primitives/hash.js';
import type { Handler } from '../../rpc/handler.js';
import { parseHash } from '../../rpc/shapes.js';
import { formatScriptPubKey } from '../format/script.js';
import type { BlockchainModules } from './modules.js';
import { scanUtxos } from './utxo-scan.js';

type Chain = BlockchainModules['chain'];

/** There is no mempool to look into yet, so `include_mempool` makes no difference. */
export const getTxOut: Handler<{ readonly chain: Pick<Chain, 'params' | 'tip' | 'coin'> }, GetTxOutRequest, GetTxOutResponse> = (
  { chain },
  request,
) => {
  const txid = parseHash(request.txid, 'txid');
  const { n } = request;
  void request.includeMempool; // read for its type
  const coin = n < 0 ? undefined : chain.coin({ txid, vout: n });
  if (!coin) return { output: undefined };
  const { tip, params } = chain;
  const output = {
    bestblock: formatHash(tip.hash),
    confirmations: tip.height - coin.height + 1,
    value: coin.out.value,
    scriptpubkey: formatScriptPubKey(coin.out.scriptPubKey, params),
    coinbase: coin.coinbase,
  };
  return { output };
};

export const getTxOutSetInfo: Handler<
  { readonly chain: Pick<Chain, 'tip' | 'snapshot'> },
  GetTxOutSetInfoRequest,
  GetTxOutSetInfoResponse
> = async ({ chain }, _request, { signal }) => {
  const { tip } = chain;
  const snapshot = chain.snapshot();
  try {
    const totals = await scanUtxos(snapshot, tip.hash, signal);
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
