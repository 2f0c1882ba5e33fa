import type {
  GetInterestRequest,
  GetInterestResponse,
  GetLoanTokensRequest,
  GetLoanTokensResponse,
  GetStoredInterestRequest,
  GetStoredInterestResponse,
  LoanInterest,
  LogStoredInterestsRequest,
  LogStoredInterestsResponse,
  TokenInterest,
  VaultInterests,
} from '../../../gen/ts/dfi/node/v1/loans.js';
import { readState } from '../../chain/read-state.js';
import { compareTexts } from '../../dfi/attributes/ordered.js';
import type { TokenAmount } from '../../dfi/kernel/amounts.js';
import type { HeightContext } from '../../dfi/kernel/block-context.js';
import { byteText } from '../../dfi/kernel/text.js';
import { type Interest, interestRates, loanAmounts, loansOf } from '../../dfi/loans/columns.js';
import { addInterest, interestRate, interestTo, NO_INTEREST, roundInterestUp } from '../../dfi/loans/interest.js';
import { findTokenByText } from '../../dfi/tokens/queries.js';
import { getVault } from '../../dfi/vaults/columns.js';
import { isActive } from '../../params/network.js';
import { formatHash, type Hash256 } from '../../primitives/hash.js';
import type { Handler } from '../../rpc/handler.js';
import { parseHash } from '../../rpc/shapes.js';
import type { StateView } from '../../storage/view.js';
import { NodeError } from '../../util/errors.js';
import { Slicer, type Steps } from '../../util/slicer.js';
import { trimBlanks } from '../../util/trim.js';
import { formatTokenAmount, tokenSymbol } from '../format/amounts.js';
import { formatInterest } from '../format/interest.js';
import { requireToken } from '../format/token.js';
import type { LoansModules } from './modules.js';
import { requireLoanScheme } from './schemes.js';

type Modules = Pick<LoansModules, 'chain'>;

export const getInterest: Handler<Modules, GetInterestRequest, GetInterestResponse> = ({ chain }, request, call) => {
  const { params, tip } = chain;
  const { id } = request;
  const text = trimBlanks(request.token ?? '');
  requireLoanScheme(chain.state, id);
  const tokenId = text === '' ? undefined : requireToken(chain.state, text).id;
  const at = { height: tip.height + 1, params };
  return readState(chain, call, function* answer(view) {
    const sums = [...(yield* sumInterest(view, byteText(id), at))].filter(([token]) => tokenId === undefined || token === tokenId);
    return { interest: sums.sort(([a], [b]) => a - b).map(([token, sum]) => formatSum(view, token, sum, at)) };
  });
};

interface InterestSum {
  readonly total: Interest;
  readonly perBlock: Interest;
}

/** Interest owed by all vaults of a scheme, by token. */
function* sumInterest(view: StateView, scheme: string, at: HeightContext): Steps<Map<number, InterestSum>> {
  const sums = new Map<number, InterestSum>();
  for (const [key] of view.entries(interestRates)) {
    yield;
    const rate = getVault(view, key.vaultId)?.scheme === scheme ? interestRate(view, key, at) : undefined;
    if (!rate) continue;
    const { total, perBlock } = sums.get(key.tokenId) ?? { total: NO_INTEREST, perBlock: NO_INTEREST };
    sums.set(key.tokenId, { total: addInterest(total, interestTo(rate, at.height)), perBlock: addInterest(perBlock, rate.perBlock) });
  }
  return sums;
}

function formatSum(view: StateView, tokenId: number, { total, perBlock }: InterestSum, at: HeightContext): TokenInterest {
  const rounded = ({ negative, amount }: Interest) => (negative ? -roundInterestUp(amount, at) : roundInterestUp(amount, at));
  return {
    token: tokenSymbol(view, tokenId),
    totalinterest: rounded(total),
    interestperblock: rounded(perBlock),
    realizedinterestperblock: isActive(at.params, 'fortCanningHill', at.height) ? formatInterest(perBlock) : undefined,
  };
}

export const getStoredInterest: Handler<Modules, GetStoredInterestRequest, GetStoredInterestResponse> = ({ chain }, request) => {
  const { state, params, tip } = chain;
  const vaultId = parseHash(request.vaultid, 'vaultId');
  if (!getVault(state, vaultId)) throw new NodeError('not-found', 'Vault not found');
  const token = findTokenByText(state, request.token);
  if (!token) throw new NodeError('not-found', 'Token not found');
  const rate = interestRate(state, { vaultId, tokenId: token.id }, { height: tip.height, params });
  if (!rate) throw new NodeError('record-not-found', 'No stored interest for this token found in the vault.');
  return { interesttoheight: formatInterest(rate.toHeight), interestperblock: formatInterest(rate.perBlock), height: BigInt(rate.height) };
};

/** Lists vaults ordered by their ids in display order. */
export const logStoredInterests: Handler<Modules, LogStoredInterestsRequest, LogStoredInterestsResponse> = async (
  { chain },
  _request,
  call,
) => {
  const slicer = new Slicer(call);
  const vaults: VaultInterests[] = [];
  const at = { height: chain.tip.height, params: chain.params };
  const snapshot = chain.snapshot();
  try {
    for (const [vaultId, loans] of snapshot.entries(loanAmounts)) {
      const paused = slicer.pause();
      if (paused) await paused;
      if (!getVault(snapshot, vaultId)) continue;
      vaults.push({ vaultid: formatHash(vaultId), items: loans.flatMap((loan) => storedInterest(snapshot, vaultId, loan, at) ?? []) });
    }
  } finally {
    snapshot.close();
  }
  return { vaults: vaults.sort((a, b) => compareTexts(a.vaultid, b.vaultid)) };
};

function storedInterest(view: StateView, vaultId: Hash256, { tokenId, amount }: TokenAmount, at: HeightContext): LoanInterest | undefined {
  const rate = interestRate(view, { vaultId, tokenId }, at);
  return (
    rate && {
      token: String(tokenId),
      amount,
      interestheight: BigInt(rate.height),
      interesttoheight: formatInterest(rate.toHeight),
      interestperblock: formatInterest(rate.perBlock),
    }
  );
}

export const getLoanTokens: Handler<Modules, GetLoanTokensRequest, GetLoanTokensResponse> = ({ chain: { state } }, request) => {
  const loans = loansOf(state, parseHash(request.vaultid, 'vaultId')) ?? [];
  return { amounts: loans.map((amount) => formatTokenAmount(state, amount)) };
};
