import assert from 'node:assert/strict';
import type { Catalogue } from '../../src/rpc/catalogue.js';
import { statusOf } from '../../src/rpc/errors.js';
import type { Handler } from '../../src/rpc/handler.js';
import { NodeError } from '../../src/util/errors.js';
import { type JsonValue, parseJson } from '../../src/util/json.js';
import { jsonRpcCall } from '../rpc/json-rpc-call.js';
import { resultText } from '../rpc/result-text.js';
import type { RecordedAnswer } from '../shared.js';

/** Asks handlers directly. The answer has the form of the recordings: JSON text of the result, or of code and message. */
export function askerOf(catalogue: Catalogue, handlers: Readonly<Record<string, unknown>>) {
  return async (modules: object, { method, params }: RecordedAnswer): Promise<string> => {
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
  };
}
