import type {
  AccountHistoryRecord,
  GetBurnInfoRequest,
  GetBurnInfoResponse,
  ListBurnHistoryRequest,
  ListBurnHistoryResponse,
  ListCommunityBalancesRequest,
  ListCommunityBalancesResponse,
} from '../../../gen/ts/dfi/accounts/v1/accounts.js';
import type { TokenAmount as ShownAmount } from '../../../gen/ts/dfi/types/v1/types.js';
import { communityBalance } from '../../dfi/accounts/community-columns.js';
import { burnTotals } from '../../dfi/accounts/history-columns.js';
import { burns, NO_TOKEN, passesFilter } from '../../dfi/accounts/history-queries.js';
import { storedAttributes } from '../../dfi/attributes/attributes.js';
import { totalOf } from '../../dfi/futures/columns.js';
import { type Balances, toBalances } from '../../dfi/kernel/amounts.js';
import { amountOf } from '../../dfi/kernel/keyed-balances.js';
import { byteText } from '../../dfi/kernel/text.js';
import { countedPaybacks, economyTotal } from '../../dfi/loans/totals.js';
import { tokenBySymbol } from '../../dfi/tokens/columns.js';
import { consortiumTotal } from '../../dfi/tokens/consortium-totals.js';
import { isActive } from '../../params/network.js';
import type { Handler } from '../../rpc/handler.js';
import type { StateView } from '../../storage/view.js';
import { Slicer } from '../../util/slicer.js';
import { formatTokenAmount } from '../format/amounts.js';
import { requireOptions } from '../format/options-object.js';
import { formatOwner } from '../format/owner.js';
import { heightSpan, historyLimit } from '../format/page.js';
import { letterCategory } from '../format/type-letter.js';
import { formatHistoryEntry } from './history/entry-format.js';
import type { AccountsModules } from './modules.js';

const OPTIONS = { maxBlockHeight: 'number', depth: 'number', token: 'string', txtype: 'string', limit: 'number' } as const;

export const listBurnHistory: Handler<AccountsModules, ListBurnHistoryRequest, ListBurnHistoryResponse> = async (
  { chain },
  request,
  call,
) => {
  requireOptions(request, OPTIONS);
  const { highest, lowest } = heightSpan(request, chain.tip.height);
  const limit = historyLimit(request.limit);
  const { token } = request;
  const category = letterCategory(request.txtype);
  const snapshot = chain.snapshot();
  const slicer = new Slicer(call);
  try {
    const filter = {
      categories: category === undefined ? undefined : new Set([category]),
      tokenId: token ? (tokenBySymbol(snapshot, byteText(token))?.id ?? NO_TOKEN) : undefined,
    };
    const records: AccountHistoryRecord[] = [];
    for (const entry of burns(snapshot, highest)) {
      const paused = slicer.pause();
      if (paused) await paused;
      if (entry.key.height < lowest || records.length >= limit) break;
      if (passesFilter(filter, entry)) records.push(formatHistoryEntry(entry, { chain, view: snapshot, naming: 'symbol' }));
    }
    return { records };
  } finally {
    snapshot.close();
  }
};

export const listCommunityBalances: Handler<AccountsModules, ListCommunityBalancesRequest, ListCommunityBalancesResponse> = ({
  chain,
}) => ({
  anchorreward: communityBalance(chain.state, 'anchor'),
  communitydevelopmentfunds: communityBalance(chain.state, 'communityDevelopment'),
  burnt: burntEmission(chain),
});

/** Burnt shares of the emission, in satoshis. */
function burntEmission({ state, tip, params }: AccountsModules['chain']): bigint {
  const burnt = communityBalance(state, 'unallocated') + communityBalance(state, 'incentive');
  return isActive(params, 'fortCanning', tip.height) ? burnt + communityBalance(state, 'loan') : burnt;
}

/** Causes that getburninfo lists separately, by type byte; the rest is `other`. */
const CAUSES: Readonly<Record<string, 'output' | 'fee' | 'auction' | 'payback' | 'exchange' | 'message'>> = {
  '\0': 'output',
  C: 'fee',
  T: 'fee',
  V: 'fee',
  z: 'fee',
  E: 'fee',
  I: 'auction',
  H: 'payback',
  k: 'payback',
  W: 'payback',
  s: 'exchange',
  i: 'exchange',
  F: 'message',
};

export const getBurnInfo: Handler<AccountsModules, GetBurnInfoRequest, GetBurnInfoResponse> = ({ chain }) => {
  const { state, params, tip } = chain;
  const sums = { output: 0n, fee: 0n, auction: 0n };
  const tokens = {
    payback: new Map<number, bigint>(),
    exchange: new Map<number, bigint>(),
    message: new Map<number, bigint>(),
    other: new Map<number, bigint>(),
  };
  for (const [{ category, tokenId }, { net, burnt }] of state.entries(burnTotals)) {
    const cause = CAUSES[String.fromCharCode(category)] ?? 'other';
    if (cause === 'output' || cause === 'fee' || cause === 'auction') sums[cause] += net;
    else if (burnt > 0n) tokens[cause].set(tokenId, (tokens[cause].get(tokenId) ?? 0n) + burnt);
  }
  const knowsConsortium = !isActive(params, 'metachain', tip.height);
  const consortium = splitConsortium(tokens.message, tokens.other, (tokenId) =>
    knowsConsortium ? consortiumTotal(state, tokenId).burnt : 0n,
  );
  return {
    address: formatOwner(params.scripts.burn, params),
    amount: sums.output,
    tokens: formatAll(state, tokens.other),
    consortiumtokens: formatAll(state, consortium),
    feeburn: sums.fee,
    auctionburn: sums.auction,
    paybackburn: formatAll(state, tokens.payback),
    dexfeetokens: formatAll(state, tokens.exchange),
    ...paybackTotals(state),
    emissionburn: burntEmission(chain),
    dfip2203: totalOf(storedAttributes(state), 'dfip2203', 'burned').map((amount) => formatTokenAmount(state, amount)),
    dfip2206f: totalOf(storedAttributes(state), 'dfip2206f', 'burned').map((amount) => formatTokenAmount(state, amount)),
  };
};

/**
 * Separates burns by consortium members from burns by others.
 * @param others receives the amounts burnt by others
 * @param byConsortium amount of a token that members burnt
 */
function splitConsortium(
  burnt: ReadonlyMap<number, bigint>,
  others: Map<number, bigint>,
  byConsortium: (tokenId: number) => bigint,
): ReadonlyMap<number, bigint> {
  const byMembers = new Map<number, bigint>();
  for (const [tokenId, amount] of burnt) {
    const own = byConsortium(tokenId);
    if (own > 0n) byMembers.set(tokenId, own);
    if (amount > own) others.set(tokenId, (others.get(tokenId) ?? 0n) + amount - own);
  }
  return byMembers;
}

const DFI = 0;

/** Totals of loan paybacks with other tokens. The DFI in the total of paybacks with DFI is the fee. */
function paybackTotals(view: StateView): Pick<GetBurnInfoResponse, 'dfipaybackfee' | 'dfipaybacktokens' | 'paybackfees' | 'paybacktokens'> {
  const withCoin = economyTotal(view, 'paidWithCoin');
  const { fees, payback } = countedPaybacks(storedAttributes(view));
  const shown = (amounts: Balances) => amounts.map((amount) => formatTokenAmount(view, amount));
  return {
    dfipaybackfee: amountOf(withCoin, DFI),
    dfipaybacktokens: shown(withCoin.filter(({ tokenId }) => tokenId !== DFI)),
    paybackfees: shown(fees),
    paybacktokens: shown(payback),
  };
}

function formatAll(view: StateView, amounts: ReadonlyMap<number, bigint>): ShownAmount[] {
  return toBalances(amounts).map((amount) => formatTokenAmount(view, amount));
}
