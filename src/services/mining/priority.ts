import type { PrioritiseTransactionRequest, PrioritiseTransactionResponse } from '../../../gen/ts/dfi/mining/v1/mining.js';
import { givenJson } from '../../rpc/bind.js';
import type { Handler } from '../../rpc/handler.js';
import { parseHash } from '../../rpc/shapes.js';
import { NodeError } from '../../util/errors.js';
import type { MiningModules } from './modules.js';

type Modules = { readonly mempool: Pick<MiningModules['mempool'], 'prioritise'> };

/**
 * The document calls the second argument `fee_delta` and the third `dummy`; what they mean is the other way round.
 * @see spec: rpc-chain 3.2.3
 */
export const prioritiseTransaction: Handler<Modules, PrioritiseTransactionRequest, PrioritiseTransactionResponse> = (
  { mempool },
  request,
) => {
  const txid = parseHash(request.txid, 'txid');
  // The amount may be left out, but null is no amount.
  if (givenJson(request, 'dummy') === null) throw new NodeError('json-type', 'JSON value is not an integer as expected');
  const delta = request.dummy ?? 0n;
  const dummy = givenJson(request, 'feeDelta') === null ? 0 : (request.feeDelta ?? 0);
  if (dummy !== 0) {
    throw new NodeError('invalid-parameter', 'Priority is no longer supported, dummy argument to prioritisetransaction must be 0.');
  }
  mempool.prioritise(txid, delta);
  return { done: true };
};
