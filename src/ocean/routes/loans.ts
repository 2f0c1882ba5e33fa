import { notFound, OperationFailed } from '../api/errors.js';
import { type Json, Reader } from '../api/json.js';
import { pageOfAll } from '../api/page.js';
import { pageOf, pathText } from '../api/request.js';
import { get, type OceanRequest, type Route } from '../api/route.js';
import type { OceanModules } from '../modules.js';
import { loanSchemes } from '../shapes/loan-scheme.js';
import { shownCollaterals, shownLoanToken } from '../shapes/loan-token.js';

/** Loan schemes, and tokens that vaults hold or borrow. @see docs/protocol/ocean.md 2.6 */
export const loanRoutes: readonly Route[] = [
  get('loans/schemes', async (modules, request) =>
    pageOfAll(
      await loanSchemes(modules),
      pageOf(request),
      ({ id }) => id,
      (scheme) => scheme,
    ),
  ),
  get('loans/schemes/{id}', async (modules, request) => {
    const id = pathText(request, 'id');
    const scheme = (await loanSchemes(modules)).find((each) => each.id === id);
    if (!scheme) throw notFound('Unable to find scheme');
    return { data: scheme };
  }),
  get('loans/collaterals', async (modules, request) => {
    const collaterals = new Reader(await modules.operations.call('listcollateraltokens')).list();
    return pageByTokenId(await shownCollaterals(modules, collaterals), request);
  }),
  get('loans/collaterals/{id}', async (modules, request) => {
    const unknown = notFound('Unable to find collateral token');
    const collateral = await found(modules.operations.call('getcollateraltoken', pathText(request, 'id')), unknown);
    // The operation returns an empty object for a token that is no collateral.
    if (!collateral.get('tokenId').isThere) throw unknown;
    const [shown] = await shownCollaterals(modules, [collateral]);
    return { data: shown };
  }),
  get('loans/tokens', async (modules, request) => {
    const loanTokens = new Reader(await modules.operations.call('listloantokens')).list();
    return pageByTokenId(
      loanTokens.map((each) => shownLoanToken(modules, each)),
      request,
    );
  }),
  get('loans/tokens/{id}', async (modules, request) => {
    const call = modules.operations.call('getloantoken', pathText(request, 'id'));
    return { data: shownLoanToken(modules, await found(call, notFound('Unable to find loan token'))) };
  }),
];

/** Page of tokens in the order of their creating transactions. */
function pageByTokenId<T extends Json & { readonly tokenId: string }>(tokens: readonly T[], request: OceanRequest) {
  const sorted = [...tokens].sort((a, b) => (a.tokenId < b.tokenId ? -1 : 1));
  return pageOfAll(
    sorted,
    pageOf(request),
    ({ tokenId }) => tokenId,
    (token) => token,
  );
}

/** Answer of an operation. @throws {OceanError} `unknown` if the operation refuses */
async function found(answer: ReturnType<OceanModules['operations']['call']>, unknown: Error): Promise<Reader> {
  try {
    return new Reader(await answer);
  } catch (error) {
    throw error instanceof OperationFailed ? unknown : error;
  }
}
