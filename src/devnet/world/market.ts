import type { Script } from './script.js';

/** Collaterals with what an account gets of them, and prices in USD. */
export const COLLATERALS = [
  { symbol: 'BTC', name: 'Bitcoin', price: 60_000, factor: '1', each: '1' },
  { symbol: 'ETH', name: 'Ether', price: 3_000, factor: '0.9', each: '20' },
] as const;
/** Tokens that vaults borrow, likewise. */
export const LOAN_TOKENS = [
  { symbol: 'DUSD', name: 'Decentralized USD', price: 1, each: '10000' },
  { symbol: 'TSLA', name: 'Tesla', price: 200, each: '100' },
  { symbol: 'SPY', name: 'SPDR S&P 500', price: 500, each: '50' },
] as const;
const DFI_PRICE = 2;
/** Price of TSLA before it rises, which liquidates the vault in auction. */
const EARLY_TSLA = 170;

/** Prices that the oracle reports, USD by token. */
export const PRICES: Readonly<Record<string, number>> = Object.fromEntries([
  ['DFI', DFI_PRICE],
  ...[...COLLATERALS, ...LOAN_TOKENS].map(({ symbol, price }) => [symbol, price] as const),
]);

/** Pools with their liquidity: about a million USD on each side. */
const POOLS = [
  ['BTC', 'DFI', '16', '480000'],
  ['ETH', 'DFI', '320', '480000'],
  ['DUSD', 'DFI', '960000', '480000'],
  ['TSLA', 'DUSD', '4800', '960000'],
  ['SPY', 'DUSD', '1920', '960000'],
] as const;
/** DFI of the founder's account. */
const FOUNDERS_DFI = '3000000';
/** Blocks between two changes of the prices that loans use, on regtest. */
export const PRICE_INTERVAL = 6;

const SCHEMES = [
  [150, '5', 'MIN150'],
  [200, '2', 'MIN200'],
  [500, '0.5', 'MIN500'],
] as const;

/** Value of the parameter `prices` of `setoracledata`. */
export function priceList(prices: Readonly<Record<string, number>>): readonly object[] {
  return Object.entries(prices).map(([token, price]) => ({ currency: 'USD', tokenAmount: `${price.toFixed(8)}@${token}` }));
}

/** Tokens, an oracle with prices, loan schemes and loan tokens. @returns id of the oracle */
export async function foundMarket(script: Script, oracleAddress: string): Promise<string> {
  const { founder } = script;
  for (const { symbol, name } of COLLATERALS) {
    await script.call('createtoken', { symbol, name, isDAT: true, collateralAddress: founder });
    // The wallet might spend the collateral of a token that is not in a block yet.
    await script.mine();
  }
  for (const [ratio, interest, id] of SCHEMES) await script.call('createloanscheme', ratio, interest, id);
  const feeds = Object.keys(PRICES).map((token) => ({ token, currency: 'USD' }));
  const oracle = await script.send('appointoracle', oracleAddress, feeds, 10);
  await script.mine();
  await script.call('setoracledata', oracle, script.time, priceList({ ...PRICES, TSLA: EARLY_TSLA }));
  await script.calls(...COLLATERALS.map(({ symbol }) => ['minttokens', [`1000@${symbol}`]] as const));
  await script.mine();
  await script.calls(
    ['setcollateraltoken', { token: 'DFI', factor: '1', fixedIntervalPriceId: 'DFI/USD' }],
    ...COLLATERALS.map(
      ({ symbol: token, factor }) => ['setcollateraltoken', { token, factor, fixedIntervalPriceId: `${token}/USD` }] as const,
    ),
    ...LOAN_TOKENS.map(
      ({ symbol, name }) =>
        ['setloantoken', { symbol, name, fixedIntervalPriceId: `${symbol}/USD`, mintable: true, interest: '1' }] as const,
    ),
  );
  await script.mine();
  return oracle;
}

/** Pools with liquidity and rewards. The founder owns all tokens that the accounts do not get. */
export async function foundPools(script: Script): Promise<void> {
  const { founder } = script;
  await script.calls(
    ['setcollateraltoken', { token: 'DUSD', factor: '1', fixedIntervalPriceId: 'DUSD/USD' }],
    ...LOAN_TOKENS.map(({ symbol }) => ['minttokens', [`3000000@${symbol}`]] as const),
    ['utxostoaccount', { [founder]: `${FOUNDERS_DFI}@DFI` }],
    ...POOLS.map(
      ([tokenA, tokenB]) => ['createpoolpair', { tokenA, tokenB, commission: '0.002', status: true, ownerAddress: founder }] as const,
    ),
  );
  await script.mine();
  for (const [tokenA, tokenB, amountA, amountB] of POOLS) {
    await script.call('addpoolliquidity', { [founder]: [`${amountA}@${tokenA}`, `${amountB}@${tokenB}`] }, founder);
  }
  await script.calls(
    ['setgov', { LP_SPLITS: await shares(script, 'DFI') }],
    ['setgov', { LP_LOAN_TOKEN_SPLITS: await shares(script, 'DUSD') }],
  );
  await script.mine();
}

/** Equal shares of a reward for the pools with this second token; the first gets the rest. */
async function shares({ call }: Script, tokenB: string): Promise<Readonly<Record<string, number>>> {
  const pools = POOLS.filter((pool) => pool[1] === tokenB).map(([first, second]) => `${first}-${second}`);
  const percent = Math.floor(100 / pools.length);
  const entries = await Promise.all(
    pools.map(async (pool, index) => {
      const [id] = Object.keys((await call('getpoolpair', pool)) as object);
      return [id, (index === 0 ? 100 - percent * (pools.length - 1) : percent) / 100] as const;
    }),
  );
  return Object.fromEntries(entries);
}
