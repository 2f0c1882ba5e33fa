import type { SendTokensToAddressRequest, SendTokensToAddressResponse } from '../../../../gen/ts/dfi/accounts/v1/accounts.js';
import { anyAccountsToAccounts as transfer } from '../../../dfi/accounts/transactions.js';
import type { AccountAmounts } from '../../../dfi/kernel/amounts.js';
import { maxDataScriptBytes } from '../../../mempool/policy.js';
import { isActive } from '../../../params/network.js';
import { encode } from '../../../primitives/codec.js';
import type { Handler } from '../../../rpc/handler.js';
import { customTxScript } from '../../../script/custom-tx.js';
import { NodeError } from '../../../util/errors.js';
import { withValue } from '../../../util/slicer.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { amountEntries, firstOfEachKey, readAccountAmounts } from '../../format/account-amounts.js';
import { refuseEvmOwners } from '../../format/owner.js';
import { sendFor, spendingWallet } from '../../wallet/spend/custom-tx.js';
import type { TransferModules } from '../modules.js';
import { chooseAccounts } from './account-choice.js';
import { requireAmounts, requireOwnForDfi } from './transfers.js';

const TOO_LARGE =
  'The output custom script size has exceeded the maximum OP_RETURN script size.It may happened because too many "from" or "to" ' +
  'accounts balances.If you use autoselection, you can try to use "pie" selection mode for decreasing accounts count.';

/** @see docs/protocol/accounts.md 6.5, 6.6 */
export const sendTokensToAddress: Handler<TransferModules, SendTokensToAddressRequest, SendTokensToAddressResponse> = (
  modules,
  request,
  call,
) => {
  const wallet = spendingWallet(modules, call);
  const { chain } = modules;
  const to = readAccountAmounts(firstOfEachKey(amountEntries(request, 'to', request.to)), chain);
  if (modules.ownAccountsOnly) requireOwnForDfi(wallet, to);
  const wanted = requireAmounts(to, 'zero amounts in "to" param');
  const senders = amountEntries(request, 'from', request.from);
  const chosen =
    senders.length > 0 ? readAccountAmounts(senders, chain) : chooseAccounts(wallet, wanted, request.selectionmode ?? 'pie', call);
  return withValue(chosen, (from) => {
    refuseEvmOwners(
      chain,
      [...to, ...from].map(({ owner }) => owner),
    );
    requireFits(wallet, chain, { from, to });
    return sendFor(wallet, call, { definition: transfer, body: { from, to }, auths: from.map(({ owner }) => owner) });
  });
};

/** Refuses a message that is too large for relay, before a fee is paid for it. @throws {NodeError} */
function requireFits(
  { deps: { mempool } }: Wallet,
  { params, tip }: Pick<TransferModules['chain'], 'params' | 'tip'>,
  body: Parameters<typeof bytesOf>[0],
): void {
  const metachain = isActive(params, 'metachain', tip.height + 1);
  const maxBytes = maxDataScriptBytes(mempool.policy, { metachain });
  if (maxBytes === undefined || bytesOf(body).length <= maxBytes) return;
  throw new NodeError('verify-rejected', TOO_LARGE);
}

function bytesOf(body: { readonly from: AccountAmounts; readonly to: AccountAmounts }): Uint8Array {
  return customTxScript({ type: transfer.type, body: transfer.codec ? encode(transfer.codec, body) : new Uint8Array(0) });
}
