import type {
  GetCollateralTokenRequest,
  GetCollateralTokenResponse,
  GetLoanTokenRequest,
  GetLoanTokenResponse,
  ListCollateralTokensRequest,
  ListCollateralTokensResponse,
  ListLoanTokensRequest,
  ListLoanTokensResponse,
  CollateralToken as ShownCollateral,
  LoanToken as ShownToken,
} from '../../../gen/ts/dfi/node/v1/loans.js';
import { readableText } from '../../dfi/kernel/text.js';
import {
  type CollateralEntry,
  collateralAt,
  listCollateralTokens as collateralsOf,
  type LoanToken,
  getLoanToken as loanTokenOf,
  listLoanTokens as loanTokensOf,
} from '../../dfi/loan-tokens/columns.js';
import { formatPair } from '../../dfi/oracles/columns.js';
import { getToken, type IdentifiedToken } from '../../dfi/tokens/columns.js';
import { formatHash } from '../../primitives/hash.js';
import type { Handler } from '../../rpc/handler.js';
import { cacheJson } from '../../rpc/write.js';
import { Projection } from '../../storage/projection.js';
import type { StateView } from '../../storage/view.js';
import { NodeError } from '../../util/errors.js';
import { tokenSymbol } from '../format/amounts.js';
import { formatSigned32 } from '../format/numbers.js';
import { formatToken, requireToken } from '../format/token.js';
import type { LoansModules } from './modules.js';

type Modules = Pick<LoansModules, 'chain'>;

export const listLoanTokens: Handler<Modules, ListLoanTokensRequest, ListLoanTokensResponse> = ({ chain }) => {
  const tokens = loanTokensOf(chain.state).flatMap(({ tokenId, loanToken }) => {
    const token = getToken(chain.state, tokenId);
    return token ? [formatLoanToken({ id: tokenId, token }, loanToken, chain)] : [];
  });
  return { tokens };
};

export const getLoanToken: Handler<Modules, GetLoanTokenRequest, GetLoanTokenResponse> = ({ chain }, { token: text }) => {
  const found = requireToken(chain.state, text);
  const loanToken = loanTokenOf(chain.state, found.id);
  if (!loanToken) throw new NodeError('record-not-found', `<${text}> is not a valid loan token!`);
  return { token: formatLoanToken(found, loanToken, chain) };
};

function formatLoanToken(found: IdentifiedToken, { pair, interest, mintable }: LoanToken, chain: Modules['chain']): ShownToken {
  return { token: { [found.id]: formatToken(found, chain) }, fixedintervalpriceid: readableText(formatPair(pair)), interest, mintable };
}

const shownCollaterals = new Projection<ListCollateralTokensResponse>(1);

export const listCollateralTokens: Handler<Modules, ListCollateralTokensRequest, ListCollateralTokensResponse> = ({ chain }) =>
  shownCollaterals.of(chain.state, '', (state) =>
    cacheJson({ tokens: collateralsOf(state).map((entry) => formatCollateral(state, entry)) }),
  );

export const getCollateralToken: Handler<Modules, GetCollateralTokenRequest, GetCollateralTokenResponse> = ({ chain }, { token: text }) => {
  const { id } = requireToken(chain.state, text);
  const entry = collateralAt(chain.state, id, chain.tip.height);
  return { token: entry && entry.token.factor !== 0n ? formatCollateral(chain.state, entry) : {} };
};

function formatCollateral(view: StateView, { tokenId, token, creationTx, activateAfterBlock }: CollateralEntry): ShownCollateral {
  return {
    token: tokenSymbol(view, tokenId),
    tokenid: formatHash(creationTx),
    factor: token.factor,
    fixedintervalpriceid: readableText(formatPair(token.pair)),
    activateafterblock: formatSigned32(activateAfterBlock) || undefined,
  };
}
