import type {
  AddPoolLiquidityRequest,
  AddPoolLiquidityResponse,
  RemovePoolLiquidityRequest,
  RemovePoolLiquidityResponse,
} from '../../../gen/ts/dfi/node/v1/pools.js';
import { addPoolLiquidity as addition, removePoolLiquidity as removal } from '../../dfi/tx/pool-liquidity.js';
import type { Handler } from '../../rpc/handler.js';
import { NodeError } from '../../util/errors.js';
import { amountEntries, readAccountAmounts, readBalances } from '../format/account-amounts.js';
import { readInputs } from '../format/inputs.js';
import { parseOwner } from '../format/owner.js';
import { sendFor, spendingWallet } from '../wallet/custom-tx.js';
import type { PoolsModules } from './modules.js';

export const addPoolLiquidity: Handler<PoolsModules, AddPoolLiquidityRequest, AddPoolLiquidityResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call);
  const { chain } = modules;
  const from = readAccountAmounts(amountEntries(request, 'from', request.from), chain);
  const body = { from, shareAddress: parseOwner(request.shareaddress, chain.params) };
  return sendFor(wallet, { definition: addition, body, auths: from.map(({ owner }) => owner), inputs: readInputs(request) });
};

export const removePoolLiquidity: Handler<PoolsModules, RemovePoolLiquidityRequest, RemovePoolLiquidityResponse> = (
  modules,
  request,
  call,
) => {
  const wallet = spendingWallet(modules, call);
  const { chain } = modules;
  const { amount: text } = request;
  const from = parseOwner(request.from, chain.params);
  const [amount] = readBalances(text, request.from, chain.state);
  if (!amount) throw new NodeError('type', `${request.from}: Invalid amount`);
  return sendFor(wallet, { definition: removal, body: { from, amount }, auths: [from], inputs: readInputs(request) });
};
