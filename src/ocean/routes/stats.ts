import { formatAmount } from '../../primitives/amount.js';
import { type Json, looseJson, Reader } from '../api/json.js';
import { get, type Route } from '../api/route.js';
import { tickerCount } from '../index/prices.js';
import type { OceanModules } from '../modules.js';
import { Decimal } from '../pools/decimal.js';
import { indexedAt } from '../pools/figures.js';
import { type LockedMasternodes, lockedMasternodes } from '../pools/locked-masternodes.js';
import { type Market, market } from '../pools/market.js';
import { unroundedSubsidy } from '../pools/subsidy.js';
import { scheduledSubsidy, scheduledSupply } from '../pools/supply.js';
import { totalLiquidityUsd } from '../pools/usd.js';
import { satoshis } from '../shapes/numbers.js';

const MAX_SUPPLY = 1_200_000_000;
/** Shares of a subsidy are per this number. */
const SHARE_SCALE = 10_000n;
const SHARE_DECIMALS = 4;
const AMOUNT_DECIMALS = 8;

/** Figures of the whole chain. @see docs/protocol/ocean.md 2.11, 3.3 */
export const statsRoutes: readonly Route[] = [
  get('stats', (modules) => modules.perTip.get('stats', async () => ({ data: await stats(modules) }), indexedAt(modules))),
  get('stats/rewards/distribution', (modules) => ({ data: distribution(modules) })),
  get('stats/reward/distribution', (modules) => ({ data: distribution(modules) })),
  get('stats/supply', (modules) => modules.perTip.get('supply', async () => ({ data: await supply(modules) }))),
  get('stats/burn', (modules) => modules.perTip.get('burn', async () => ({ data: shownBurn(await burnInfo(modules)) }))),
];

async function stats(modules: OceanModules): Promise<Json> {
  const { operations, chain, rows } = modules;
  const [burnt, loans, net, difficulty] = await Promise.all([
    burnInfo(modules),
    operations.call('getloaninfo').then((answer) => new Reader(answer).get('totals')),
    operations.call('getnetworkinfo').then((answer) => new Reader(answer)),
    operations.call('getdifficulty').then((answer) => new Reader(answer)),
  ]);
  const markets = await market(modules);
  const price = markets.usdPerDfi ?? Decimal.ZERO;
  const locked = await lockedMasternodes(chain);
  const numberOf = (name: string): number => loans.get(name).number();
  return {
    count: {
      blocks: rows.position?.height ?? chain.tip.height,
      tokens: markets.tokens.size,
      prices: tickerCount(rows.view),
      masternodes: locked.reduce((sum, { count }) => sum + count, 0),
    },
    tvl: await valueLocked(markets, { locked, loan: loans.get('collateralValue').number() }),
    burned: await burnedBySource(modules, burnt),
    price: { usd: price.toNumber(), usdt: price.toNumber() },
    masternodes: {
      locked: locked.map(({ weeks, count, collateral }) => ({ weeks, tvl: Decimal.ofAmount(collateral).times(price).toNumber(), count })),
    },
    emission: emission(modules),
    loan: {
      count: {
        schemes: numberOf('schemes'),
        loanTokens: numberOf('loanTokens'),
        collateralTokens: numberOf('collateralTokens'),
        openVaults: numberOf('openVaults'),
        openAuctions: numberOf('openAuctions'),
      },
      value: { collateral: numberOf('collateralValue'), loan: numberOf('loanValue') },
    },
    blockchain: { difficulty: difficulty.number() },
    net: {
      version: net.get('version').number(),
      subversion: net.get('subversion').text(),
      protocolversion: net.get('protocolversion').number(),
    },
  };
}

async function valueLocked(markets: Market, { locked, loan }: { readonly locked: readonly LockedMasternodes[]; readonly loan: number }) {
  const dex = (await totalLiquidityUsd(markets)).toNumber();
  const collateral = locked.reduce((sum, each) => sum + each.collateral, 0n);
  const ofMasternodes = Decimal.ofAmount(collateral)
    .times(markets.usdPerDfi ?? Decimal.ZERO)
    .toNumber();
  return { total: dex + loan + ofMasternodes, dex, loan, masternodes: ofMasternodes };
}

/** Emission of a block at the tip by purpose, numbers of DFI. @see docs/protocol/ocean.md 3.3.3 */
function emission({ chain: { params, tip } }: OceanModules) {
  const total = unroundedSubsidy(tip.height, params);
  const { shares } = params.subsidy;
  const part = (share: bigint): Decimal => total.times(new Decimal(share, SHARE_DECIMALS)).rounded(AMOUNT_DECIMALS);
  const parts = {
    masternode: part(shares.masternode),
    dex: part(shares.incentive),
    community: part(shares.communityDevelopment),
    anchor: part(shares.anchor),
  };
  const burned = Object.values(parts).reduce((rest, each) => rest.minus(each), total);
  const shown = Object.fromEntries(Object.entries({ ...parts, burned }).map(([name, value]) => [name, value.toNumber()]));
  return { total: total.toNumber(), ...shown };
}

/** Subsidy of a block at the tip by purpose, numbers of DFI. @see docs/protocol/ocean.md 3.3.2 */
function distribution({ chain: { params, tip } }: OceanModules): Json {
  const subsidy = scheduledSubsidy(tip.height, params);
  const { shares } = params.subsidy;
  const part = (share: bigint): number => Number(formatAmount((subsidy * share) / SHARE_SCALE));
  return {
    masternode: part(shares.masternode),
    community: part(shares.communityDevelopment),
    anchor: part(shares.anchor),
    liquidity: part(shares.incentive),
    loan: part(shares.loan),
    options: part(shares.options),
    unallocated: part(shares.unallocated),
  };
}

async function supply(modules: OceanModules): Promise<Json> {
  const { params, tip } = modules.chain;
  const created = scheduledSupply(tip.height, params);
  const burned = await burntTotal(modules, await burnInfo(modules));
  return {
    max: MAX_SUPPLY,
    total: Math.min(Number(formatAmount(created)), MAX_SUPPLY),
    burned: Number(formatAmount(burned)),
    circulating: Number(formatAmount(created - burned)),
  };
}

/** Answer of `getburninfo` at the tip. */
function burnInfo({ operations, perTip }: OceanModules): Promise<Reader> {
  return perTip.get('getburninfo', async () => new Reader(await operations.call('getburninfo')));
}

/** Amounts of DFI in satoshis that each way of burning has taken. @see docs/protocol/ocean.md 3.3.6 */
async function burnedBySource(modules: OceanModules, burnt: Reader) {
  const amounts = {
    total: await burntTotal(modules, burnt),
    address: amountOf(burnt, 'amount') + dfiIn(burnt.get('tokens')),
    fee: amountOf(burnt, 'feeburn'),
    auction: amountOf(burnt, 'auctionburn'),
    payback: dfiIn(burnt.get('paybackburn')),
    emission: amountOf(burnt, 'emissionburn'),
  };
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, Number(formatAmount(amount))]));
}

/** Satoshis. @see docs/protocol/ocean.md 3.3.5 */
async function burntTotal({ operations }: OceanModules, burnt: Reader): Promise<bigint> {
  const held = new Reader(await operations.call('getaccount', burnt.get('address').text()));
  return amountOf(burnt, 'amount') + dfiIn(held) + amountOf(burnt, 'emissionburn') + amountOf(burnt, 'feeburn');
}

function amountOf(burnt: Reader, name: string): bigint {
  return satoshis(burnt.get(name).digits());
}

/** Satoshis of DFI in a list of `amount@symbol`. */
function dfiIn(amounts: Reader): bigint {
  const found = amounts
    .list()
    .map((each) => each.text().split('@'))
    .find(([, symbol]) => symbol === 'DFI');
  return found ? satoshis(found[0] ?? '') : 0n;
}

/** Answer of `getburninfo` with exactly the members that clients expect. */
function shownBurn(burnt: Reader): Json {
  const number = (name: string): number => burnt.get(name).number();
  const list = (name: string): Json => looseJson(burnt.get(name).value ?? null);
  return {
    address: burnt.get('address').text(),
    amount: number('amount'),
    tokens: list('tokens'),
    feeburn: number('feeburn'),
    emissionburn: number('emissionburn'),
    auctionburn: number('auctionburn'),
    paybackburn: Number(formatAmount(dfiIn(burnt.get('paybackburn')))),
    paybackburntokens: list('paybackburn'),
    dexfeetokens: list('dexfeetokens'),
    dfipaybackfee: number('dfipaybackfee'),
    dfipaybacktokens: list('dfipaybacktokens'),
    paybackfees: list('paybackfees'),
    paybacktokens: list('paybacktokens'),
    dfip2203: list('dfip2203'),
    dfip2206f: list('dfip2206f'),
  };
}
