import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireShape } from '../../../../src/dfi/context/shape.js';
import { TxRejected } from '../../../../src/dfi/kernel/rejected.js';
import { regtest } from '../../../../src/params/regtest.js';
import type { Transaction } from '../../../../src/primitives/transaction.js';

const FEW = 'malformed tx vouts ((wrong number of vouts)';
const VALUE = 'malformed tx vouts, first vout must be OP_RETURN vout with value 0';
const cases = [
  { name: 'two outputs before Eunos Paya', height: 9, values: [1n, 1n], refused: undefined },
  { name: 'three outputs before Eunos Paya', height: 9, values: [0n, 1n, 1n], refused: FEW },
  { name: 'three outputs from Metachain on, Eunos Paya not active', height: 10, values: [0n, 1n, 1n], refused: undefined },
  { name: 'three outputs from Eunos Paya on', height: 20, values: [0n, 1n, 1n], refused: undefined },
  { name: 'a value in the first output from Eunos Paya on', height: 20, values: [1n, 1n], refused: VALUE },
];
const network = regtest();
const params = { ...network, upgrades: { ...network.upgrades, metachain: 10, eunosPaya: 20 } };

for (const { name, height, values, refused } of cases)
  test(`outputs of loan messages: ${name}`, () => {
    const vout = values.map((value) => ({ value, scriptPubKey: new Uint8Array(0), tokenId: 0 }));
    const check = () => requireShape({ tx: { vout } as unknown as Transaction, height, params });
    if (refused === undefined) check();
    else assert.throws(check, (error) => error instanceof TxRejected && error.message === refused);
  });
