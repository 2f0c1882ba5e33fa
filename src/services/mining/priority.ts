import type { PrioritiseTransactionRequest, PrioritiseTransactionResponse } from '../../../gen/ts/dfi/mining/v1/mining.js';
import type { Hash256 } from '../../primitives/hash.js';
import { rawJson } from '../../rpc/bind.js';
import type { Handler } from '../../rpc/handler.js';
import { parseHash } from '../../rpc/shapes.js';
import { invalidParameter, NodeError } from '../../util/errors.js';
import type { MiningModules } from './modules.js';

interface Modules extends Pick<MiningModules, 'catalogue'> {
  readonly mempool: Pick<MiningModules['mempool'], 'prioritise'>;
}

interface Priority {
  readonly txid: Hash256;
  /** Satoshis. */
  readonly delta: bigint;
}

/**
 * Changes a transaction's priority. The operations document calls the second argument `fee_delta` and the third `dummy`, but
 * their meaning is the other way round.
 * @see docs/protocol/rpc-chain.md 3.2.3
 */
export const prioritiseTransaction: Handler<Modules, PrioritiseTransactionRequest, PrioritiseTransactionResponse> = (
  { mempool, catalogue },
  request,
) => {
  const { txid, delta } = isShort(request) ? shortForm(request, catalogue) : fullForm(request);
  mempool.prioritise(txid, delta);
  return { done: true };
};

/** True if the third argument is missing, which only the operations document allows. */
function isShort(request: PrioritiseTransactionRequest): boolean {
  return rawJson(request, 'dummy') === undefined && request.dummy === undefined;
}

/** Reads a call with two arguments. Any error becomes the usage error that `defid` returns for two arguments. */
function shortForm(request: PrioritiseTransactionRequest, catalogue: Modules['catalogue']): Priority {
  try {
    return fullForm(request);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    throw new NodeError('usage', catalogue.byName('prioritisetransaction')?.help ?? '', { cause: error });
  }
}

function fullForm(request: PrioritiseTransactionRequest): Priority {
  const txid = parseHash(request.txid, 'txid');
  // The amount may be missing, but null is not an amount.
  if (rawJson(request, 'dummy') === null) throw new NodeError('json-type', 'JSON value is not an integer as expected');
  const delta = request.dummy ?? 0n;
  const dummy = rawJson(request, 'feeDelta') === null ? 0 : (request.feeDelta ?? 0);
  if (dummy !== 0) {
    throw invalidParameter('Priority is no longer supported, dummy argument to prioritisetransaction must be 0.');
  }
  return { txid, delta };
}
