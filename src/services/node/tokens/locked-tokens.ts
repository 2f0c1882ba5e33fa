import type {
  GetLockedTokensRequest,
  GetLockedTokensResponse,
  ListLockedTokensRequest,
  ListLockedTokensResponse,
  LockedTokens,
  ReleaseLockedTokensRequest,
  ReleaseLockedTokensResponse,
} from '../../../../gen/ts/dfi/node/v1/tokens.js';
import type { TokenAmount as ShownAmount } from '../../../../gen/ts/dfi/types/v1/types.js';
import { readState } from '../../../chain/read-state.js';
import type { Balances } from '../../../dfi/kernel/amounts.js';
import { readableText } from '../../../dfi/kernel/text.js';
import { getToken } from '../../../dfi/tokens/columns.js';
import { lockedTokens } from '../../../dfi/tokens/lock-columns.js';
import { tokenLockRelease } from '../../../dfi/tokens/lock-transactions.js';
import { rawJson } from '../../../rpc/bind.js';
import type { Handler } from '../../../rpc/handler.js';
import type { StateView } from '../../../storage/view.js';
import { NodeError } from '../../../util/errors.js';
import { readInputs } from '../../format/inputs.js';
import { requireArgumentKind } from '../../format/options-object.js';
import { addressOf, parseOwner } from '../../format/owner.js';
import { sendFor, spendingWallet } from '../../wallet/spend/custom-tx.js';
import type { NodeModules } from '../modules.js';

type Modules = { readonly chain: Pick<NodeModules['chain'], 'params' | 'snapshot' | 'state' | 'tip'> };

export const listLockedTokens: Handler<Modules, ListLockedTokensRequest, ListLockedTokensResponse> = ({ chain }, _request, call) =>
  readState(chain, call, function* answer(state) {
    const locks: LockedTokens[] = [];
    for (const [script, held] of state.entries(lockedTokens)) {
      yield;
      const owner = addressOf(script, chain.params);
      if (owner !== undefined) locks.push({ owner, values: formatLocked(state, held) });
    }
    return { locks };
  });

export const getLockedTokens: Handler<Modules, GetLockedTokensRequest, GetLockedTokensResponse> = ({ chain }, { address }) => ({
  values: formatLocked(chain.state, chain.state.get(lockedTokens, parseOwner(address, chain)) ?? []),
});

/** Amounts with the token's symbol without id, as `defid` shows them here. */
function formatLocked(view: StateView, held: Balances): ShownAmount[] {
  return held.flatMap(({ tokenId, amount }) => {
    const token = getToken(view, tokenId);
    return token ? [{ tokenId, amount, token: readableText(token.symbol) }] : [];
  });
}

/** Divides a percentage. */
const PERCENT = 100n;

/** @see docs/protocol/defi.md 9.6 */
export const releaseLockedTokens: Handler<
  Pick<NodeModules, 'wallets' | 'chain'>,
  ReleaseLockedTokensRequest,
  ReleaseLockedTokensResponse
> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call);
  // An amount, but `defid` accepts no string for it.
  requireArgumentKind(request, 'releasepart', 'number');
  requireArgumentKind(request, 'inputs', 'array');
  // Without inputs, `defid` reports the type of null when it reads the amount.
  if (rawJson(request, 'releasepart') === null && rawJson(request, 'inputs') !== undefined)
    throw new NodeError('invalid-request', 'Invalid releaseRatio');
  const body = { part: request.releasepart / PERCENT };
  return sendFor(wallet, call, {
    definition: tokenLockRelease,
    body,
    member: 'foundation',
    change: 'first-auth',
    inputs: readInputs(request),
  });
};
