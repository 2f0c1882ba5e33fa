import { isActive } from '../../params/network.js';
import { COIN } from '../../primitives/amount.js';
import { type ByteReader, bool, type Codec, i64, struct, u32, varBytes } from '../../primitives/codec.js';
import { varInt32 } from '../../primitives/var-int.js';
import type { StateView } from '../../storage/view.js';
import { requireFoundationOrGovernance } from '../context/auth.js';
import { type AnyCustomTx, customTx, type TxContext } from '../context/custom-tx.js';
import { type Balances, balances, equalBalances } from '../kernel/amounts.js';
import { TxRejected } from '../kernel/rejected.js';
import { byteString } from '../kernel/text.js';
import { getToken, hasFlag, type Token, TokenFlag } from '../tokens/columns.js';
import { cutText, MAX_NAME, MAX_POOL_SYMBOL, MAX_SYMBOL, requireValidSymbol, withEndOfLife, withoutEndOfLife } from '../tokens/texts.js';
import { addToken } from '../tokens/transactions.js';
import { storeAltered } from '../tokens/updates.js';
import { type PoolTerms, poolOf, putNewPool, putPoolTerms } from './columns.js';
import { setCustomRewards } from './reward-columns.js';

/** Terms of a new pool. Token ids may be in either order; the owner is a script. */
export interface CreatePoolPair {
  readonly tokenA: number;
  readonly tokenB: number;
  /** Scaled by COIN. */
  readonly commission: bigint;
  readonly owner: Uint8Array;
  readonly status: boolean;
  /** Symbol of the share token, one char per byte; empty for a combination of the tokens' symbols. */
  readonly symbol: string;
  /** Custom rewards per block, debited from the owner. */
  readonly rewards: Balances;
}

/** Messages from before custom rewards end without them; written ones always have a list of rewards, as those of `defid`. */
const createPoolPairBody: Codec<CreatePoolPair> = {
  write(w, { tokenA, tokenB, commission, owner, status, symbol, rewards }) {
    varInt32.write(w, tokenA);
    varInt32.write(w, tokenB);
    i64.write(w, commission);
    varBytes.write(w, owner);
    bool.write(w, status);
    byteString.write(w, symbol);
    balances.write(w, rewards);
  },
  read: (r) => ({
    tokenA: varInt32.read(r),
    tokenB: varInt32.read(r),
    commission: i64.read(r),
    owner: varBytes.read(r),
    status: bool.read(r),
    symbol: byteString.read(r),
    rewards: r.remaining > 0 ? balances.read(r) : [],
  }),
};

/** Creates a pool and its share token. @see docs/protocol/defi.md 2.3 */
export const createPoolPair = customTx<CreatePoolPair>({
  type: 'p',
  name: 'CreatePoolPair',
  since: 'bayfront',
  codec: createPoolPairBody,
  apply(context, { tokenA, tokenB, symbol, ...terms }) {
    const { view, tx, height, params } = context;
    requireFoundationOrGovernance(context);
    if (terms.commission < 0n || terms.commission > COIN) throw new TxRejected('wrong commission');
    if (isActive(params, 'fortCanningCrunch', height) && symbol.includes('/')) {
      throw new TxRejected("token symbol should not contain '/'");
    }
    const a = requireToken(view, tokenA);
    const b = requireToken(view, tokenB);
    const id = addToken(
      context,
      {
        symbol: symbol === '' ? `${a.symbol}-${b.symbol}` : symbol,
        name: `${a.name}-${b.name}`,
        decimal: 8,
        limit: 0n,
        flags: TokenFlag.dat | TokenFlag.poolShare | TokenFlag.tradeable | TokenFlag.finalized,
      },
      isActive(params, 'fortCanning', height) ? MAX_POOL_SYMBOL : MAX_SYMBOL,
    );
    requireRewardTokens(view, terms.rewards);
    const { owner, commission, status, rewards } = terms;
    putNewPool(view, id, { tokenA, tokenB, owner, commission, status, rewards, creationTx: tx.txid, creationHeight: height });
  },
});

function requireToken(view: StateView, id: number): Token {
  const token = getToken(view, id);
  if (!token) throw new TxRejected(`token ${id} does not exist!`);
  return token;
}

function requireRewardTokens(view: StateView, rewards: Balances): void {
  for (const { tokenId } of rewards) if (!getToken(view, tokenId)) throw new TxRejected(`reward token ${tokenId} does not exist!`);
}

/** New terms of a pool, by its id. */
export interface UpdatePoolPair {
  readonly pool: number;
  readonly status: boolean;
  /** Scaled by COIN; negative keeps the old one. */
  readonly commission: bigint;
  /** Empty keeps the old one. */
  readonly owner: Uint8Array;
  /** Empty keeps the old ones; undefined if the message has none, as before Clarke Quay. */
  readonly rewards: Balances | undefined;
  /** Undefined if the message has none, as before Metachain. */
  readonly names: PoolNames | undefined;
}

/** New symbol and name of the share token. */
export interface PoolNames {
  /** Empty keeps the old one. */
  readonly symbol: string;
  /** Empty keeps the old one. */
  readonly name: string;
}

const poolNames = struct<PoolNames>({ symbol: byteString, name: byteString });

function readPoolTerms(r: ByteReader): Omit<UpdatePoolPair, 'names'> {
  const terms = { pool: u32.read(r), status: bool.read(r), commission: i64.read(r), owner: varBytes.read(r) };
  return { ...terms, rewards: r.remaining > 0 ? balances.read(r) : undefined };
}

/** The rewards are optional, and so are the names after them. */
const updatePoolPairBody: Codec<UpdatePoolPair> = {
  write(w, { pool, status, commission, owner, rewards, names }) {
    u32.write(w, pool);
    bool.write(w, status);
    i64.write(w, commission);
    varBytes.write(w, owner);
    if (rewards) balances.write(w, rewards);
    if (names) poolNames.write(w, names);
  },
  read(r) {
    const terms = readPoolTerms(r);
    return { ...terms, names: r.remaining > 0 ? poolNames.read(r) : undefined };
  },
};

/** Before Metachain there were no names: `defid` 3.2.8 refuses the bytes. */
const earlyUpdatePoolPairBody: Codec<UpdatePoolPair> = {
  ...updatePoolPairBody,
  read: (r) => ({ ...readPoolTerms(r), names: undefined }),
};

/** Value of an update that deletes all custom rewards. */
export const NO_REWARDS: Balances = [{ tokenId: 0xffffffff, amount: 0x7fff_ffff_ffff_ffffn }];

/** Changes the properties of a pool. @see docs/protocol/defi.md 2.4 */
export const updatePoolPair = customTx<UpdatePoolPair>({
  type: 'u',
  name: 'UpdatePoolPair',
  since: 'bayfront',
  codec: updatePoolPairBody,
  earlyCodec: earlyUpdatePoolPairBody,
  apply(context, { pool: id, status, commission, owner, rewards: given = [], names }) {
    const { view, height } = context;
    requireFoundationOrGovernance(context);
    const endsRewards = equalBalances(given, NO_REWARDS);
    if (!endsRewards) requireRewardTokens(view, given);
    renamePool(context, id, names);
    const before = poolOf(view, id);
    if (!before) throw new TxRejected(`Pool with poolId ${id} does not exist`);
    if (commission > COIN) throw new TxRejected('commission > 100%');
    const rewards = endsRewards ? [] : given.length > 0 ? given : before.rewards;
    const terms: PoolTerms = {
      ...before,
      status,
      rewards,
      commission: commission >= 0n ? commission : before.commission,
      owner: owner.length > 0 ? owner : before.owner,
    };
    if (!equalBalances(rewards, before.rewards)) setCustomRewards(view, id, height, rewards);
    putPoolTerms(view, id, terms);
  },
});

function renamePool(context: TxContext, id: number, { symbol, name }: PoolNames = { symbol: '', name: '' }): void {
  const { view, height, params } = context;
  const token = getToken(view, id);
  if (!token && isActive(params, 'metachain', height)) throw new TxRejected(`Pool token ${id} does not exist\n`);
  if (symbol === '' && name === '') return;
  if (!isActive(params, 'df23', height)) throw new TxRejected('Poolpair symbol cannot be changed below DF23 height');
  if (!token) return;
  const bare = withoutEndOfLife(symbol === '' ? token.symbol : cutText(symbol, MAX_POOL_SYMBOL));
  requireValidSymbol(bare, { createdAt: token.creationHeight, height }, params);
  storeAltered(
    context,
    { id, token },
    {
      ...token,
      symbol: hasFlag(token, 'deprecated') ? withEndOfLife(bare) : bare,
      name: name === '' ? token.name : cutText(name, MAX_NAME),
    },
  );
}

/** Custom transactions that create and update pools. */
export const poolTypes: readonly AnyCustomTx[] = [createPoolPair, updatePoolPair];
