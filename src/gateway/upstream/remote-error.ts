import type { ServiceError } from '@grpc/grpc-js';
import { BadRequest, ErrorInfo } from '../../../gen/ts/google/rpc/error_details.js';
import { Status } from '../../../gen/ts/google/rpc/status.js';
import { InvalidField, statusOf } from '../../rpc/errors.js';
import { GrpcStatus } from '../../rpc/grpc-status.js';
import { type ErrorKind, NodeError } from '../../util/errors.js';

/** Error of the upstream node, with the code and text that it has over JSON-RPC. */
export function remoteError(error: ServiceError): NodeError {
  const [encoded] = error.metadata.get('grpc-status-details-bin');
  if (!(encoded instanceof Uint8Array)) return transportError(error);
  const { message, details } = Status.decode(encoded);
  const find = (name: string): Uint8Array | undefined => details.find((each) => each.typeUrl.endsWith(`/google.rpc.${name}`))?.value;
  const badRequest = find('BadRequest');
  const [violation] = badRequest ? BadRequest.decode(badRequest).fieldViolations : [];
  if (violation) return new InvalidField(violation.field, violation.description);
  const info = find('ErrorInfo');
  const kind = info && kindOfInfo(ErrorInfo.decode(info), error.code);
  return kind ? new NodeError(kind, message) : transportError(error);
}

const KINDS = Object.entries(statusOf) as [ErrorKind, (typeof statusOf)[ErrorKind]][];

function kindOfInfo(info: ErrorInfo, grpc: number): ErrorKind | undefined {
  const code = Number(info.metadata.jsonrpc_code);
  const alike = KINDS.filter(([, status]) => status.jsonRpc === code);
  const exact = alike.find(([, status]) => status.reason === info.reason && status.grpc === grpc);
  return (exact ?? alike[0])?.[0];
}

const BY_STATUS: Partial<Record<number, ErrorKind>> = {
  [GrpcStatus.CANCELLED]: 'cancelled',
  [GrpcStatus.DEADLINE_EXCEEDED]: 'deadline-exceeded',
  [GrpcStatus.PERMISSION_DENIED]: 'permission-denied',
  [GrpcStatus.RESOURCE_EXHAUSTED]: 'resource-exhausted',
  [GrpcStatus.UNIMPLEMENTED]: 'not-implemented',
  [GrpcStatus.UNAVAILABLE]: 'unavailable',
  [GrpcStatus.UNAUTHENTICATED]: 'unauthenticated',
};

/** Error of the connection, which has no details of a node. */
function transportError(error: ServiceError): NodeError {
  const kind = BY_STATUS[error.code] ?? 'internal';
  return new NodeError(kind, kind === 'unavailable' ? 'The node behind this gateway cannot be reached' : error.details, { cause: error });
}
