import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differenceOf } from './compare.js';
import { Oracle } from './oracle.js';

/** Enough for every kind of statement; `run.ts` runs as many as wanted. */
const PROGRAMS = 100;

test('random programs do the same in our engine and in @ethereumjs/evm', async () => {
  const oracle = await Oracle.create();
  for (let number = 0; number < PROGRAMS; number++) assert.equal(await differenceOf(oracle, number), undefined);
});
