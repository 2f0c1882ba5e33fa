import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidField, statusOf, toNodeError } from '../../src/rpc/errors.js';
import { GrpcStatus, grpcStatusName, httpOfGrpc } from '../../src/rpc/grpc-status.js';
import { type ErrorKind, NodeError } from '../../src/util/errors.js';

/** Codes that clients of `defid` know (docs/protocol/rpc-chain.md 1.17). */
const KNOWN = new Set([
  0,
  -1,
  -2,
  -3,
  -4,
  -5,
  -6,
  -7,
  -8,
  -9,
  ...Array.from({ length: 11 }, (_, i) => -10 - i),
  -22,
  -23,
  -24,
  -25,
  -26,
  -27,
  -28,
  -29,
  -30,
  -31,
  -32,
  -32600,
  -32601,
  -32602,
  -32603,
  -32700,
]);

for (const [kind, status] of Object.entries(statusOf)) {
  test(`errors: ${kind} has codes that exist`, () => {
    assert.ok(KNOWN.has(status.jsonRpc), `${status.jsonRpc}`);
    assert.notEqual(status.grpc, GrpcStatus.OK);
    assert.notEqual(status.grpc, GrpcStatus.UNKNOWN);
    assert.match(status.reason, /^[A-Z][A-Z0-9_]*$/);
    assert.ok(status.http >= 400 && status.rest >= 400);
  });
}

const rows: [ErrorKind, number, number, number, keyof typeof GrpcStatus, string][] = [
  ['usage', -1, 500, 400, 'INVALID_ARGUMENT', 'USAGE'],
  ['misc', -1, 500, 400, 'FAILED_PRECONDITION', 'MISC_ERROR'],
  ['block-not-found', -5, 500, 404, 'NOT_FOUND', 'BLOCK_NOT_FOUND'],
  ['invalid-address', -5, 500, 400, 'INVALID_ARGUMENT', 'INVALID_ADDRESS'],
  ['out-of-range', -8, 500, 400, 'OUT_OF_RANGE', 'OUT_OF_RANGE'],
  ['invalid-parameter', -8, 500, 400, 'INVALID_ARGUMENT', 'INVALID_PARAMETER'],
  ['passphrase-incorrect', -14, 500, 403, 'PERMISSION_DENIED', 'PASSPHRASE_INCORRECT'],
  ['record-not-found', -20, 500, 404, 'NOT_FOUND', 'NOT_FOUND'],
  ['database', -20, 500, 400, 'FAILED_PRECONDITION', 'MISC_ERROR'],
  ['data-loss', -20, 500, 500, 'DATA_LOSS', 'DATABASE_ERROR'],
  ['already-in-chain', -27, 500, 409, 'ALREADY_EXISTS', 'ALREADY_IN_CHAIN'],
  ['warmup', -28, 500, 503, 'UNAVAILABLE', 'IN_WARMUP'],
  ['method-not-found', -32601, 404, 501, 'UNIMPLEMENTED', 'METHOD_NOT_FOUND'],
  ['not-implemented', -1, 500, 501, 'UNIMPLEMENTED', 'NOT_IMPLEMENTED'],
  ['invalid-request', -32600, 400, 400, 'INVALID_ARGUMENT', 'BAD_REQUEST'],
  ['parse-error', -32700, 500, 400, 'INVALID_ARGUMENT', 'BAD_REQUEST'],
  ['deadline-exceeded', -1, 500, 504, 'DEADLINE_EXCEEDED', 'DEADLINE_EXCEEDED'],
];
for (const [kind, jsonRpc, http, rest, grpc, reason] of rows) {
  test(`errors: ${kind} is ${jsonRpc} and ${grpc}`, () => {
    assert.deepEqual(statusOf[kind], { jsonRpc, http, rest, grpc: GrpcStatus[grpc], reason });
  });
}

test('errors: any thrown value becomes an error with a kind', () => {
  const known = new NodeError('misc', 'x');
  assert.equal(toNodeError(known), known);
  const bug = new TypeError('oops');
  const error = toNodeError(bug);
  assert.deepEqual([error.kind, error.message, error.cause], ['unexpected', 'oops', bug]);
  assert.equal(toNodeError('text').message, 'text');
  assert.equal(new InvalidField('a[1].b', 'is required').message, 'a[1].b: is required');
});

test('errors: names and HTTP statuses of gRPC codes', () => {
  assert.deepEqual([grpcStatusName(5), grpcStatusName(99)], ['NOT_FOUND', 'UNKNOWN']);
  assert.deepEqual([httpOfGrpc(0), httpOfGrpc(1), httpOfGrpc(8), httpOfGrpc(13)], [200, 499, 429, 500]);
});
