import { accountBalances, balancesOf } from '../../../../src/dfi/accounts/columns.js';
import type { Balances } from '../../../../src/dfi/kernel/amounts.js';
import { type PoolPair, poolOf, pools } from '../../../../src/dfi/pools/columns.js';
import { addPoolLiquidity } from '../../../../src/dfi/pools/liquidity-transactions.js';
import { createPoolPair } from '../../../../src/dfi/pools/transactions.js';
import { putToken, TokenFlag } from '../../../../src/dfi/tokens/columns.js';
import type { NetworkParams } from '../../../../src/params/network.js';
import type { HeightOverrides } from '../../../../src/params/upgrade-heights.js';
import { NULL_HASH } from '../../../../src/primitives/hash.js';
import type { WritableView } from '../../../../src/storage/view.js';
import { DfiFixture, GRAND_CENTRAL, heights, script } from '../fixture.js';

export const COIN = 100_000_000n;

/** Creates a token that all owners may pay with. */
function addTestToken(view: WritableView, id: number, symbol: string): void {
  putToken(view, id, {
    symbol,
    name: symbol,
    decimal: 8,
    limit: 0n,
    flags: TokenFlag.dat | TokenFlag.tradeable | TokenFlag.mintable,
    minted: 0n,
    creationTx: Buffer.alloc(32, id),
    destructionTx: NULL_HASH,
    creationHeight: 1,
    destructionHeight: -1,
  });
}

export interface NewPool {
  readonly tokenA: number;
  readonly tokenB: number;
  readonly commission?: bigint;
  readonly owner?: Uint8Array;
  readonly rewards?: Balances;
  readonly symbol?: string;
}

/** State with the tokens 1 (GOLD), 2 (SILVER) and 3 (DUSD) in addition to DFI. */
export class PoolFixture extends DfiFixture {
  readonly member: Uint8Array;

  constructor(params: NetworkParams, height = 100) {
    super(params, height);
    this.member = params.scripts.foundationMembers[0] ?? script(9);
    addTestToken(this.view, 1, 'GOLD');
    addTestToken(this.view, 2, 'SILVER');
    addTestToken(this.view, 3, 'DUSD');
  }

  /** Creates a pool with the foundation's authorisation. @returns error text, or undefined */
  createPool({ tokenA, tokenB, commission = 0n, owner = script(9), rewards = [], symbol = '' }: NewPool): string | undefined {
    return this.failure(createPoolPair, { tokenA, tokenB, commission, owner, status: true, symbol, rewards }, { from: [this.member] });
  }

  /** @throws if the pool does not exist */
  pool(id: number): PoolPair {
    const found = poolOf(this.view, id);
    if (!found) throw new Error(`no pool ${id}`);
    return found;
  }

  amounts(owner: Uint8Array): Record<number, bigint> {
    return Object.fromEntries([...balancesOf(this.view, owner)].map(({ tokenId, amount }) => [tokenId, amount]));
  }

  /** Total of a token in accounts, reserves, and commissions that are not yet distributed. */
  total(tokenId: number): bigint {
    let sum = 0n;
    for (const [key, amount] of this.view.entries(accountBalances)) if (key.tokenId === tokenId) sum += amount;
    for (const { pool } of pools(this.view)) {
      if (pool.tokenA === tokenId) sum += pool.reserveA + pool.commissionA;
      if (pool.tokenB === tokenId) sum += pool.reserveB + pool.commissionB;
    }
    return sum;
  }
}

/** State in which one owner has 1000 of each token. */
export function funded(owner: Uint8Array, given: HeightOverrides = GRAND_CENTRAL): PoolFixture {
  const made = new PoolFixture(heights(given));
  for (const id of [0, 1, 2, 3]) made.give(owner, id, 1_000n * COIN);
  return made;
}

/** Adds pairs of token id and amount from an owner to a pool. @returns error text, or undefined */
export function provide(
  at: PoolFixture,
  owner: Uint8Array,
  amounts: readonly (readonly [number, bigint])[],
  to = owner,
): string | undefined {
  const balances = amounts.map(([tokenId, amount]) => ({ tokenId, amount }));
  return at.failure(addPoolLiquidity, { from: [{ owner, balances }], shareAddress: to }, { from: [owner] });
}

/** The same for the tokens 1 (GOLD) and 2 (SILVER). */
export function provideMetals(at: PoolFixture, owner: Uint8Array, gold: bigint, silver: bigint, to = owner): string | undefined {
  return provide(
    at,
    owner,
    [
      [1, gold],
      [2, silver],
    ],
    to,
  );
}
