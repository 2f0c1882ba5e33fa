import type { EchoJsonRequest, EchoJsonResponse, EchoRequest, EchoResponse } from '../../../../gen/ts/dfi/node/v1/control.js';
import { rawJson } from '../../../rpc/bind.js';
import type { Handler } from '../../../rpc/handler.js';

const ARGUMENTS = ['arg0', 'arg1', 'arg2', 'arg3', 'arg4', 'arg5', 'arg6', 'arg7', 'arg8', 'arg9'] as const;

export const echo: Handler<object, EchoRequest, EchoResponse> = (_modules, request) => ({ args: givenArguments(request) });

export const echoJson: Handler<object, EchoJsonRequest, EchoJsonResponse> = (_modules, request) => ({ args: givenArguments(request) });

/** All arguments up to the last one that was passed. Over JSON-RPC an explicit null counts as passed, and numbers keep their text. */
function givenArguments(request: EchoRequest): unknown[] {
  const values = ARGUMENTS.map((name) => rawJson(request, name) ?? request[name] ?? null);
  const last = ARGUMENTS.findLastIndex((name) => rawJson(request, name) !== undefined || request[name] !== undefined);
  return values.slice(0, last + 1);
}
