import assert from 'node:assert/strict';
import { statusOf } from '../../src/rpc/errors.js';
import type { Handler, ServiceHandlers } from '../../src/rpc/handler.js';
import { NodeError } from '../../src/util/errors.js';
import { JsonObject, type JsonValue, parseJson } from '../../src/util/json.js';
import { committedCatalogue } from './catalogue.js';
import { jsonRpcCall } from './json-rpc-call.js';
import { resultText } from './result-text.js';

const catalogue = committedCatalogue();

/** A snapshot for handlers whose turn of the event loop has no time left; nothing changes the state of these tests meanwhile. */
export function giveSnapshot(chain: { state?: object; snapshot?: unknown } | undefined): void {
  if (chain?.state) chain.snapshot ??= () => Object.assign(chain.state as object, { close: () => {} });
}

/** Calls handlers on a state made by a test: JSON text of the result, or `<code> <message>`. */
export function asker<Modules>(handlers: ServiceHandlers<Modules>, modules: Modules) {
  giveSnapshot((modules as { chain?: { state?: object } }).chain);
  return async (method: string, params: readonly unknown[] | object = []): Promise<string> => {
    const operation = catalogue.byName(method);
    assert.ok(operation, method);
    const given = parseJson(JSON.stringify(params));
    try {
      const request =
        given instanceof JsonObject ? operation.codec.bindNamed(given) : operation.codec.bindPositional(given as readonly JsonValue[]);
      const handler = handlers[operation.method] as Handler<Modules, object, unknown>;
      return resultText(operation, await handler(modules, request, jsonRpcCall));
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      return `${statusOf[error.kind].jsonRpc} ${error.message}`;
    }
  };
}
