import { accountBalances } from '../../../src/dfi/accounts/columns.js';
import { dfiColumns } from '../../../src/dfi/execution/all-columns.js';
import { loanSchemes, setDefaultScheme } from '../../../src/dfi/loans/scheme-columns.js';
import { fixedPrices } from '../../../src/dfi/oracles/fixed-prices.js';
import { putHoldings, putNewPool, setShare } from '../../../src/dfi/pools/columns.js';
import { setReward } from '../../../src/dfi/pools/reward-columns.js';
import { TokenFlag } from '../../../src/dfi/tokens/columns.js';
import { addMinted } from '../../../src/dfi/tokens/minted.js';
import { vaultCollaterals } from '../../../src/dfi/vaults/columns.js';
import { createVault } from '../../../src/dfi/vaults/transactions.js';
import type { NetworkParams } from '../../../src/params/network.js';
import { encode, encodeText } from '../../../src/primitives/codec.js';
import { type Hash256, NULL_HASH } from '../../../src/primitives/hash.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { DfiFixture, dataScript, script } from './fixture.js';
import { addAsset } from './governance-context.js';

export const COIN = 100_000_000n;
export const [DFI, DUSD, TSLA] = [0, 1, 2] as const;
export const owner = script(1);

/** State with prices, collateral and loan tokens, and the loan schemes `LOAN150` (5 %, the default) and `LOAN200` (2 %). */
export class LoanFixture extends DfiFixture {
  constructor(params: NetworkParams, height = 100) {
    super(params, height);
    addAsset(this.view, DUSD, 'DUSD', TokenFlag.loanToken);
    addAsset(this.view, TSLA, 'TSLA', TokenFlag.loanToken);
    this.price('DFI', 5n * COIN);
    this.price('DUSD', COIN);
    this.price('TSLA', 10n * COIN);
    for (const [id, symbol] of [
      [DFI, 'DFI'],
      [DUSD, 'DUSD'],
      [TSLA, 'TSLA'],
    ] as const) {
      this.attribute(`v0/token/${id}/fixed_interval_price_id`, { kind: 'pair', value: { token: symbol, currency: 'USD' } });
      if (id !== DFI) this.loanToken(id, 5n * COIN);
      if (id !== TSLA) this.collateralToken(id, COIN);
    }
    this.view.put(loanSchemes, 'LOAN150', { ratio: 150, rate: 5n * COIN });
    this.view.put(loanSchemes, 'LOAN200', { ratio: 200, rate: 2n * COIN });
    setDefaultScheme(this.view, 'LOAN150');
  }

  loanToken(id: number, interest: bigint): void {
    this.attribute(`v0/token/${id}/loan_minting_enabled`, { kind: 'bool', value: true });
    this.attribute(`v0/token/${id}/loan_minting_interest`, { kind: 'amount', value: interest });
  }

  collateralToken(id: number, factor: bigint): void {
    this.attribute(`v0/token/${id}/loan_collateral_enabled`, { kind: 'bool', value: true });
    this.attribute(`v0/token/${id}/loan_collateral_factor`, { kind: 'amount', value: factor });
  }

  /** Sets the active price, and by default the next one too, in satoshis of a dollar. */
  price(token: string, active: bigint, next = active): void {
    this.view.put(fixedPrices, { token, currency: 'USD' }, { timestamp: 0n, active, next });
  }

  /** Mints a loan token to an owner without a loan. */
  make(to: Uint8Array, tokenId: number, amount: bigint): void {
    addMinted(this.view, { tokenId, amount });
    this.give(to, tokenId, amount);
  }

  /** Creates a vault of the owner. */
  openVault(scheme = ''): Hash256 {
    const body = encode(createVault.codec as NonNullable<typeof createVault.codec>, { owner, scheme });
    const tx: Transaction = this.transaction(dataScript('V', body), { value: COIN });
    const outcome = this.apply(tx);
    if (outcome.status !== 'applied') throw new Error('no vault');
    return tx.txid;
  }

  /** Creates a pool of DUSD and DFI that pays 1,000 satoshis of DFI per block from a height on; half of it to the provider. */
  openEarningPool(id: number, provider: Uint8Array, since: number): void {
    const { view } = this;
    addAsset(view, id, 'DUSD-DFI', TokenFlag.poolShare);
    const creation = { creationTx: NULL_HASH, creationHeight: 1 };
    const terms = { tokenA: DUSD, tokenB: DFI, commission: 0n, owner, status: true, rewards: [], ...creation };
    putNewPool(view, id, terms);
    const holdings = { reserveA: 10n * COIN, reserveB: 10n * COIN, totalLiquidity: 1_000_000n, commissionA: 0n, commissionB: 0n };
    putHoldings(view, id, since, { ...terms, ...holdings });
    setReward(view, id, 'coinbase', since, 1_000n);
    this.give(provider, id, 500_000n);
    setShare(view, id, provider, since);
  }

  /** Supply of a token in accounts and vaults. */
  total(tokenId: number): bigint {
    let sum = 0n;
    for (const [key, amount] of this.view.entries(accountBalances)) if (key.tokenId === tokenId) sum += amount;
    for (const [, held] of this.view.entries(vaultCollaterals)) for (const own of held) if (own.tokenId === tokenId) sum += own.amount;
    return sum;
  }

  /** The whole state as text. */
  digest(): string {
    return dfiColumns
      .flatMap((column) =>
        [...this.view.entries(column)].map(([key, value]) => column.name + encodeText(column.key, key) + encodeText(column.value, value)),
      )
      .join('\n');
  }
}
