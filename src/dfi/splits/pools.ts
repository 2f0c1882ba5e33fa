import { isActive } from '../../params/network.js';
import type { Hash256 } from '../../primitives/hash.js';
import { accountBalances } from '../accounts/columns.js';
import { setVariable } from '../governance/rules.js';
import { storedVariable } from '../governance/variables.js';
import { TxRejected } from '../kernel/rejected.js';
import { type PoolPair, poolOf, pools, putHoldings, putNewPool, putPoolTerms, termsOf } from '../pools/columns.js';
import { deleteDexFee } from '../pools/fee-columns.js';
import { newestEntry, swapHistory } from '../pools/history-columns.js';
import { MINIMUM_LIQUIDITY } from '../pools/liquidity.js';
import { materialiseRewards } from '../rewards/owner-rewards.js';
import { getToken, isDestroyed, type Token, TokenFlag } from '../tokens/columns.js';
import { storeNewToken } from '../tokens/transactions.js';
import { movePoolAttributes } from './attributes.js';
import type { PoolMoves, Succession, SuccessionContext } from './context.js';
import { type Holder, largestFirst } from './holder-order.js';
import { convert } from './multiplier.js';
import { PoolMigration } from './pool-migration.js';
import { storeDestroyed, VERSION_MARK } from './tokens.js';

/**
 * Replaces pools by pools of the new tokens. Owners of shares get shares of the new pool, or both tokens if that is not possible.
 * @returns satoshis created of the new tokens, by id
 * @throws {TxRejected} @throws {ArithmeticError}
 * @see docs/protocol/defi.md 9.5
 */
export function movePools(context: SuccessionContext, moves: PoolMoves): ReadonlyMap<number, bigint> {
  const sums = new Map<number, bigint>();
  for (const { poolId, txid } of moves.pools) {
    for (const [id, amount] of movePool(context, moves, poolId, txid)) sums.set(id, (sums.get(id) ?? 0n) + amount);
  }
  return sums;
}

function movePool(context: SuccessionContext, moves: PoolMoves, oldId: number, creationTx: Hash256): ReadonlyMap<number, bigint> {
  const { view, height, draft } = context;
  const old = poolOf(view, oldId);
  if (!old) throw new TxRejected(`Failed to get related pool: ${oldId}`);
  const successor = emptySuccessor(old, moves, { creationTx, creationHeight: height });
  const newId = replacePoolToken(context, oldId, successor);
  putNewPool(view, newId, successor);
  const migration = new PoolMigration(context, moves, { oldId, newId }, old, successor);
  for (const holder of holdersOf(context, oldId, old)) migration.move(holder);
  deleteFees(context, moves, oldId, old);
  if (migration.old.totalLiquidity !== 0n)
    throw new TxRejected(`totalLiquidity should be zero. Remainder: ${migration.old.totalLiquidity}`);
  const commissions = convertedCommissions(context, moves, oldId, old);
  putHoldings(view, newId, height, { ...migration.next, ...commissions }, commissions !== undefined);
  putHoldings(view, oldId, height, migration.old);
  const terms = termsOf(view, oldId);
  if (terms) putPoolTerms(view, oldId, { ...terms, status: false });
  movePoolAttributes(draft, { oldId, newId });
  moveRewards(context, { oldId, newId });
  return migration.created;
}

function emptySuccessor(old: PoolPair, { successors }: PoolMoves, creation: Pick<PoolPair, 'creationTx' | 'creationHeight'>): PoolPair {
  const replaced = (id: number) => successors.get(id) ?? id;
  const tokens = { tokenA: replaced(old.tokenA), tokenB: replaced(old.tokenB) };
  return { ...old, ...creation, ...tokens, reserveA: 0n, reserveB: 0n, totalLiquidity: 0n };
}

/** Destroys the share token of the old pool and creates that of its successor. @returns id of the successor */
function replacePoolToken(context: SuccessionContext, oldId: number, { tokenA, tokenB, creationTx }: PoolPair): number {
  const { view, height, params } = context;
  const token = getToken(view, oldId);
  if (!token) throw new TxRejected(`Failed to get related pool token: ${oldId}`);
  const ended = `${token.symbol}${VERSION_MARK}${1 + countDestroyed(context, token)}`;
  storeDestroyed(context, oldId, { ...token, symbol: ended, flags: token.flags | TokenFlag.tradeable });
  const renamed = isActive(params, 'metachain', height);
  const symbol = renamed ? `${getToken(view, tokenA)?.symbol}-${getToken(view, tokenB)?.symbol}` : token.symbol;
  return storeNewToken(context, { ...token, symbol, minted: 0n, creationTx, creationHeight: height });
}

/** Number of replaced pools whose symbol begins like this one. */
function countDestroyed({ view }: SuccessionContext, { symbol }: Token): number {
  const hasEnded = (id: number) => {
    const token = getToken(view, id);
    return token !== undefined && isDestroyed(token);
  };
  let count = 0;
  for (const { id, pool } of pools(view)) {
    if (!hasEnded(pool.tokenA) && !hasEnded(pool.tokenB)) continue;
    if (getToken(view, id)?.symbol.includes(`${symbol}${VERSION_MARK}`)) count += 1;
  }
  return count;
}

/**
 * Holders of pool shares, largest first, with their rewards materialised. For a pool without holders the minimum liquidity is assigned to
 * the burn address.
 */
function holdersOf(context: SuccessionContext, poolId: number, { totalLiquidity }: PoolPair): readonly Holder[] {
  const { view, params } = context;
  const found: Holder[] = [];
  for (const [{ owner, tokenId }, shares] of view.entries(accountBalances)) if (tokenId === poolId) found.push({ owner, shares });
  const sorted = largestFirst(found);
  for (const { owner } of sorted) materialiseRewards(view, owner, context);
  if (sorted.length > 0 || totalLiquidity !== MINIMUM_LIQUIDITY) return sorted;
  return [{ owner: params.scripts.burn, shares: MINIMUM_LIQUIDITY }];
}

function deleteFees({ view }: SuccessionContext, { successors }: PoolMoves, poolId: number, { tokenA, tokenB }: PoolPair): void {
  for (const tokenId of [tokenA, tokenB]) {
    if (successors.has(tokenId)) for (const way of ['in', 'out'] as const) deleteDexFee(view, { way, tokenId });
    deleteDexFee(view, { pool: poolId, tokenId });
  }
}

/** Commissions of the old pool in its newest swap entry, converted (DF24); undefined if that entry has no swap. */
function convertedCommissions(
  context: SuccessionContext,
  { multiplier }: PoolMoves,
  poolId: number,
  { commissionA, commissionB }: PoolPair,
) {
  const { view, height, params } = context;
  if (!isActive(params, 'df24', height) || !newestEntry(view, swapHistory, poolId)?.[1].swapped) return undefined;
  return { commissionA: convert(multiplier, commissionA), commissionB: convert(multiplier, commissionB) };
}

/** Moves a pool's shares in the daily rewards to its successor. */
function moveRewards(context: SuccessionContext, { oldId, newId }: Succession): void {
  for (const name of ['LP_SPLITS', 'LP_LOAN_TOKEN_SPLITS'] as const) {
    const shares = storedVariable(context.view, name);
    if (shares?.name !== name || !shares.value.some(({ pool }) => pool === oldId)) continue;
    const moved = shares.value.map((each) => (each.pool === oldId ? { ...each, pool: newId } : each));
    setVariable(context, { name, value: moved.sort((a, b) => a.pool - b.pool) });
  }
}
