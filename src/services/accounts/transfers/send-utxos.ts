import type { SendUtxosFromRequest, SendUtxosFromResponse } from '../../../../gen/ts/dfi/accounts/v1/accounts.js';
import { formatHash } from '../../../primitives/hash.js';
import type { Handler } from '../../../rpc/handler.js';
import { scriptOf } from '../../../script/address.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { balancesOf, dfiOf } from '../../../wallet/coins/balances.js';
import { commitTransaction } from '../../../wallet/spend/commit.js';
import { refuseEvmOwners } from '../../format/owner.js';
import { requireAddress } from '../../wallet/format/parse.js';
import { spendingWallet } from '../../wallet/spend/custom-tx.js';
import { build, describeFailure } from '../../wallet/spend/send.js';
import type { TransferModules } from '../modules.js';

/** Pays from the outputs of one address only. @see docs/protocol/accounts.md 6.5 */
export const sendUtxosFrom: Handler<TransferModules, SendUtxosFromRequest, SendUtxosFromResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call);
  const { chain } = modules;
  const from = requireAddress(request.from, chain, 'Invalid from address');
  const to = requireAddress(request.to, chain, 'Invalid to address');
  const { amount, change } = request;
  const changeDestination = change === undefined ? from : requireAddress(change, chain, 'Invalid change address');
  // Outputs to EVM scripts are refused, as their coins would be lost; `defid` creates such transactions, which no node relays.
  refuseEvmOwners(chain, [to, changeDestination].map(scriptOf));
  wallet.keys.requireUnlocked();
  if (amount <= 0n) throw invalidParameter('Invalid amount');
  if (amount > dfiOf(balancesOf(wallet, { avoidReuse: false }).mine.trusted))
    throw new NodeError('insufficient-funds', 'Insufficient funds');
  const recipient = { script: scriptOf(to), amount, tokenId: 0, paysFee: false };
  // `defid` ignores the options of the call for the coin search here.
  const { tx } = build(wallet, [recipient], { from: scriptOf(from), changeDestination }, (failure) =>
    describeFailure(wallet, { amount, avoidReuse: false }, failure),
  );
  commitTransaction(wallet, tx);
  return { txid: formatHash(tx.txid) };
};
