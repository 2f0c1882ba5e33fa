import type { Balance } from '../../../../gen/ts/dfi/types/v1/types.js';
import type { BalanceSet } from '../../../../gen/ts/dfi/wallet/v1/records.js';
import type {
  GetBalanceRequest,
  GetBalanceResponse,
  GetBalancesRequest,
  GetBalancesResponse,
  GetUnconfirmedBalanceRequest,
  GetUnconfirmedBalanceResponse,
} from '../../../../gen/ts/dfi/wallet/v1/wallet.js';
import type { Handler } from '../../../rpc/handler.js';
import { NodeError } from '../../../util/errors.js';
import { addSums, type BalanceBuckets, balancesOf, dfiOf } from '../../../wallet/coins/balances.js';
import type { TokenSums } from '../../../wallet/txs/running-sums.js';
import { avoidsReuse, includesWatched } from '../format/parse.js';
import { type WalletModules, walletOf } from '../modules.js';

/** @see docs/protocol/wallet.md 3.13 */
export const getBalance: Handler<WalletModules, GetBalanceRequest, GetBalanceResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  const { dummy = '*' } = request;
  if (dummy !== '*') throw new NodeError('method-deprecated', 'dummy first argument must be excluded or set to "*".');
  const minDepth = request.minconf ?? 0;
  const withWatched = includesWatched(wallet, request.includeWatchonly);
  const avoidReuse = avoidsReuse(wallet, request.avoidReuse);
  const { mine, watched } = balancesOf(wallet, { minDepth, avoidReuse });
  const sums = withWatched ? addSums(mine.trusted, watched.trusted) : mine.trusted;
  return { balance: formatBalance(sums, request.withTokens ?? false) };
};

/** @see docs/protocol/wallet.md 3.14 */
export const getBalances: Handler<WalletModules, GetBalancesRequest, GetBalancesResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  const withTokens = request.withTokens ?? false;
  const { mine, watched } = balancesOf(wallet);
  const used = wallet.avoidsReuse ? usedOf(mine, balancesOf(wallet, { avoidReuse: false }).mine) : undefined;
  return {
    mine: { ...formatBuckets(mine, withTokens), used: used && formatBalance(used, withTokens) },
    watchonly: wallet.keys.watchesAnything ? formatBuckets(watched, withTokens) : undefined,
  };
};

/** Balance that appears only if reused addresses are counted. */
function usedOf(without: BalanceBuckets, withUsed: BalanceBuckets): TokenSums {
  const used = addSums(withUsed.trusted, withUsed.pending);
  for (const [token, amount] of addSums(without.trusted, without.pending)) used.set(token, (used.get(token) ?? 0n) - amount);
  return used;
}

/** @see docs/protocol/wallet.md 3.20 */
export const getUnconfirmedBalance: Handler<WalletModules, GetUnconfirmedBalanceRequest, GetUnconfirmedBalanceResponse> = (
  modules,
  request,
  call,
) => {
  const { mine } = balancesOf(walletOf(modules, call));
  return { balance: formatBalance(mine.pending, request.withTokens ?? false) };
};

function formatBuckets({ trusted, pending, immature }: BalanceBuckets, withTokens: boolean): BalanceSet {
  return {
    trusted: formatBalance(trusted, withTokens),
    untrustedPending: formatBalance(pending, withTokens),
    immature,
    used: undefined,
  };
}

/** Amount of DFI, or all tokens by rising id. */
export function formatBalance(sums: TokenSums, withTokens: boolean): Balance {
  if (!withTokens) return { form: { $case: 'amount', value: dfiOf(sums) } };
  const amounts = Object.fromEntries([...sums].sort(([a], [b]) => a - b));
  return { form: { $case: 'tokens', value: { amounts } } };
}
