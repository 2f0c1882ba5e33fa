import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusOf } from '../../src/rpc/errors.js';
import type { Handler } from '../../src/rpc/handler.js';
import { rawtransactionsHandlers } from '../../src/services/rawtransactions/index.js';
import { NodeError } from '../../src/util/errors.js';
import { JsonObject, type JsonValue, parseJson, writeJson } from '../../src/util/json.js';
import { committedCatalogue } from '../rpc/catalogue.js';
import { jsonRpcCall } from '../rpc/json-rpc-call.js';
import { resultText } from '../rpc/result-text.js';
import { type RecordedAnswer, readRecording, recordings } from '../shared.js';
import { openPool } from './memory-pool.js';
import { importRecording } from './recorded-chain.js';

const METHODS: ReadonlySet<string> = new Set([
  'analyzepsbt',
  'combinepsbt',
  'combinerawtransaction',
  'converttopsbt',
  'createpsbt',
  'createrawtransaction',
  'decodepsbt',
  'finalizepsbt',
  'joinpsbts',
  'signrawtransactionwithkey',
  'utxoupdatepsbt',
]);
const catalogue = committedCatalogue();

/** Answer in the form of the recordings: JSON text of the result, or of code and message. */
async function answer(modules: object, { method, params }: RecordedAnswer): Promise<string> {
  const op = catalogue.byName(method);
  assert.ok(op, method);
  const handler = rawtransactionsHandlers[op.method as keyof typeof rawtransactionsHandlers] as Handler<object, object, unknown>;
  try {
    const args = parseJson(JSON.stringify(params)) as readonly JsonValue[];
    return withoutAddition(resultText(op, await handler(modules, op.codec.bindPositional(args), jsonRpcCall)));
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    if (error.kind === 'usage') return '{"code":-1,"usage":true}';
    return JSON.stringify({ code: statusOf[error.kind].jsonRpc, message: error.message });
  }
}

/** Removes the final script under the name of the operations document, which our answers have in addition. */
function withoutAddition(text: string): string {
  return text.includes('"final_scriptsig"') ? writeJson(dropAddition(parseJson(text))) : text;
}

function dropAddition(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(dropAddition);
  if (!(value instanceof JsonObject)) return value;
  const kept = value.entries.filter(([key]) => key !== 'final_scriptsig');
  return new JsonObject(kept.map(([key, member]) => [key, dropAddition(member)] as const));
}

for (const path of recordings('calls')) {
  const recording = readRecording(path);

  test(`raw and partially signed transactions are answered as recorded: ${recording.header.name}`, async () => {
    const { chain, clock } = importRecording(recording);
    const { mempool } = openPool(chain, clock);
    const modules = { chain, mempool, showsWitness: true };
    const asked: Record<string, number> = {};
    for (const step of recording.steps) {
      if (!('check' in step) || step.check !== chain.tip.height) continue;
      for (const each of step.answers.filter(({ method }) => METHODS.has(method))) {
        asked[each.method] = (asked[each.method] ?? 0) + 1;
        assert.equal(await answer(modules, each), each.error ?? each.result, `${each.method} ${JSON.stringify(each.params)}`);
      }
    }
    console.log(`${recording.header.name}: ${JSON.stringify(asked)}`);
    assert.equal(Object.keys(asked).length, METHODS.size);
    assert.ok(Object.values(asked).reduce((sum, count) => sum + count, 0) >= 570);
  });
}
