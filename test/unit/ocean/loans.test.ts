import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Reader } from '../../../src/ocean/api/json.js';
import { TipCache } from '../../../src/ocean/node/tip-cache.js';
import { shownCollaterals, shownLoanToken } from '../../../src/ocean/shapes/loan-token.js';
import { amountFormat, type PriceOf } from '../../../src/ocean/shapes/token-amount.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { parseJson } from '../../../src/util/json.js';
import { type FakeOperations, fakeOperations, oceanNode } from './ask.js';
import { digits, GOOGL, loanChain, loanWorld, TSLA } from './loan-scene.js';

const ask = (answers: FakeOperations = {}) => oceanNode({ ...loanWorld, ...answers }, { chain: loanChain });

const BTC_COLLATERAL = `{"token":"BTC","tokenId":"${digits('aa')}","factor":0.70000000,"fixedIntervalPriceId":"BTC/USD"}`;
const DFI_COLLATERAL = `{"token":"DFI","tokenId":"${digits('00')}","factor":1.00000000,"fixedIntervalPriceId":"DFI/USD"}`;
const TSLA_LOAN = `{"token":{"4":${TSLA}},"fixedIntervalPriceId":"TSLA/USD","interest":0.01000000,"mintable":true}`;
const GOOGL_LOAN = `{"token":{"5":${GOOGL}},"fixedIntervalPriceId":"GOOGL/EUR","interest":2.00000000,"mintable":true}`;

/** Values of one member of the items of a page. */
function each(data: unknown, name: string): unknown[] {
  return (data as Readonly<Record<string, unknown>>[]).map((item) => item[name]);
}

test('Loan schemes are listed by the text of their ids', async () => {
  assert.deepEqual((await ask()('loans/schemes')).body, {
    data: [
      { id: 'C200', minColRatio: '200', interestRate: '0.5' },
      { id: 'MIN1000', minColRatio: '1000', interestRate: '3.25' },
      { id: 'MIN150', minColRatio: '150', interestRate: '5' },
    ],
  });
});

test('A page of schemes begins behind the one that its cursor names', async () => {
  const first = (await ask()('loans/schemes?size=2')).body;
  assert.deepEqual([each(first.data, 'id'), first.page], [['C200', 'MIN1000'], { next: 'MIN1000' }]);
  const second = (await ask()('loans/schemes?size=2&next=MIN1000')).body;
  assert.deepEqual([each(second.data, 'id'), second.page], [['MIN150'], undefined]);
  assert.deepEqual((await ask()('loans/schemes?next=NONE')).body, { data: [] });
});

test('A scheme is found by its id', async () => {
  assert.deepEqual((await ask()('loans/schemes/MIN150')).body.data, { id: 'MIN150', minColRatio: '150', interestRate: '5' });
  const { status, body } = await ask()('loans/schemes/min150');
  assert.deepEqual([status, body.error?.message], [404, 'Unable to find scheme']);
});

test('Collaterals are listed by the digits of their token ids', async () => {
  const node = ask({ listcollateraltokens: `[${BTC_COLLATERAL},${DFI_COLLATERAL}]` });
  const { data, page } = (await node('loans/collaterals?size=2')).body;
  assert.deepEqual(each(data, 'tokenId'), [digits('00'), digits('aa')]);
  assert.deepEqual(page, { next: digits('aa') });
  const [, btc] = data as Readonly<Record<string, unknown>>[];
  const { token, ...others } = btc as { token: { id: string; displaySymbol: string } };
  assert.deepEqual(others, { tokenId: digits('aa'), factor: '0.7', activateAfterBlock: 0, fixedIntervalPriceId: 'BTC/USD' });
  assert.deepEqual([token.id, token.displaySymbol], ['2', 'dBTC']);
  assert.deepEqual(each((await node(`loans/collaterals?next=${digits('00')}`)).body.data, 'tokenId'), [digits('aa')]);
});

test('A collateral is found as the operation finds it; a token that is none is unknown', async () => {
  const asked: string[] = [];
  const node = ask({
    getcollateraltoken: (params) => {
      asked.push(params);
      if (params === '["BTC"]') return BTC_COLLATERAL;
      return params === '["TSLA"]' ? '{}' : { code: -8, message: 'Token XX does not exist!' };
    },
  });
  assert.equal(((await node('loans/collaterals/BTC')).body.data as { factor: string }).factor, '0.7');
  for (const name of ['TSLA', 'XX']) {
    const { status, body } = await node(`loans/collaterals/${name}`);
    assert.deepEqual([status, body.error?.message], [404, 'Unable to find collateral token']);
  }
  assert.deepEqual(asked, ['["BTC"]', '["TSLA"]', '["XX"]']);
});

test('Loan tokens are listed by the digits of their creating transactions', async () => {
  const node = ask({ listloantokens: `[${TSLA_LOAN},${GOOGL_LOAN}]` });
  const { data, page } = (await node('loans/tokens?size=1')).body;
  assert.deepEqual([each(data, 'tokenId'), page], [[digits('bb')], { next: digits('bb') }]);
  const second = (await node(`loans/tokens?size=1&next=${digits('bb')}`)).body.data;
  const [{ token, ...others } = assert.fail()] = second as { token: { id: string; creation: unknown } }[];
  assert.deepEqual(others, { tokenId: digits('cc'), interest: '0.01', fixedIntervalPriceId: 'TSLA/USD' });
  assert.deepEqual([token.id, token.creation], ['4', { tx: digits('cc'), height: 103 }]);
});

test('A loan token is found as the operation finds it', async () => {
  const node = ask({
    getloantoken: (params) => (params === '["4"]' ? TSLA_LOAN : { code: -20, message: '<DFI> is not a valid loan token!' }),
  });
  assert.equal(((await node('loans/tokens/4')).body.data as { interest: string }).interest, '0.01');
  const { status, body } = await node('loans/tokens/DFI');
  assert.deepEqual([status, body.error?.message], [404, 'Unable to find loan token']);
});

/** Modules of a node without an index, and prices named after their pairs. */
function priced() {
  const asked: string[] = [];
  const priceOf: PriceOf = (_modules, { token, currency }) => {
    asked.push(`${token}-${currency}`);
    return token === 'DFI' ? undefined : `price of ${token}-${currency}`;
  };
  const tip = new Uint8Array(32);
  const rows = { view: new MemoryStore(), position: undefined };
  return { asked, priceOf, modules: { operations: fakeOperations(loanWorld), perTip: new TipCache(() => tip), rows, chain: loanChain } };
}

test('An amount has the price of its token in dollars, which is looked up once', async () => {
  const { asked, priceOf, modules } = priced();
  const format = await amountFormat(modules, priceOf);
  assert.deepEqual(
    ['1.00000000@BTC', '-0.50000000@BTC', '3.00000000@DFI']
      .map((amount) => format(amount))
      .map(({ amount, activePrice }) => [amount, activePrice]),
    [
      ['1.00000000', 'price of BTC-USD'],
      ['-0.50000000', 'price of BTC-USD'],
      ['3.00000000', undefined],
    ],
  );
  assert.deepEqual(asked, ['BTC-USD', 'DFI-USD']);
  assert.throws(() => format('1.00000000@NONE'), /unknown token NONE/);
});

test('Collaterals and loan tokens have the price of the pair that they name', async () => {
  const { priceOf, modules } = priced();
  const [collateral] = await shownCollaterals(modules, [new Reader(parseJson(BTC_COLLATERAL))], priceOf);
  assert.equal(collateral?.activePrice, 'price of BTC-USD');
  assert.equal(shownLoanToken(modules, new Reader(parseJson(GOOGL_LOAN)), priceOf).activePrice, 'price of GOOGL-EUR');
});
