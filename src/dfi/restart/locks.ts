import { equalBytes, toHex } from '../../util/bytes.js';
import { accountBalances, balanceOf } from '../accounts/columns.js';
import { withHistory } from '../context/block-event.js';
import { BalanceSum, compareOwners, type TokenAmount, toBalances } from '../kernel/amounts.js';
import { CONTRACT } from '../kernel/contract-addresses.js';
import { categoryByte, EVENT_TYPES } from '../kernel/event-types.js';
import { multiplyDivide } from '../kernel/math.js';
import { TxRejected } from '../kernel/rejected.js';
import { type PoolPair, poolOf, putHoldings, setShare } from '../pools/columns.js';
import { addLocked, lockedPart, setLockRatio } from '../tokens/lock-columns.js';
import { getVault, subCollateral, vaultCollaterals } from '../vaults/columns.js';
import { affectedByRestart, idsOf } from './affected.js';
import { type RestartContext, recordVaultChange } from './context.js';

/**
 * Locks a part of all new tokens in accounts, pools and vaults.
 * @param ratio part to lock, of COIN
 * @throws {TxRejected} @throws {ArithmeticError}
 * @see docs/protocol/defi.md 9.7
 */
export function lockTokens(context: RestartContext, ratio: bigint): void {
  const affected = affectedByRestart(context.view);
  const locking = new Locking(context, ratio, new Set(idsOf(affected, 'token')), new Set(idsOf(affected, 'pool')));
  locking.lockAccounts();
  locking.lockCollaterals();
  locking.finish();
  setLockRatio(context.view, ratio);
}

interface OwnedToken {
  readonly owner: Uint8Array;
  readonly tokenId: number;
}

class Locking {
  readonly #total = new BalanceSum();
  /** Balance changes by owner, so that each owner has one history entry. */
  readonly #changes = new Map<string, { readonly owner: Uint8Array; readonly tokens: Map<number, bigint> }>();
  readonly #pools = new Map<number, PoolPair>();

  constructor(
    private readonly context: RestartContext,
    private readonly ratio: bigint,
    private readonly tokenIds: ReadonlySet<number>,
    private readonly poolIds: ReadonlySet<number>,
  ) {}

  lockAccounts(): void {
    const { view, height } = this.context;
    for (const own of this.#owned()) {
      const locked = lockedPart(balanceOf(view, own.owner, own.tokenId), this.ratio);
      this.#change(own, -locked);
      if (this.tokenIds.has(own.tokenId)) this.#lock(own.owner, { tokenId: own.tokenId, amount: locked });
      else this.#leavePool(own, locked);
    }
    for (const [id, pool] of this.#pools) putHoldings(view, id, height, pool);
    this.#writeChanges();
  }

  /** Balances to lock: all but those of the burn address and of the token lock contract. */
  #owned(): readonly OwnedToken[] {
    const { view, params } = this.context;
    const exempt = [params.scripts.burn, CONTRACT.tokenLock];
    const found: OwnedToken[] = [];
    for (const [key] of view.entries(accountBalances)) {
      if (!this.tokenIds.has(key.tokenId) && !this.poolIds.has(key.tokenId)) continue;
      if (!exempt.some((script) => equalBytes(script, key.owner))) found.push(key);
    }
    return found;
  }

  /** Removes shares from a pool. Of their worth, loan tokens are locked and other tokens paid out. */
  #leavePool({ owner, tokenId }: OwnedToken, shares: bigint): void {
    const { view, height } = this.context;
    const pool = this.#pools.get(tokenId) ?? poolOf(view, tokenId);
    if (!pool) throw new TxRejected('Pool not found durint dToken restart');
    const { reserveA, reserveB, totalLiquidity } = pool;
    const a = { tokenId: pool.tokenA, amount: multiplyDivide(shares, reserveA, totalLiquidity) };
    const b = { tokenId: pool.tokenB, amount: multiplyDivide(shares, reserveB, totalLiquidity) };
    const left = { reserveA: reserveA - a.amount, reserveB: reserveB - b.amount, totalLiquidity: totalLiquidity - shares };
    this.#pools.set(tokenId, { ...pool, ...left });
    for (const part of [a, b]) {
      if (this.tokenIds.has(part.tokenId)) this.#lock(owner, part);
      else this.#change({ owner, tokenId: part.tokenId }, part.amount);
    }
    setShare(view, tokenId, owner, height);
  }

  #change({ owner, tokenId }: OwnedToken, difference: bigint): void {
    const key = toHex(owner);
    const known = this.#changes.get(key) ?? { owner, tokens: new Map<number, bigint>() };
    this.#changes.set(key, known);
    known.tokens.set(tokenId, (known.tokens.get(tokenId) ?? 0n) + difference);
  }

  #writeChanges(): void {
    const all = [...this.#changes.values()].sort((a, b) => compareOwners(a.owner, b.owner));
    for (const { owner, tokens } of all) {
      withHistory(this.context, { category: categoryByte(EVENT_TYPES.tokenLock) }, (accounts) => {
        for (const { tokenId, amount } of toBalances(tokens)) {
          if (amount > 0n) accounts.add(owner, { tokenId, amount });
          else accounts.sub(owner, { tokenId, amount: -amount });
        }
      });
    }
  }

  lockCollaterals(): void {
    const { view } = this.context;
    for (const [vaultId, held] of [...view.entries(vaultCollaterals)]) {
      for (const { tokenId, amount } of held) {
        if (!this.tokenIds.has(tokenId)) continue;
        const owner = getVault(view, vaultId)?.owner;
        if (!owner) throw new Error('collateral without a vault');
        const locked = { tokenId, amount: lockedPart(amount, this.ratio) };
        subCollateral(this.context, vaultId, locked);
        this.#lock(owner, locked);
        recordVaultChange(this.context, categoryByte(EVENT_TYPES.tokenLock), {
          vaultId,
          differences: [{ tokenId, amount: -locked.amount }],
        });
      }
    }
  }

  #lock(owner: Uint8Array, amount: TokenAmount): void {
    this.#total.add(amount);
    addLocked(this.context.view, owner, amount);
  }

  /** Credits the locked amounts to the token lock contract. */
  finish(): void {
    withHistory(this.context, { category: categoryByte(EVENT_TYPES.tokenLock) }, (accounts) =>
      accounts.addAll(CONTRACT.tokenLock, this.#total.list()),
    );
  }
}
