import { textOf } from '../gateway/reply.js';
import type { Catalogue } from '../rpc/catalogue.js';
import type { CallContext } from '../rpc/handler.js';
import type { Invoker } from '../rpc/invoke.js';
import { parseJson } from '../util/json.js';

/** Calls operations in this process as over JSON-RPC, also while calls from outside are refused with the status of the start-up. */
export function ownCalls(
  catalogue: Catalogue,
  invoker: Invoker,
  signal: AbortSignal,
): (method: string, ...params: readonly unknown[]) => Promise<unknown> {
  const call: CallContext = { dialect: 'json-rpc', requestId: 'node', user: undefined, wallet: undefined, signal, isOwn: true };
  return async (method, ...params) => {
    const op = catalogue.byName(method);
    if (!op) throw new Error(`no operation ${method}`);
    signal.throwIfAborted();
    const args = parseJson(JSON.stringify(params));
    const run = invoker.open(op, call);
    const response = await run(op.codec.bindPositional(Array.isArray(args) ? args : []));
    return JSON.parse(textOf(await op.codec.write(response, call)));
  };
}
