import type { HeightOverrides } from '../../../src/params/upgrade-heights.js';
import { GRAND_CENTRAL } from '../../unit/dfi/fixture.js';
import { type FounderNode, startFounderNode } from '../founder-node.js';

/** Blocks between two updates of fixed interval prices. */
const PRICE_INTERVAL = 5;

export interface LoanNode extends FounderNode {
  /** Address with coins and 200 DFI in its account. */
  readonly rich: string;
  /** Address of the wallet `stranger`, with coins. */
  readonly other: string;
  /** Reports new prices in USD and mints until they are active. */
  price(prices: Readonly<Record<string, number>>): Promise<void>;
}

const PRICES = { DFI: 5, DUSD: 1, TSLA: 10 };

/**
 * Loan tokens DUSD (1) at 1 % and TSLA (2) at 2 %, collateral tokens DFI and DUSD, live prices, and the schemes `LOAN150` (5 %,
 * default) and `LOAN200` (2 %). The founder has 1750 DUSD, besides those in pools.
 */
export async function startLoanNode(upgrades: HeightOverrides = GRAND_CENTRAL): Promise<LoanNode> {
  const node = await startFounderNode(upgrades, ['stranger']);
  const { call, clock, founder, mint } = node;
  await mint(20, founder);
  const rich = String(await call('getnewaddress', ['', 'legacy']));
  const other = String(await call('getnewaddress', ['', 'legacy'], 'stranger'));
  await call('sendtoaddress', [rich, 20]);
  await call('sendtoaddress', [other, 20]);
  const sent = async (method: string, ...args: readonly unknown[]): Promise<string> => {
    const answer = String(await call(method, args));
    if (!/^[0-9a-f]{64}$/.test(answer)) throw new Error(`${method}: ${answer}`);
    return answer;
  };
  await sent('utxostoaccount', { [rich]: '200@DFI' });
  await sent('setgov', { ORACLE_BLOCK_INTERVAL: PRICE_INTERVAL });
  await sent('createloanscheme', 150, 5, 'LOAN150');
  const feeds = Object.keys(PRICES).map((token) => ({ token, currency: 'USD' }));
  const oracle = await sent('appointoracle', founder, feeds, 10);
  await mint(1, founder);
  const price = async (prices: Readonly<Record<string, number>>): Promise<void> => {
    const reported = Object.entries(prices).map(([token, dollars]) => ({ currency: 'USD', tokenAmount: `${dollars}@${token}` }));
    await sent('setoracledata', oracle, clock.seconds(), reported);
    await mint(2 * PRICE_INTERVAL, founder);
  };
  await sent('createloanscheme', 200, 2, 'LOAN200');
  await sent(
    'setoracledata',
    oracle,
    clock.seconds(),
    Object.entries(PRICES).map(([token, dollars]) => ({ currency: 'USD', tokenAmount: `${dollars}@${token}` })),
  );
  await mint(1, founder);
  for (const [symbol, interest] of [
    ['DUSD', 1],
    ['TSLA', 2],
  ] as const) {
    await sent('setloantoken', { symbol, name: symbol.toLowerCase(), fixedIntervalPriceId: `${symbol}/USD`, interest });
    await mint(1, founder);
  }
  for (const token of ['DFI', 'DUSD']) await sent('setcollateraltoken', { token, factor: 1, fixedIntervalPriceId: `${token}/USD` });
  await sent('minttokens', ['3000@DUSD', '100@TSLA']);
  await sent('utxostoaccount', { [founder]: '50@DFI' });
  await sent('createpoolpair', { tokenA: 'DUSD', tokenB: 'DFI', status: true, ownerAddress: founder });
  await mint(1, founder);
  await sent('createpoolpair', { tokenA: 'TSLA', tokenB: 'DUSD', status: true, ownerAddress: founder });
  await mint(1, founder);
  await sent('addpoolliquidity', { [founder]: ['250@DUSD', '50@DFI'] }, founder);
  await mint(1, founder);
  await sent('addpoolliquidity', { [founder]: ['100@TSLA', '1000@DUSD'] }, founder);
  await mint(2 * PRICE_INTERVAL, founder);
  return { ...node, rich, other, price };
}
