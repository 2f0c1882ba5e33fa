import type { GetTokenBalancesRequest, GetTokenBalancesResponse } from '../../../../gen/ts/dfi/accounts/v1/accounts.js';
import { type Balances, sumTransfers, toBalances } from '../../../dfi/kernel/amounts.js';
import type { Handler } from '../../../rpc/handler.js';
import { evmAddressOf } from '../../../script/erc55.js';
import type { StateView } from '../../../storage/view.js';
import { Slicer, type Steps } from '../../../util/slicer.js';
import { ownAccounts } from '../../../wallet/custom-tx/own-accounts.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { formatTokenAmount, tokenSymbol } from '../../format/amounts.js';
import { looseFlag } from '../../format/options-object.js';
import { pageLimit } from '../../format/page.js';
import { evmDfi } from '../evm/dfi-balance.js';
import type { AccountsModules } from '../modules.js';
import { firstToken } from './first-token.js';
import { materialiserOf, readingOf, readingWallet } from './scratch-view.js';

/** Sum of the balances of all accounts of the wallet. @see docs/protocol/accounts.md 6.7 */
export const getTokenBalances: Handler<AccountsModules, GetTokenBalancesRequest, GetTokenBalancesResponse> = async (
  modules,
  request,
  call,
) => {
  const wallet = readingWallet(modules, call);
  const limit = pageLimit(request.limit);
  const start = firstToken(request);
  const indexed = looseFlag(request, 'indexedAmounts') ?? false;
  const bySymbol = looseFlag(request, 'symbolLookup') ?? false;
  const snapshot = modules.chain.snapshot();
  try {
    const slicer = new Slicer(call);
    const sums = wallet ? await ownBalances(modules, wallet, snapshot, slicer) : [];
    const all = wallet && request.evm ? await slicer.run(withEvm(sums, wallet, snapshot)) : sums;
    const shown = all.filter(({ tokenId }) => tokenId >= start).slice(0, limit);
    if (!indexed) {
      const amounts = shown.map((amount) => formatTokenAmount(snapshot, amount, bySymbol ? 'symbol' : 'id'));
      return { balances: { form: { $case: 'list', value: { amounts } } } };
    }
    const name = (tokenId: number) => (bySymbol ? tokenSymbol(snapshot, tokenId) : String(tokenId));
    const amounts = Object.fromEntries(shown.map(({ tokenId, amount }) => [name(tokenId), amount]));
    return { balances: { form: { $case: 'indexed', value: { amounts } } } };
  } finally {
    snapshot.close();
  }
};

/** Sums of the wallet's accounts. @param state state of the tip */
function ownBalances(modules: AccountsModules, wallet: Wallet, state: StateView, slicer: Slicer): Promise<Balances> {
  const { chain } = modules;
  const reading = readingOf(state, chain);
  const accounts = ownAccounts(wallet, reading, materialiserOf(modules, reading, chain.tip));
  return slicer.run(accounts).then(sumTransfers);
}

/** Adds the EVM balances of DFI of the wallet's keys. @throws {NodeError} */
function* withEvm(balances: Balances, wallet: Wallet, state: StateView): Steps<Balances> {
  const amounts = new Map(balances.map(({ tokenId, amount }) => [tokenId, amount]));
  for (const publicKey of wallet.keys.publicKeys()) {
    const address = evmAddressOf(publicKey);
    const amount = address ? evmDfi(state, address) : 0n;
    if (amount > 0n) amounts.set(0, (amounts.get(0) ?? 0n) + amount);
    yield;
  }
  return toBalances(amounts);
}
