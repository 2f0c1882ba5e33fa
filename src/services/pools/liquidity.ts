import type {
  AddPoolLiquidityRequest,
  AddPoolLiquidityResponse,
  RemovePoolLiquidityRequest,
  RemovePoolLiquidityResponse,
} from '../../../gen/ts/dfi/node/v1/pools.js';
import type { AccountAmounts } from '../../dfi/kernel/amounts.js';
import { addPoolLiquidity as addition, removePoolLiquidity as removal } from '../../dfi/pools/liquidity-transactions.js';
import type { CallContext, Handler } from '../../rpc/handler.js';
import { NodeError } from '../../util/errors.js';
import { type MaybePromise, withValue } from '../../util/slicer.js';
import type { Wallet } from '../../wallet/wallet.js';
import { chooseAccounts, noBalance } from '../accounts/transfers/account-choice.js';
import { type AmountEntries, amountEntries, readAccountAmounts, readBalances } from '../format/account-amounts.js';
import { readInputs } from '../format/inputs.js';
import { parseOwner, refuseEvmOwners } from '../format/owner.js';
import { sendFor, spendingWallet } from '../wallet/spend/custom-tx.js';
import type { PoolsModules } from './modules.js';

const WALLET_ACCOUNTS = '*';

export const addPoolLiquidity: Handler<PoolsModules, AddPoolLiquidityRequest, AddPoolLiquidityResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call);
  const { chain } = modules;
  return withValue(readSenders(amountEntries(request, 'from', request.from), wallet, chain, call), (from) => {
    const shareAddress = parseOwner(request.shareaddress, chain);
    refuseEvmOwners(chain, [...from.map(({ owner }) => owner), shareAddress]);
    const body = { from, shareAddress };
    return sendFor(wallet, call, { definition: addition, body, auths: from.map(({ owner }) => owner), inputs: readInputs(request) });
  });
};

/** Accounts and their amounts. With `*` as the only key, accounts of the wallet are selected that together have the amounts. */
function readSenders(
  entries: AmountEntries,
  wallet: Wallet,
  chain: PoolsModules['chain'],
  call: CallContext,
): MaybePromise<AccountAmounts> {
  const [first, ...others] = entries;
  if (!first || others.length > 0 || first[0] !== WALLET_ACCOUNTS) return readAccountAmounts(entries, chain);
  return withValue(chooseAccounts(wallet, readBalances(first[1], WALLET_ACCOUNTS, chain.state), 'pie', call), (chosen) => {
    if (chosen.length === 0) throw noBalance();
    return chosen;
  });
}

export const removePoolLiquidity: Handler<PoolsModules, RemovePoolLiquidityRequest, RemovePoolLiquidityResponse> = (
  modules,
  request,
  call,
) => {
  const wallet = spendingWallet(modules, call);
  const { chain } = modules;
  const { amount: text } = request;
  const from = parseOwner(request.from, chain);
  const [amount] = readBalances(text, request.from, chain.state);
  if (!amount) throw new NodeError('type', `${request.from}: Invalid amount`);
  refuseEvmOwners(chain, [from]);
  return sendFor(wallet, call, { definition: removal, body: { from, amount }, auths: [from], inputs: readInputs(request) });
};
