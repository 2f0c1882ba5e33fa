import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeTransaction } from '../../../src/primitives/transaction.js';
import { joinPsbts } from '../../../src/psbt/join.js';
import { createPsbt } from '../../../src/psbt/psbt.js';
import { finish } from '../../../src/util/slicer.js';

const format = { tokenIds: true };
const empty = (version: number, lockTime: number) => createPsbt(makeTransaction({ version, vin: [], vout: [], lockTime }, format));

test('any number of PSBTs is joined: more than a function has arguments', () => {
  const many = new Array(200_000).fill(empty(2, 9));
  const { tx } = finish(joinPsbts([...many, empty(-1, 8), empty(4, 7)], format));
  assert.deepEqual([tx.version, tx.lockTime], [-1, 7], 'negative versions are the highest');
});
