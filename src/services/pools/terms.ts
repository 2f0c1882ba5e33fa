import type {
  CreatePoolPairRequest,
  CreatePoolPairResponse,
  UpdatePoolPairRequest,
  UpdatePoolPairResponse,
} from '../../../gen/ts/dfi/node/v1/pools.js';
import type { Balances } from '../../dfi/kernel/amounts.js';
import { byteText } from '../../dfi/kernel/text.js';
import { poolOf } from '../../dfi/pools/columns.js';
import { createPoolPair as creation, NO_REWARDS, updatePoolPair as update } from '../../dfi/pools/transactions.js';
import { findTokenByText } from '../../dfi/tokens/queries.js';
import { MAX_POOL_SYMBOL, MAX_SYMBOL } from '../../dfi/tokens/texts.js';
import { hasMetachainMembers, isActive } from '../../params/network.js';
import type { Handler } from '../../rpc/handler.js';
import { EMPTY_BYTES } from '../../util/bytes.js';
import { invalidParameter, NodeError } from '../../util/errors.js';
import { trimBlanks } from '../../util/trim.js';
import { givenAmounts, readBalances } from '../format/account-amounts.js';
import { readInputs } from '../format/inputs.js';
import { lenientFlag, requireArgument } from '../format/options-object.js';
import { parseOwner, refuseEvmOwners } from '../format/owner.js';
import { sendFor, spendingWallet } from '../wallet/spend/custom-tx.js';
import type { PoolsModules } from './modules.js';

type TermsRequest = Pick<CreatePoolPairRequest, 'owneraddress' | 'customrewards'>;

export const createPoolPair: Handler<PoolsModules, CreatePoolPairRequest, CreatePoolPairResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call);
  const { chain } = modules;
  const { params } = chain;
  requireArgument(request, call);
  const commission = request.commission ?? 0n;
  const status = lenientFlag(request, 'status', () => request.status) ?? true;
  const owner = ownerOf(request, chain);
  const symbol = byteText(request.pairsymbol ?? '');
  const rewards = rewardsOf(request, chain) ?? [];
  refuseEvmOwners(chain, [owner]);
  const tokenA = requireToken(request.tokena, chain, 'TokenA');
  const tokenB = requireToken(request.tokenb, chain, 'TokenB');
  const height = chain.tip.height + 1;
  const longest = isActive(params, 'fortCanning', height) ? MAX_POOL_SYMBOL : MAX_SYMBOL;
  if (symbol.length > longest) throw new NodeError('invalid-address', `pairSymbol is larger than ${longest}`);
  const body = { tokenA, tokenB, commission, owner, status, symbol, rewards: isActive(params, 'clarkeQuay', height) ? rewards : [] };
  return sendFor(wallet, call, {
    definition: creation,
    body,
    member: 'foundation-or-governance',
    change: 'first-auth',
    inputs: readInputs(request),
  });
};

export const updatePoolPair: Handler<PoolsModules, UpdatePoolPairRequest, UpdatePoolPairResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call);
  const { chain } = modules;
  requireArgument(request, call);
  const text = trimBlanks(request.pool);
  const id = findTokenByText(chain.state, text)?.id;
  const before = id === undefined ? undefined : poolOf(chain.state, id);
  if (id === undefined || !before) throw invalidParameter(`Pool ${text} does not exist!`);
  const status = lenientFlag(request, 'status', () => request.status) ?? before.status;
  const commission = request.commission ?? -1n;
  const owner = ownerOf(request, chain);
  const given = rewardsOf(request, chain);
  const rewards = given?.length === 0 ? NO_REWARDS : (given ?? []);
  const height = chain.tip.height + 1;
  // `defid` 3.2.8 ignores them.
  const hasNames = hasMetachainMembers(chain.params, height);
  const names = hasNames ? { symbol: byteText(request.symbol ?? ''), name: byteText(request.name ?? '') } : undefined;
  refuseEvmOwners(chain, [owner]);
  const body = {
    pool: id,
    status,
    commission,
    owner,
    rewards: names || isActive(chain.params, 'clarkeQuay', height) ? rewards : undefined,
    names,
  };
  return sendFor(wallet, call, {
    definition: update,
    body,
    member: 'foundation-or-governance',
    change: 'first-auth',
    inputs: readInputs(request),
  });
};

function ownerOf({ owneraddress }: TermsRequest, chain: PoolsModules['chain']): Uint8Array {
  return owneraddress === undefined ? EMPTY_BYTES : parseOwner(owneraddress, chain);
}

/** Undefined if the argument is missing. */
function rewardsOf(request: TermsRequest, { state }: PoolsModules['chain']): Balances | undefined {
  const json = givenAmounts(request, 'customrewards', request.customrewards);
  return json === undefined ? undefined : readBalances(json, '', state);
}

function requireToken(text: string, { state }: PoolsModules['chain'], what: string): number {
  const found = findTokenByText(state, text);
  if (!found) throw new NodeError('invalid-address', `${what} was not found`);
  return found.id;
}
