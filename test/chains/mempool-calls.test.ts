import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as blockchain from '../../src/services/blockchain/mempool.js';
import { getTxOut } from '../../src/services/blockchain/utxos/utxos.js';
import { prioritiseTransaction } from '../../src/services/mining/priority.js';
import * as broadcast from '../../src/services/rawtransactions/transactions/broadcast.js';
import { committedCatalogue } from '../rpc/catalogue.js';
import { readRecording, recordings } from '../shared.js';
import { openPool } from './memory-pool.js';
import { askerOf } from './recorded-answer.js';
import { importRecording } from './recorded-chain.js';

const handlers: Readonly<Record<string, unknown>> = { ...blockchain, ...broadcast, getTxOut, prioritiseTransaction };
const catalogue = committedCatalogue();

const answer = askerOf(catalogue, handlers);

for (const path of recordings('calls')) {
  const recording = readRecording(path);
  const methods = new Set(catalogue.operations.filter((op) => op.method in handlers).map((op) => op.name));

  test(`the mempool answers as recorded: ${recording.header.name}`, async () => {
    const { chain, clock } = importRecording(recording);
    const { mempool, mempoolPersistence } = openPool(chain, clock);
    const modules = { chain, mempool, mempoolPersistence, deprecated: [] };
    let asked = 0;
    for (const step of recording.steps) {
      if (!('check' in step) || step.check !== chain.tip.height) continue;
      for (const each of step.answers.filter(({ method }) => methods.has(method))) {
        asked += 1;
        assert.equal(await answer(modules, each), each.error ?? each.result, `${each.method} ${JSON.stringify(each.params).slice(0, 200)}`);
      }
    }
    assert.ok(asked > 200, `${asked} answers`);
    console.log(`${recording.header.name}: ${asked} answers the same`);
  });
}
