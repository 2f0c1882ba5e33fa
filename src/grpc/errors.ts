import { Metadata, type StatusObject } from '@grpc/grpc-js';
import { BadRequest, ErrorInfo, RetryInfo } from '../../gen/ts/google/rpc/error_details.js';
import { Status } from '../../gen/ts/google/rpc/status.js';
import { ERROR_DOMAIN, InvalidField, statusOf } from '../rpc/errors.js';
import { GrpcStatus } from '../rpc/grpc-status.js';
import { type NodeError, shortened } from '../util/errors.js';

const RETRY_SECONDS = 1n;
/**
 * Characters of a text of an error. It travels up to three times in the trailers, of which many clients accept 8 KiB; the library never ends
 * a call whose trailers are above 64 KiB.
 */
const MAX_TEXT = 2000;
/** Characters of the path of a field. */
const MAX_FIELD = 200;
const TYPE_PREFIX = 'type.googleapis.com/google.rpc.';

/** Status of an error, with google.rpc.Status in the trailer: reason, wrong field, and the delay before a retry. */
export function grpcStatusOf(error: NodeError): StatusObject {
  const { grpc, jsonRpc, reason } = statusOf[error.kind];
  const info = ErrorInfo.encode({ reason, domain: ERROR_DOMAIN, metadata: { jsonrpc_code: String(jsonRpc) } }).finish();
  const message = shortened(error.message, MAX_TEXT);
  const details = [any('ErrorInfo', info)];
  if (error instanceof InvalidField) {
    const violation = { field: shortened(error.field, MAX_FIELD), description: shortened(error.fault, MAX_TEXT) };
    details.push(any('BadRequest', BadRequest.encode({ fieldViolations: [violation] }).finish()));
  }
  if (grpc === GrpcStatus.UNAVAILABLE || grpc === GrpcStatus.RESOURCE_EXHAUSTED) {
    details.push(any('RetryInfo', RetryInfo.encode({ retryDelay: { seconds: RETRY_SECONDS, nanos: 0 } }).finish()));
  }
  const metadata = new Metadata();
  const status = Status.encode({ code: grpc, message, details }).finish();
  metadata.set('grpc-status-details-bin', Buffer.from(status));
  return { code: grpc, details: message, metadata };
}

function any(name: string, value: Uint8Array): { typeUrl: string; value: Buffer } {
  return { typeUrl: TYPE_PREFIX + name, value: Buffer.from(value) };
}
