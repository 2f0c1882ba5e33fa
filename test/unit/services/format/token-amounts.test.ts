import assert from 'node:assert/strict';
import { test } from 'node:test';
import { putToken, type Token } from '../../../../src/dfi/tokens/columns.js';
import { readTokenAmounts } from '../../../../src/services/format/token-amounts.js';
import { tokenNames } from '../../../../src/services/format/token-names.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { Overlay } from '../../../../src/storage/overlay.js';
import type { JsonValue } from '../../../../src/util/json.js';

const TXID = `ab${'cd'.repeat(31)}`;
const DAT = 0x04;

const view = new Overlay(new MemoryStore());
const put = (id: number, symbol: string, flags: number, firstByte: number) => {
  const creationTx = Buffer.from(TXID, 'hex').reverse();
  creationTx[0] = firstByte;
  const token: Token = {
    symbol,
    name: symbol,
    decimal: 8,
    limit: 0n,
    flags,
    minted: 0n,
    creationTx,
    destructionTx: new Uint8Array(32),
    creationHeight: 0,
    destructionHeight: -1,
  };
  putToken(view, id, token);
};
put(0, 'DFI', DAT, 0);
put(3, 'BTC', DAT, 1);
put(130, 'GOLD', 0, 0xcd);
const names = tokenNames(view);

const read = (value: JsonValue) => [...readTokenAmounts(value, 'x', names)].map(([id, amount]) => `${amount}@${id}`).join(' ');

const cases: readonly { readonly token: string; readonly id: number | undefined }[] = [
  { token: '', id: 0 },
  { token: '  ', id: undefined },
  { token: 'DFI', id: 0 },
  { token: ' BTC\t', id: 3 },
  { token: 'GOLD#130', id: 130 },
  { token: TXID, id: 130 },
  { token: '7', id: 7 },
  { token: '+7', id: 7 },
  { token: '\t 7up', id: 7 },
  { token: '-1', id: 4_294_967_295 },
  { token: '4294967297', id: 1 },
  { token: '18446744073709551615', id: 4_294_967_295 },
  { token: '18446744073709551616', id: undefined },
  { token: '+-7', id: undefined },
  { token: 'GOLD', id: undefined },
  { token: 'GOLD#3', id: undefined },
  { token: 'btc', id: undefined },
  { token: TXID.replace('ab', 'aa'), id: undefined },
];
for (const { token, id } of cases) {
  test(`token amounts: '${token}' is ${id ?? 'no token'}`, () => {
    const text = `1.5@${token}`;
    if (id !== undefined) assert.equal(read(text), `150000000@${id}`);
    else assert.throws(() => read(text), { kind: 'unknown-token', message: `x: Invalid Defi token: ${token}` });
  });
}

test('token amounts: those of one token are added up, ids ascend', () => {
  assert.equal(read(['1@BTC', '2', '0.5@3', '3@GOLD#130']), '200000000@0 150000000@3 300000000@130');
});

test('token amounts: a sum has to fit 64 bits', () => {
  const large = '9999999999.99999999@3';
  assert.equal(read(Array(9).fill(large)), '8999999999999999991@3');
  assert.throws(() => read(Array(10).fill(large)), { kind: 'type', message: 'x: Amount out of range' });
});
