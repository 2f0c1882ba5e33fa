import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusOf } from '../../src/rpc/errors.js';
import type { Handler } from '../../src/rpc/handler.js';
import * as blockchain from '../../src/services/blockchain/mempool.js';
import { getTxOut } from '../../src/services/blockchain/utxos/utxos.js';
import { prioritiseTransaction } from '../../src/services/mining/priority.js';
import * as broadcast from '../../src/services/rawtransactions/transactions/broadcast.js';
import { NodeError } from '../../src/util/errors.js';
import { type JsonValue, parseJson } from '../../src/util/json.js';
import { committedCatalogue } from '../rpc/catalogue.js';
import { jsonRpcCall } from '../rpc/json-rpc-call.js';
import { resultText } from '../rpc/result-text.js';
import { type RecordedAnswer, readRecording, recordings } from '../shared.js';
import { openPool } from './memory-pool.js';
import { importRecording } from './recorded-chain.js';

const handlers: Readonly<Record<string, unknown>> = { ...blockchain, ...broadcast, getTxOut, prioritiseTransaction };
const catalogue = committedCatalogue();

/** Answer in the form of the recordings: JSON text of the result, or of code and message. */
async function answer(modules: object, { method, params }: RecordedAnswer): Promise<string> {
  const op = catalogue.byName(method);
  assert.ok(op, method);
  const handler = handlers[op.method] as Handler<object, object, unknown>;
  try {
    const args = parseJson(JSON.stringify(params)) as readonly JsonValue[];
    return resultText(op, await handler(modules, op.codec.bindPositional(args), jsonRpcCall));
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    if (error.kind === 'usage') return '{"code":-1,"usage":true}';
    return JSON.stringify({ code: statusOf[error.kind].jsonRpc, message: error.message });
  }
}

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
