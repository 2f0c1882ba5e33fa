import assert from 'node:assert/strict';
import { test } from 'node:test';
import { masternodes, masternodeTimelocks } from '../../../src/dfi/masternodes/columns.js';
import type { OceanModules } from '../../../src/ocean/modules.js';
import { type LockedMasternodes, lockedMasternodes } from '../../../src/ocean/pools/locked-masternodes.js';
import { networkParams } from '../../../src/params/index.js';
import type { Hash256 } from '../../../src/primitives/hash.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { turnsOf } from '../../event-loop-turns.js';
import { masternodeOf } from '../../masternode.js';
import { type FakeOperations, oceanNode } from './ask.js';

const TOKEN = (symbol: string) => `{"symbol":"${symbol}","symbolKey":"${symbol}","name":"","isDAT":true,"isLPS":false,"tradeable":true}`;

/** The pool of the published test: 1,000 USDT and 431.51288 DFI. */
const POOL = `{"symbol":"USDT-DFI","name":"","status":true,"idTokenA":"1","idTokenB":"0","reserveA":1000.00000000,"reserveB":431.51288000,
  "reserveA/reserveB":2.31742792,"reserveB/reserveA":0.43151288,"commission":0,"creationHeight":1}`;

const BURN = `{"address":"mfburn","amount":3.00000000,"tokens":["1.50000000@DFI","7.00000000@BTC"],"consortiumtokens":[],"feeburn":2.00000000,
  "auctionburn":0.25000000,"paybackburn":["4.00000000@DUSD","0.50000000@DFI"],"dexfeetokens":["1.00000000@BTC"],"dfipaybackfee":0.10000000,
  "dfipaybacktokens":[],"paybackfees":[],"paybacktokens":["2.00000000@DUSD"],"emissionburn":100.00000000,"dfip2203":[],"dfip2206f":[],
  "dfip2211f":[]}`;

const LOANS = `{"totals":{"schemes":3,"collateralTokens":4,"collateralValue":4000.50000000,"loanTokens":2,"loanValue":60.00018266,
  "openVaults":5,"openAuctions":1}}`;

const ANSWERS: FakeOperations = {
  getburninfo: BURN,
  getaccount: '["1.50000000@DFI","7.00000000@BTC"]',
  getloaninfo: LOANS,
  getnetworkinfo: '{"version":4020500,"subversion":"/DeFiChain:4.2.5/","protocolversion":70039}',
  getdifficulty: '4.656542373906925e-10',
  listpoolpairs: `{"2":${POOL}}`,
  listtokens: `{"0":${TOKEN('DFI')},"1":${TOKEN('USDT')}}`,
};

/** A chain with eight masternodes of the genesis block, one of them locked for ten years, and one that resigned. */
function chainAt(height: number): Partial<OceanModules> {
  const state = new Overlay(new MemoryStore());
  for (let i = 1; i <= 9; i++) {
    const id = new Uint8Array(32).fill(i) as Hash256;
    state.put(masternodes, id, masternodeOf({ creationHeight: 0, resignHeight: i === 9 ? 50 : -1 }));
    if (i === 8) state.put(masternodeTimelocks, id, 520);
  }
  const chain = {
    params: networkParams({ network: 'regtest' }),
    tip: { hash: new Uint8Array(32), height },
    state,
    snapshot: () => Object.assign(new Overlay(state), { close() {} }),
  };
  return { chain: chain as unknown as OceanModules['chain'] };
}

test('the masternodes of statistics are counted in slices of the event loop', async () => {
  const state = new Overlay(new MemoryStore());
  for (let i = 0; i < 100; i++) state.put(masternodes, new Uint8Array(32).fill(i) as Hash256, masternodeOf({ creationHeight: 0 }));
  let isClosed = false;
  const snapshot = Object.assign(new Overlay(state), {
    close() {
      isClosed = true;
    },
  });
  let counted: readonly LockedMasternodes[] = [];
  const turns = await turnsOf(async () => {
    counted = await lockedMasternodes({ params: networkParams({ network: 'regtest' }), snapshot: () => snapshot });
  });
  assert.deepEqual([counted[0]?.count, isClosed], [100, true]);
  assert.ok(turns > 10, `${turns} turns`);
});

async function ask(path: string, height = 100): Promise<unknown> {
  const { status, body } = await oceanNode(ANSWERS, chainAt(height))(path);
  assert.equal(status, 200);
  return body.data;
}

test('statistics of a chain with the published pool: prices and values are those that the client expects', async () => {
  assert.deepEqual(await ask('stats'), {
    count: { blocks: 100, tokens: 2, prices: 0, masternodes: 8 },
    tvl: { total: 2000 + 4000.5 + 185.39423435054823, dex: 2000, loan: 4000.5, masternodes: 185.39423435054823 },
    burned: { total: 106.5, address: 4.5, fee: 2, auction: 0.25, payback: 0.5, emission: 100 },
    price: { usd: 2.317427929381853, usdt: 2.317427929381853 },
    masternodes: {
      locked: [
        { weeks: 0, tvl: 162.2199550567297, count: 7 },
        { weeks: 520, tvl: 23.17427929381853, count: 1 },
      ],
    },
    emission: {
      total: 405.04,
      masternode: 134.999832,
      dex: 103.08268,
      community: 19.887464,
      anchor: 0.081008,
      burned: 146.989016,
    },
    loan: {
      count: { schemes: 3, loanTokens: 2, collateralTokens: 4, openVaults: 5, openAuctions: 1 },
      value: { collateral: 4000.5, loan: 60.00018266 },
    },
    blockchain: { difficulty: 4.656542373906925e-10 },
    net: { version: 4020500, subversion: '/DeFiChain:4.2.5/', protocolversion: 70039 },
  });
});

test('both paths show the shares of the subsidy', async () => {
  const expected = { masternode: 66.66, community: 9.82, anchor: 0.04, liquidity: 50.9, loan: 49.36, options: 19.76, unallocated: 3.46 };
  assert.deepEqual(await ask('stats/rewards/distribution'), expected);
  assert.deepEqual(await ask('stats/reward/distribution'), expected);
});

test('the supply in circulation is what was created without what was burnt', async () => {
  const total = 304_000_040 + 200 * 100;
  assert.deepEqual(await ask('stats/supply'), { max: 1_200_000_000, total, burned: 106.5, circulating: total - 106.5 });
});

test('the answer about burnt coins has fifteen members, with the DFI of paybacks as a number', async () => {
  const burn = (await ask('stats/burn')) as Record<string, unknown>;
  assert.equal(Object.keys(burn).length, 15);
  assert.deepEqual([burn.paybackburn, burn.paybackburntokens], [0.5, ['4.00000000@DUSD', '0.50000000@DFI']]);
  assert.deepEqual([burn.amount, burn.dexfeetokens, burn.address], [3, ['1.00000000@BTC'], 'mfburn']);
});

test('statistics of an index that is behind do not last until the next tip', async () => {
  const rows = { view: new MemoryStore(), position: { height: 50, hash: new Uint8Array(32) } };
  const ask = oceanNode(ANSWERS, { ...chainAt(100), rows: rows as unknown as OceanModules['rows'] });
  const blocks = async () => ((await ask('stats')).body.data as { readonly count: { readonly blocks: number } }).count.blocks;
  assert.equal(await blocks(), 50);
  rows.position = { height: 100, hash: new Uint8Array(32).fill(1) };
  assert.equal(await blocks(), 100);
});
