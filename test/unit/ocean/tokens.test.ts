import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oceanNode } from './ask.js';

const TOKEN = (
  symbol: string,
  more: string,
) => `{"symbol":"${symbol}","symbolKey":"${symbol}","name":"${symbol} coin","decimal":8,"limit":0,
  "mintable":true,"tradeable":true,"isLoanToken":false,"finalized":false,"minted":12.50000000,"creationTx":"${'1'.repeat(64)}",
  "creationHeight":103,"destructionTx":"${'0'.repeat(64)}","destructionHeight":-1,"collateralAddress":"",${more}}`;
const BTC = TOKEN('BTC', '"isDAT":true,"isLPS":false');
const PAIR = TOKEN('DUSD-BTC', '"isDAT":false,"isLPS":true');

test('A token has the texts and numbers of the contract, and no empty address', async () => {
  const ask = oceanNode({ gettoken: `{"1":${BTC}}` });
  const { data } = (await ask('tokens/1')).body;
  assert.deepEqual(data, {
    id: '1',
    symbol: 'BTC',
    symbolKey: 'BTC',
    displaySymbol: 'dBTC',
    name: 'BTC coin',
    decimal: 8,
    limit: '0',
    mintable: true,
    tradeable: true,
    isDAT: true,
    isLPS: false,
    isLoanToken: false,
    finalized: false,
    minted: '12.5',
    creation: { tx: '1'.repeat(64), height: 103 },
    destruction: { tx: '0'.repeat(64), height: -1 },
  });
});

test('Both halves of a pair are shown with the letter of a DAT, DUSD without', async () => {
  const ask = oceanNode({ gettoken: `{"4":${PAIR}}` });
  assert.equal(((await ask('tokens/4')).body.data as { displaySymbol: string }).displaySymbol, 'DUSD-dBTC');
});

test('A full page has a cursor, and the next page begins after it', async () => {
  const asked: string[] = [];
  const ask = oceanNode({
    listtokens: (params) => {
      asked.push(params);
      return `{"1":${BTC},"4":${PAIR}}`;
    },
  });
  assert.deepEqual((await ask('tokens?size=2')).body.page, { next: '4' });
  assert.equal((await ask('tokens?size=3&next=4')).body.page, undefined);
  assert.deepEqual(asked, ['[{"start":0,"including_start":true,"limit":2},true]', '[{"start":4,"including_start":false,"limit":3},true]']);
});

test('An unknown token, and a text that is no id, are refused', async () => {
  const ask = oceanNode({ gettoken: { code: -5, message: 'Token not found' } });
  const unknown = await ask('tokens/999');
  assert.equal(unknown.status, 404);
  assert.deepEqual(unknown.body.error, {
    code: 404,
    type: 'NotFound',
    at: 1_700_000_000_000,
    message: 'Unable to find token',
    url: '/v0/regtest/tokens/999',
  });
  assert.equal((await ask('tokens/DFI')).body.error?.message, 'Validation failed (numeric string is expected)');
  // `listtokens` reads the start as a signed number of 32 bits.
  for (const next of ['DFI', '2147483648', '9999999999']) {
    assert.equal((await ask(`tokens?next=${next}`)).body.error?.message, 'Invalid next token');
  }
});
