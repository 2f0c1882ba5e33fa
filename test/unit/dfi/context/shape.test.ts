import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireShape } from '../../../../src/dfi/context/shape.js';
import { TxRejected } from '../../../../src/dfi/kernel/rejected.js';
import { regtest } from '../../../../src/params/regtest.js';
import type { Transaction } from '../../../../src/primitives/transaction.js';

const FEW = 'malformed tx vouts ((wrong number of vouts)';
const VALUE = 'malformed tx vouts, first vout must be OP_RETURN vout with value 0';
const network = regtest();
/** As of `defid` 3.2.8, and as of 4.2.5 with Metachain far above. */
const early = { ...network, upgrades: { ...network.upgrades, eunosPaya: 20 } };
const late = { ...early, upgrades: { ...early.upgrades, metachain: 100 } };
const cases = [
  { name: 'two before Eunos Paya', params: early, height: 9, values: [1n, 1n], refused: undefined },
  { name: 'three before Eunos Paya', params: early, height: 9, values: [0n, 1n, 1n], refused: FEW },
  { name: 'three before Eunos Paya, with a height for Metachain', params: late, height: 9, values: [0n, 1n, 1n], refused: undefined },
  { name: 'the same on another network', params: { ...late, isRegtest: false }, height: 9, values: [0n, 1n, 1n], refused: FEW },
  { name: 'three from Eunos Paya on', params: early, height: 20, values: [0n, 1n, 1n], refused: undefined },
  { name: 'a value in the first from Eunos Paya on', params: early, height: 20, values: [1n, 1n], refused: VALUE },
];

for (const { name, params, height, values, refused } of cases)
  test(`outputs of loan messages: ${name}`, () => {
    const vout = values.map((value) => ({ value, scriptPubKey: new Uint8Array(0), tokenId: 0 }));
    const check = () => requireShape({ tx: { vout } as unknown as Transaction, height, params });
    if (refused === undefined) check();
    else assert.throws(check, (error) => error instanceof TxRejected && error.message === refused);
  });
