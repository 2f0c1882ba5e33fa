import { PRICES, priceList } from '../../../src/devnet/world/market.js';
import { Domain } from '../../../src/dfi/evm/transfer-domain-body.js';
import { COIN, formatAmount } from '../../../src/primitives/amount.js';
import { type Draw, holdingText, type Makers } from './draw.js';
import { evmTransaction } from './ethereum.js';
import { EXCHANGE } from './exchange.js';
import { governance, governanceToUnset } from './governance.js';
import { MASTERNODES } from './masternodes.js';
import type { Holding } from './world-values.js';

export interface Operation {
  readonly method: string;
  readonly params: readonly unknown[];
}

const TIMES = [-3600, -600, -1, 0, 0, 0, 1, 300, 301];

/** Address whose coins and accounts count as burned. */
const BURN_ADDRESS = 'mfburnZSAM7Gs1hpDeNaMotJXSGA7edosG';

const isShare = ({ symbol }: Holding) => symbol.includes('-');
const isDollar = ({ symbol }: Holding) => symbol === 'DUSD';

const MAKERS: Makers = {
  utxostoaccount: { weight: 4, make: (d) => depositOf(d) },
  sendutxosfrom: {
    weight: 1,
    make: (d) => [d.address(), d.chance(20) ? BURN_ADDRESS : d.address(), formatAmount(BigInt(1 + d.random.below(1e7)))],
  },
  accounttoutxos: {
    weight: 3,
    make: (d) => {
      const held = d.held(({ symbol }) => symbol === 'DFI');
      return held && [held.owner, { [d.address()]: holdingText(held.part) }];
    },
  },
  accounttoaccount: {
    weight: 8,
    make: (d) => {
      const held = d.held();
      if (!held || d.chance(75)) return held && [held.owner, { [d.address()]: holdingText(held.part) }];
      const parts = (d.values.balances.get(held.owner) ?? []).filter(() => d.chance(50)).map((each) => holdingText(d.partOf(each)));
      return [held.owner, { [d.address()]: holdingText(held.part), [d.chance(30) ? BURN_ADDRESS : d.address()]: parts }];
    },
  },
  sendtokenstoaddress: {
    weight: 4,
    make: (d) => (d.chance(60) ? fromSeveral(d) : fromAny(d)),
  },
  poolswap: { weight: 14, make: (d) => swapOf(d) },
  compositeswap: { weight: 10, make: (d) => swapOf(d) },
  addpoolliquidity: {
    weight: 6,
    make: (d) => {
      const pool = d.pick(d.values.pools);
      const [a = '', b = ''] = pool.split('-');
      const owner = d.address();
      const balances = d.values.balances.get(owner) ?? [];
      const parts = [a, b].map((symbol) => d.partOf(balances.find((each) => each.symbol === symbol) ?? { symbol, amount: COIN }));
      if (d.chance(15))
        return [{ [owner]: parts.slice(0, 1).map(holdingText), [d.address()]: parts.slice(1).map(holdingText) }, d.address()];
      return [{ [owner]: parts.map(holdingText) }, d.address()];
    },
  },
  removepoolliquidity: {
    weight: 6,
    make: (d) => {
      const held = d.held(isShare);
      return held && [held.owner, holdingText(held.part)];
    },
  },
  createvault: { weight: 3, make: (d) => [d.address(), d.pick(['', ...d.values.schemes])] },
  updatevault: {
    weight: 2,
    make: (d) => {
      const vault = vaultOf(d);
      return vault && [vault.id, d.chance(50) ? { ownerAddress: d.address() } : { loanSchemeId: d.pick(d.values.schemes) }];
    },
  },
  closevault: {
    weight: 1,
    make: (d) => {
      const vault = vaultOf(d);
      return vault && [vault.id, d.address()];
    },
  },
  deposittovault: {
    weight: 10,
    make: (d) => {
      const indebted = d.chance(20) ? d.values.vaults.filter(({ loans }) => loans.some(isDollar)) : [];
      const vault = indebted.length > 0 ? d.pick(indebted) : vaultOf(d);
      const held = d.held(indebted.length > 0 ? isDollar : (holding) => !isShare(holding));
      return vault && held && [vault.id, held.owner, holdingText(held.part)];
    },
  },
  withdrawfromvault: {
    weight: 6,
    make: (d) => {
      const vault = vaultOf(d);
      if (!vault || vault.collaterals.length === 0) return undefined;
      return [vault.id, d.address(), holdingText(d.partOf(d.pick(vault.collaterals)))];
    },
  },
  takeloan: {
    weight: 12,
    make: (d) => {
      const vault = vaultOf(d);
      const amounts = d.pick([1, 1, 2]) === 1 ? [loanOf(d)] : [loanOf(d), loanOf(d)];
      return vault && [{ vaultId: vault.id, to: d.address(), amounts }];
    },
  },
  paybackloan: { weight: 12, make: (d) => paybackOf(d) },
  paybackwithcollateral: {
    weight: 2,
    make: (d) => {
      const looped = d.values.vaults.filter(({ loans, collaterals }) => loans.some(isDollar) && collaterals.some(isDollar));
      const vault = looped.length > 0 && d.chance(80) ? d.pick(looped) : vaultOf(d);
      return vault && [vault.id];
    },
  },
  placeauctionbid: {
    weight: 8,
    make: (d) => {
      if (d.values.batches.length === 0) return undefined;
      const { vault, index, loan } = d.pick(d.values.batches);
      const amount = (loan.amount * BigInt(95 + d.random.below(20))) / 100n;
      return [vault, index, d.address(), holdingText({ symbol: loan.symbol, amount })];
    },
  },
  setoracledata: {
    weight: 12,
    make: (d) => {
      const oracle = d.pick(d.values.oracles);
      const tokens = d.chance(90) ? Object.keys(PRICES) : d.values.tokens;
      const prices = Object.fromEntries(tokens.filter(() => d.chance(80)).map((token) => [token, priceOf(d, token)]));
      return oracle === undefined ? undefined : [oracle, d.time + (d.chance(80) ? 0 : d.pick(TIMES)), priceList(prices)];
    },
  },
  createtoken: {
    weight: 2,
    make: (d) => {
      const symbol = Array.from({ length: 2 + d.random.below(5) }, () => String.fromCharCode(65 + d.random.below(26))).join('');
      const isDAT = d.chance(50);
      return [
        {
          symbol,
          name: `Token ${symbol}`,
          isDAT,
          mintable: d.chance(80),
          tradeable: d.chance(80),
          collateralAddress: isDAT ? d.founder : d.address(),
        },
      ];
    },
  },
  minttokens: {
    weight: 4,
    make: (d) => {
      const amounts = d.pick([1, 1, 2]) === 1 ? [mintOf(d)] : [mintOf(d), mintOf(d)];
      return d.chance(60) ? [amounts] : [amounts, [], d.chance(20) ? BURN_ADDRESS : d.address()];
    },
  },
  burntokens: {
    weight: 2,
    make: (d) => {
      const held = d.held();
      return held && [{ amounts: holdingText(held.part), from: held.owner }];
    },
  },
  updatetoken: {
    weight: 1,
    make: (d) => [
      d.token(),
      d.pick([
        { mintable: d.chance(50) },
        { tradeable: d.chance(50) },
        { name: `Name ${d.random.below(99)}` },
        { finalize: true },
        { isDAT: d.chance(50) },
        { symbol: `N${d.random.below(9)}` },
      ]),
    ],
  },
  createpoolpair: {
    weight: 1,
    make: (d) => [
      { tokenA: d.token(), tokenB: d.token(), commission: d.pick([0, 0.001, 0.5, 1]), status: d.chance(90), ownerAddress: d.founder },
    ],
  },
  updatepoolpair: {
    weight: 1,
    make: (d) => [
      {
        pool: d.pick(d.values.pools),
        ...d.pick([
          { commission: Number(d.percent()) },
          { status: d.chance(70) },
          { customRewards: [`${d.random.below(5)}@${d.token()}`] },
          { customRewards: [`0.5@${d.token()}`, `${d.pick(['1', '0.00000001', '0'])}@${d.token()}`] },
          { ownerAddress: d.address() },
        ]),
      },
    ],
  },
  createloanscheme: {
    weight: 1,
    make: (d) => [d.pick([100, 120, 150, 300, 99]), d.pick(['0.01', '0.1', '3.5', '50']), `S${d.random.below(6)}`],
  },
  updateloanscheme: {
    weight: 1,
    make: (d) => [
      d.pick([100, 120, 150, 300]),
      d.pick(['0.5', '1', '7']),
      d.pick(d.values.schemes),
      ...d.pick([[], [d.values.height + 3]]),
    ],
  },
  setdefaultloanscheme: { weight: 1, make: (d) => [d.pick(d.values.schemes)] },
  destroyloanscheme: { weight: 1, make: (d) => [d.pick(d.values.schemes), ...d.pick([[], [d.values.height + 4]])] },
  setcollateraltoken: {
    weight: 1,
    make: (d) => {
      const token = d.token();
      const later = d.chance(30) ? { activateAfterBlock: d.values.height + d.random.below(6) } : {};
      return [{ token, factor: d.pick(['0', '0.5', '1', '1.2', '2']), fixedIntervalPriceId: `${token}/USD`, ...later }];
    },
  },
  updateloantoken: {
    weight: 1,
    make: (d) => [
      d.pick(d.values.loanTokens),
      d.pick([{ mintable: d.chance(50) }, { interest: d.pick(['-1', '0', '2', '20']) }, { name: 'x' }]),
    ],
  },
  setloantoken: {
    weight: 1,
    make: (d) => {
      const symbol = d.pick(['AAPL', 'GOOG', 'QQQ', 'EUR']);
      return [
        { symbol, name: symbol, fixedIntervalPriceId: `${symbol}/USD`, mintable: d.chance(80), interest: d.pick(['0', '1.5', '-2']) },
      ];
    },
  },
  updateoracle: {
    weight: 1,
    make: (d) => {
      const oracle = d.pick(d.values.oracles);
      const feeds = [...d.values.tokens, 'AAPL', 'GOOG', 'QQQ', 'EUR'].map((token) => ({ currency: 'USD', token }));
      return oracle === undefined ? undefined : [oracle, d.address(), feeds, d.pick([1, 10, 100])];
    },
  },
  appointoracle: {
    weight: 1,
    make: (d) => [d.address(), d.values.tokens.map((token) => ({ currency: 'USD', token })), 1 + d.random.below(20)],
  },
  setgov: { weight: 10, make: (d) => [governance(d)] },
  setgovheight: { weight: 1, make: (d) => [governance(d), d.values.height + 2 + d.random.below(6)] },
  unsetgov: { weight: 1, make: (d) => [governanceToUnset(d)] },
  removeoracle: { weight: 1, make: (d) => (d.chance(20) && d.values.oracles.length > 1 ? [d.pick(d.values.oracles)] : undefined) },
  executesmartcontract: { weight: 1, make: (d) => ['dbtcdusd', `${d.pick(['0.01', '1', '3'])}@${d.pick(['DFI', 'BTC'])}`, d.address()] },
  releaselockedtokens: { weight: 1, make: (d) => (d.releasesTokens ? [d.pick([1, 10, 50])] : undefined) },
  futureswap: { weight: 6, make: futureOf },
  withdrawfutureswap: { weight: 2, make: (d) => withdrawalOf(d) ?? futureOf(d) },
  ...EXCHANGE,
  ...MASTERNODES,
  transferdomain: { weight: 8, make: (d) => d.evm && domainTransfer(d) },
  eth_sendRawTransaction: { weight: 120, make: (d) => d.evm && [evmTransaction(d, d.evm)] },
};

/** Most that is taken from an EVM address, whose balances are not read. */
const EVM_AMOUNT = 100n * COIN;

function domainTransfer(d: Draw): readonly unknown[] | undefined {
  const [one, two] = [d.pick(d.keys), d.pick(d.keys)];
  const to = d.chance(80) ? one : two;
  const singlekeycheck = d.chance(50);
  if (d.chance(40)) {
    const amount = holdingText({ symbol: d.chance(60) ? 'DFI' : d.token(), amount: d.part(EVM_AMOUNT) });
    return [
      [{ src: { address: one.evm, amount, domain: Domain.evm }, dst: { address: to.native, amount, domain: Domain.dvm }, singlekeycheck }],
    ];
  }
  const balances = d.values.balances.get(one.native) ?? [];
  if (balances.length === 0) return undefined;
  const amount = holdingText(d.partOf(d.pick(balances)));
  return [
    [{ src: { address: one.native, amount, domain: Domain.dvm }, dst: { address: to.evm, amount, domain: Domain.evm }, singlekeycheck }],
  ];
}

/** DFI for an account, at times from the collateral of a masternode or a token. */
function depositOf(d: Draw): readonly unknown[] {
  const to = { [d.chance(10) ? BURN_ADDRESS : d.address()]: `${formatAmount(BigInt(1 + d.random.below(1e9)))}@DFI` };
  return d.values.collaterals.length > 0 && d.chance(15) ? [to, [{ txid: d.pick(d.values.collaterals), vout: 1 }]] : [to];
}

function fromAny(d: Draw): readonly unknown[] | undefined {
  const held = d.held();
  return held && [{}, { [d.address()]: [holdingText(held.part)] }, d.pick(['forward', 'crumbs', 'pie'])];
}

/** Amounts of several owners for several others, whose sums differ at times. */
function fromSeveral(d: Draw): readonly unknown[] | undefined {
  const [one, two] = [d.held(), d.held()];
  if (!one || !two) return undefined;
  const texts = [holdingText(one.part), holdingText(two.part)];
  const from = one.owner === two.owner ? { [one.owner]: texts } : { [one.owner]: texts.slice(0, 1), [two.owner]: texts.slice(1) };
  const [first, second] = [d.chance(20) ? BURN_ADDRESS : d.address(), d.address()];
  const sums = d.chance(90) ? texts : [holdingText(d.partOf(one.part)), ...texts.slice(1)];
  const to = first === second ? { [first]: sums } : { [first]: sums.slice(0, 1), [second]: sums.slice(1) };
  return [from, to];
}

function mintOf(d: Draw): string {
  return holdingText({ symbol: d.token(), amount: BigInt(1 + d.random.below(2 ** 31)) * 100n });
}

function swapOf(d: Draw): readonly unknown[] | undefined {
  const held = d.held((holding) => !isShare(holding));
  if (!held) return undefined;
  const { symbol, amount } = held.part;
  const partners = d.values.pools
    .map((pool) => pool.split('-'))
    .flatMap(([a = '', b = '']) => (a === symbol ? [b] : b === symbol ? [a] : []));
  const tokenTo = partners.length === 0 || d.chance(20) ? d.token() : d.pick(partners);
  const limit = d.chance(30) ? { maxPrice: d.pick(['0.0001', '0.01', '1', '100', '3000']) } : {};
  return [{ from: held.owner, tokenFrom: symbol, amountFrom: formatAmount(amount), to: d.address(), tokenTo, ...limit }];
}

function futureOf(d: Draw): readonly unknown[] | undefined {
  const held = d.held(({ symbol }) => d.values.loanTokens.includes(symbol));
  if (!held) return undefined;
  const { symbol } = held.part;
  const destination = symbol === 'DUSD' ? d.pick(d.values.loanTokens) : 'DUSD';
  const left = d.values.futureLimits.get(`${symbol}-${destination}`);
  const limited = left === undefined || d.chance(30) ? held.part.amount : left / d.pick([1n, 1n, 1n, 2n, 5n]) + d.pick([-1n, 0n, 0n, 1n]);
  return [held.owner, holdingText({ symbol, amount: limited }), ...(symbol === 'DUSD' ? [destination] : [])];
}

/** A withdrawal of a pending future swap, or of a part of it. */
function withdrawalOf(d: Draw): readonly unknown[] | undefined {
  if (d.values.futures.length === 0 || d.chance(15)) return undefined;
  const { owner, source, destination } = d.pick(d.values.futures);
  return [owner, holdingText(d.partOf(source)), ...(source.symbol === 'DUSD' ? [destination] : [])];
}

function vaultOf(d: Draw) {
  const { vaults } = d.values;
  const funded = vaults.filter(({ collaterals }) => collaterals.length > 0);
  if (vaults.length === 0) return undefined;
  return d.pick(funded.length === 0 || d.chance(15) ? vaults : funded);
}

function loanOf(d: Draw): string {
  const symbol = d.pick(d.values.loanTokens);
  return holdingText({ symbol, amount: BigInt(1 + d.random.below(d.pick([10, 1e5, 2 ** 31]))) * d.pick([1n, 1n, 1n, 100n]) });
}

function paybackOf(d: Draw): readonly unknown[] | undefined {
  const vault = vaultOf(d);
  if (!vault) return undefined;
  const loan = vault.loans.length === 0 ? { symbol: d.pick(d.values.loanTokens), amount: COIN } : d.pick(vault.loans);
  if (d.chance(20) && vault.loans.length > 0)
    return [{ vaultId: vault.id, from: d.address(), amounts: vault.loans.map((each) => holdingText(d.partOf(each))) }];
  if (d.chance(50)) return [{ vaultId: vault.id, from: d.address(), amounts: [holdingText(d.partOf(loan))] }];
  const held = d.held((holding) => !isShare(holding));
  if (held && d.chance(20)) return [{ vaultId: vault.id, from: held.owner, loans: severalPaybacks(d, vault.loans, held.owner) }];
  return held && [{ vaultId: vault.id, from: held.owner, loans: [{ dToken: d.idOf(loan.symbol), amounts: [holdingText(held.part)] }] }];
}

/** Paybacks of each loan of a vault with some of the payer's tokens. */
function severalPaybacks(d: Draw, loans: readonly Holding[], payer: string): readonly object[] {
  const balances = d.values.balances.get(payer) ?? [];
  return loans.map(({ symbol }) => {
    const amounts = balances.filter(() => d.chance(40)).map((each) => holdingText(d.partOf(each)));
    return { dToken: d.idOf(symbol), amounts: amounts.length > 0 ? amounts : [`1@${symbol}`] };
  });
}

/** A price near the first one of the token. Most stay within the deviation that loans accept. */
function priceOf(d: Draw, token: string): number {
  const start = PRICES[token] ?? 10;
  const factor = d.chance(d.governs ? 99 : 95) ? 0.9 + d.random.below(2_000) / 10_000 : 0.4 + d.random.below(20_000) / 10_000;
  return start * factor;
}

type Weights = Readonly<Record<string, number>>;

const WEIGHTS: Weights = Object.fromEntries(Object.entries(MAKERS).map(([method, { weight }]) => [method, weight]));

/** A random operation for the state of a chain. @param weights frequencies of operations, by method */
export function randomOperation(draw: Draw, weights: Weights = WEIGHTS): Operation {
  const methods = Object.entries(weights).flatMap(([method, weight]) => Array.from({ length: weight }, () => method));
  for (;;) {
    const method = draw.pick(methods);
    const params = MAKERS[method]?.make(draw);
    if (params) return { method, params };
  }
}
