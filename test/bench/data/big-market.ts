import { setCommunityBalance } from '../../../src/dfi/accounts/community-columns.js';
import { attributes } from '../../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../../src/dfi/attributes/path.js';
import type { AttributeValue } from '../../../src/dfi/attributes/value.js';
import { loanSchemes, setDefaultScheme } from '../../../src/dfi/loans/scheme-columns.js';
import { oracles } from '../../../src/dfi/oracles/columns.js';
import { fixedPrices } from '../../../src/dfi/oracles/fixed-prices.js';
import { putHoldings, putNewPool } from '../../../src/dfi/pools/columns.js';
import { setReward } from '../../../src/dfi/pools/reward-columns.js';
import { putToken, TokenFlag } from '../../../src/dfi/tokens/columns.js';
import { createNativeToken } from '../../../src/dfi/tokens/genesis.js';
import { COIN } from '../../../src/primitives/amount.js';
import { NULL_HASH } from '../../../src/primitives/hash.js';
import type { Overlay } from '../../../src/storage/overlay.js';

export const DFI = 0;
export const BTC = 1;
export const DUSD = 2;
/** Loan tokens from {@link FIRST_ASSET} on, each with a pool of it and DUSD; DUSD and DFI have one too. */
export const FIRST_ASSET = 3;
export const ASSETS = 20;
/** Id of the pool of DUSD and DFI; those of the assets follow. */
export const FIRST_POOL = 60;
export const SCHEMES = ['MIN150', 'MIN175', 'MIN200'] as const;
/** Percent scaled by COIN. */
export const TOKEN_INTEREST = COIN;
export const SCHEME_RATE = 5n * COIN;
/** Satoshis of a dollar. */
export const DFI_PRICE = 5n * COIN;
export const BTC_PRICE = 50_000n * COIN;
export const ASSET_PRICE = 100n * COIN;

const ORACLES = 5;
const RESERVE = 10_000_000n * COIN;
const creation = { creationTx: NULL_HASH, creationHeight: 1 };

function addToken(view: Overlay, id: number, symbol: string, flags: number): void {
  const fields = { symbol, name: symbol, decimal: 8, limit: 0n, flags: flags | TokenFlag.dat | TokenFlag.tradeable };
  putToken(view, id, {
    ...fields,
    ...creation,
    creationTx: Buffer.alloc(32, id),
    minted: 0n,
    destructionTx: NULL_HASH,
    destructionHeight: -1,
  });
}

function addPool(view: Overlay, id: number, tokenA: number, tokenB: number, height: number): void {
  addToken(view, id, `POOL${id}`, TokenFlag.poolShare);
  const terms = { tokenA, tokenB, commission: COIN / 500n, owner: Buffer.alloc(22, id), status: true, rewards: [], ...creation };
  putNewPool(view, id, terms);
  const held = { reserveA: RESERVE, reserveB: RESERVE, totalLiquidity: RESERVE, commissionA: 0n, commissionB: 0n };
  putHoldings(view, id, height, { ...terms, ...held });
  setReward(view, id, 'coinbase', height, 1_000n);
}

function setPrice(view: Overlay, tokenId: number, symbol: string, price: bigint): void {
  const pair = { token: symbol, currency: 'USD' };
  const set = (path: string, value: AttributeValue) => view.put(attributes, attributeAt(`v0/token/${tokenId}/${path}`), value);
  set('fixed_interval_price_id', { kind: 'pair', value: pair });
  view.put(fixedPrices, pair, { timestamp: 0n, active: price, next: price });
  if (tokenId < FIRST_ASSET) {
    set('loan_collateral_enabled', { kind: 'bool', value: true });
    set('loan_collateral_factor', { kind: 'amount', value: COIN });
  }
  if (tokenId >= DUSD) {
    set('loan_minting_enabled', { kind: 'bool', value: true });
    set('loan_minting_interest', { kind: 'amount', value: TOKEN_INTEREST });
  }
}

/** Tokens with their symbols and prices. */
function priced(): readonly { readonly id: number; readonly symbol: string; readonly price: bigint }[] {
  const assets = Array.from({ length: ASSETS }, (_, i) => ({ id: FIRST_ASSET + i, symbol: `S${i}`, price: ASSET_PRICE }));
  return [
    { id: DFI, symbol: 'DFI', price: DFI_PRICE },
    { id: BTC, symbol: 'BTC', price: BTC_PRICE },
    { id: DUSD, symbol: 'DUSD', price: COIN },
    ...assets,
  ];
}

/**
 * The parts of a state that do not grow with it: tokens, pools, schemes, prices and oracles.
 * @param height of the block before the first one that is connected; `time` that of its header
 */
export function putMarket(view: Overlay, { height, time }: { readonly height: number; readonly time: number }): void {
  createNativeToken(view);
  addToken(view, BTC, 'BTC', 0);
  addToken(view, DUSD, 'DUSD', TokenFlag.loanToken | TokenFlag.mintable);
  for (let i = 0; i < ASSETS; i++) addToken(view, FIRST_ASSET + i, `S${i}`, TokenFlag.loanToken | TokenFlag.mintable);
  addPool(view, FIRST_POOL, DUSD, DFI, height);
  for (let i = 0; i < ASSETS; i++) addPool(view, FIRST_POOL + 1 + i, FIRST_ASSET + i, DUSD, height);
  for (const { id, symbol, price } of priced()) setPrice(view, id, symbol, price);
  for (const [i, scheme] of SCHEMES.entries()) view.put(loanSchemes, scheme, { ratio: 150 + 25 * i, rate: SCHEME_RATE });
  setDefaultScheme(view, SCHEMES[0]);
  setCommunityBalance(view, 'incentive', 1_000_000n * COIN);
  setCommunityBalance(view, 'loan', 1_000_000n * COIN);
  putPrices(view, time);
}

/** Reports of all oracles at a time; `percent` of the first prices. */
export function putPrices(view: Overlay, time: number, percent = 100n): void {
  const prices = priced()
    .map(({ symbol, price }) => ({ token: symbol, currency: 'USD', price: (price * percent) / 100n, timestamp: BigInt(time) }))
    .sort((a, b) => (a.token < b.token ? -1 : 1));
  const pairs = prices.map(({ token, currency }) => ({ token, currency }));
  for (let n = 1; n <= ORACLES; n++) {
    view.put(oracles, Buffer.alloc(32, n), { address: Buffer.alloc(22, n), weight: 10, pairs, prices });
  }
}
