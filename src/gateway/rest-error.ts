import type { ServerResponse } from 'node:http';
import { ERROR_DOMAIN, InvalidField, statusOf, toNodeError } from '../rpc/errors.js';
import { shortened } from '../util/errors.js';
import { MAX_ERROR_TEXT } from './envelope.js';
import { JSON_TYPE, send } from './reply.js';

const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo';
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest';

/** Answers a failed REST call with its HTTP status and a body in the form of google.rpc.Status, with the details of gRPC errors. */
export function sendRestError(res: ServerResponse, thrown: unknown): void {
  const error = toNodeError(thrown);
  const status = statusOf[error.kind];
  const info = { '@type': ERROR_INFO, reason: status.reason, domain: ERROR_DOMAIN, metadata: { jsonrpc_code: String(status.jsonRpc) } };
  const field = error instanceof InvalidField ? [{ '@type': BAD_REQUEST, fieldViolations: [violation(error)] }] : [];
  if (status.rest === 401 && !res.headersSent) res.setHeader('WWW-Authenticate', 'Basic realm="jsonrpc"');
  send(
    res,
    status.rest,
    JSON_TYPE,
    JSON.stringify({ code: status.grpc, message: shortened(error.message, MAX_ERROR_TEXT), details: [info, ...field] }),
  );
}

function violation({ field, fault }: InvalidField): { field: string; description: string } {
  return { field: shortened(field, MAX_ERROR_TEXT), description: shortened(fault, MAX_ERROR_TEXT) };
}
