import { textOf } from '../gateway/reply.js';
import type { Catalogue } from '../rpc/catalogue.js';
import type { CallContext } from '../rpc/handler.js';
import type { Invoker } from '../rpc/invoke.js';
import { type JsonValue, parseJson } from '../util/json.js';

/** Modules that answer calls. */
export interface Calls {
  readonly catalogue: Catalogue;
  readonly invoker: Invoker;
}

/** Calls an operation in this process. @param params positional arguments @returns the text of the answer @throws {NodeError} */
export type OwnCall = (method: string, params: readonly JsonValue[]) => Promise<string>;

/** Calls as over JSON-RPC, without its transport and its check of rights. */
export function ownCall(
  { catalogue, invoker }: Calls,
  context: Pick<CallContext, 'requestId' | 'signal' | 'isOwn' | 'transport' | 'anyWallet'>,
): OwnCall {
  const call: CallContext = { dialect: 'json-rpc', user: undefined, wallet: undefined, ...context };
  return async (method, params) => {
    const op = catalogue.byName(method);
    if (!op) throw new Error(`no operation ${method}`);
    context.signal.throwIfAborted();
    const response = await invoker.open(op, call)(op.codec.bindPositional(params));
    return textOf(await op.codec.write(response, call));
  };
}

/** Arguments as JSON; an undefined one is null. */
export function jsonArguments(params: readonly unknown[]): readonly JsonValue[] {
  const parsed = parseJson(JSON.stringify(params));
  return Array.isArray(parsed) ? parsed : [];
}

/** Calls of the node itself, also while calls from outside are refused with the status of the start-up. */
export function ownCalls(calls: Calls, signal: AbortSignal): (method: string, ...params: readonly unknown[]) => Promise<unknown> {
  const call = ownCall(calls, { requestId: 'node', signal, isOwn: true });
  return async (method, ...params) => JSON.parse(await call(method, jsonArguments(params)));
}
