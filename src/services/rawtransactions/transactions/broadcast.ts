import type {
  SendRawTransactionRequest,
  SendRawTransactionResponse,
  TestMempoolAcceptRequest,
  TestMempoolAcceptResponse,
} from '../../../../gen/ts/dfi/rawtransactions/v1/rawtransactions.js';
import { feeForSize } from '../../../mempool/fee-rate.js';
import { ABSURD_FEE, showsRejectCodes, submit } from '../../../mempool/submit.js';
import { formatHash } from '../../../primitives/hash.js';
import { type Transaction, virtualSize } from '../../../primitives/transaction.js';
import { rawJson } from '../../../rpc/bind.js';
import type { Handler } from '../../../rpc/handler.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { inSlices, withValue } from '../../../util/slicer.js';
import { decodeTransactionHex } from '../format/decode.js';
import type { BroadcastModules } from '../modules.js';

const WITH_WITNESS = { withoutWitness: false, withWitness: true };

/** @see docs/protocol/rpc-chain.md 3.3.5 */
export const sendRawTransaction: Handler<BroadcastModules, SendRawTransactionRequest, SendRawTransactionResponse> = (
  modules,
  request,
  call,
) =>
  withValue(inSlices(decodeTransactionHex(request.hexstring, WITH_WITNESS, modules.chain.params.txFormat), call), (tx) =>
    send(modules, request, tx),
  );

function send(
  { chain, mempool, relay }: BroadcastModules,
  request: SendRawTransactionRequest,
  tx: Transaction,
): SendRawTransactionResponse {
  const absurdFee = absurdFeeOf(request, tx);
  const known = mempool.pool.get(tx.txid) !== undefined;
  if (!known && chain.hasUnspent(tx.txid)) throw new NodeError('already-in-chain', 'Transaction already in block chain');
  if (!known) submit({ mempool, chain }, tx, absurdFee);
  relay?.announce(tx);
  return { txid: formatHash(tx.txid) };
}

/** @see docs/protocol/rpc-chain.md 3.3.6 */
export const testMempoolAccept: Handler<Omit<BroadcastModules, 'relay'>, TestMempoolAcceptRequest, TestMempoolAcceptResponse> = (
  modules,
  request,
  call,
) => {
  const [hex, ...others] = request.rawtxs;
  if (hex === undefined || others.length > 0) {
    throw invalidParameter('Array must contain exactly one raw transaction for now');
  }
  return withValue(inSlices(decodeTransactionHex(hex, WITH_WITNESS, modules.chain.params.txFormat), call), (tx) =>
    testAccept(modules, request, tx),
  );
};

function testAccept(
  { chain, mempool }: Pick<BroadcastModules, 'chain' | 'mempool'>,
  request: TestMempoolAcceptRequest,
  tx: Transaction,
): TestMempoolAcceptResponse {
  const verdict = mempool.test(tx, { absurdFee: absurdFeeOf(request, tx) });
  const rejectReason =
    verdict.status === 'rejected'
      ? `${showsRejectCodes(chain) ? `${verdict.code}: ` : ''}${verdict.reason}`
      : verdict.status === 'missing-inputs'
        ? 'missing-inputs'
        : undefined;
  return { results: [{ txid: formatHash(tx.txid), allowed: verdict.status === 'allowed', rejectReason }] };
}

/** Largest accepted fee in satoshis; 0 for no limit. */
function absurdFeeOf(request: SendRawTransactionRequest | TestMempoolAcceptRequest, tx: Transaction): bigint {
  if (typeof rawJson(request, 'maxfeerate') === 'boolean') {
    throw invalidParameter(
      'Second argument must be numeric (maxfeerate) and no longer supports a boolean. ' +
        'To allow a transaction with high fees, set maxfeerate to 0.',
    );
  }
  const { maxfeerate } = request;
  return maxfeerate === undefined ? ABSURD_FEE : feeForSize(maxfeerate, virtualSize(tx));
}
