import type { IsAppliedCustomTxRequest, IsAppliedCustomTxResponse } from '../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { classify } from '../../dfi/execution/classify.js';
import { isActive } from '../../params/network.js';
import { skippedCustomTxs } from '../../params/skipped-custom-txs.js';
import { formatHash } from '../../primitives/hash.js';
import { isCoinbase } from '../../primitives/transaction.js';
import type { Handler } from '../../rpc/handler.js';
import { parseHash } from '../../rpc/shapes.js';
import { equalBytes } from '../../util/bytes.js';
import type { BlockchainModules } from './modules.js';

type Modules = { readonly chain: Pick<BlockchainModules['chain'], 'params' | 'entryAt' | 'block'> };

/** @see docs/protocol/accounts.md 1.7 */
export const isAppliedCustomTx: Handler<Modules, IsAppliedCustomTxRequest, IsAppliedCustomTxResponse> = ({ chain }, request) => {
  const txid = parseHash(request.txid, 'txid');
  const height = request.blockheight;
  const entry = height < 0 ? undefined : chain.entryAt(height);
  const tx = entry && chain.block(entry)?.transactions.find((each) => equalBytes(each.txid, txid));
  if (!tx || (isCoinbase(tx) && height > 0) || classify(tx, false).kind === 'none') return { applied: false };
  if (isActive(chain.params, 'dakota', height)) return { applied: true };
  return { applied: !skippedCustomTxs(chain.params.name).has(formatHash(txid)) };
};
