import type { BumpFeeRequest, BumpFeeResponse } from '../../../../gen/ts/dfi/wallet/v1/wallet.js';
import { formatHash } from '../../../primitives/hash.js';
import type { Handler } from '../../../rpc/handler.js';
import { asBool, asInteger, asString, INT32, INT64 } from '../../../rpc/scalars.js';
import { parseHash } from '../../../rpc/shapes.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { bumpFee as bump, bumpToTotal } from '../../../wallet/spend/bump.js';
import { formatFee } from '../../../wallet/spend/fees.js';
import { requireConfirmTarget, requireEstimateMode } from '../../format/fee-options.js';
import { isGiven, isNullMember, requireOptions } from '../../format/options-object.js';
import { type WalletModules, walletOf } from '../modules.js';

const KINDS = { confTarget: 'number', totalFee: 'number', replaceable: 'bool', estimate_mode: 'string' } as const;

/** @see docs/protocol/wallet.md 3.6 */
export const bumpFee: Handler<WalletModules, BumpFeeRequest, BumpFeeResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  const txid = parseHash(request.txid, 'txid');
  requireOptions(request, KINDS);
  const { conftarget } = request;
  const hasTarget = conftarget !== undefined || isNullMember(request, 'confTarget');
  const hasTotal = isGiven(request, 'totalfee') || isNullMember(request, 'totalFee');
  if (hasTarget && hasTotal) {
    throw invalidParameter(
      'confTarget and totalFee options should not both be set. Please provide either a confirmation target for fee estimation or an ' +
        'explicit total fee for the transaction.',
    );
  }
  if (isNullMember(request, 'confTarget')) asInteger(null, INT32.least, INT32.most);
  const confirmTarget = conftarget === undefined ? undefined : requireConfirmTarget(conftarget);
  const totalfee = hasTotal ? requireTotal(modules, request) : undefined;
  if (isNullMember(request, 'replaceable')) asBool(null);
  const replaceable = request.replaceable ?? true;
  if (isNullMember(request, 'estimate_mode')) asString(null);
  const estimateMode = requireEstimateMode(request.estimateMode ?? 'UNSET');
  wallet.keys.requireUnlocked();
  const wtx = wallet.txs.get(txid);
  if (!wtx) throw new NodeError('transaction-not-found', 'Invalid or non-wallet transaction id');
  const { tx, oldFee, newFee } =
    totalfee === undefined
      ? bump(wallet, wtx, { confirmTarget, estimateMode, replaceable })
      : bumpToTotal(wallet, wtx, totalfee, replaceable);
  return { txid: formatHash(tx.txid), origfee: oldFee, fee: newFee, errors: [] };
};

/** An explicit total fee, which is accepted only with `-deprecatedrpc=totalFee`. @throws {NodeError} `invalid-parameter` */
function requireTotal({ deprecated }: WalletModules, request: BumpFeeRequest): bigint {
  if (!deprecated.includes('totalFee')) {
    throw invalidParameter(
      'totalFee argument has been deprecated and will be removed in 0.20. Please use -deprecatedrpc=totalFee to continue using this ' +
        'argument until removal.',
    );
  }
  if (isNullMember(request, 'totalFee')) asInteger(null, INT64.least, INT64.most);
  const totalFee = request.totalfee ?? 0n;
  if (totalFee <= 0n) throw invalidParameter(`Invalid totalFee ${formatFee(totalFee)} (must be greater than 0)`);
  return totalFee;
}
