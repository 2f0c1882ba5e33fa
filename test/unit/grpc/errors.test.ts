import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grpcStatusOf } from '../../../src/grpc/errors.js';
import { InvalidField } from '../../../src/rpc/errors.js';
import { NodeError } from '../../../src/util/errors.js';

test('the texts of an error are cut, because trailers of more than 64 KiB never reach the client', () => {
  const { details } = grpcStatusOf(new NodeError('invalid-parameter', 'x'.repeat(100_000)));
  assert.equal(details, `${'x'.repeat(2000)}...`);
  // The library throws for half of a pair of code units.
  assert.equal(
    encodeURI(grpcStatusOf(new NodeError('misc', `x${'\u{1f600}'.repeat(2000)}`)).details),
    `x${encodeURI('\u{1f600}').repeat(999)}...`,
  );
  const { metadata } = grpcStatusOf(new InvalidField('f'.repeat(100_000), 'x'.repeat(100_000)));
  assert.ok(Buffer.from(metadata.get('grpc-status-details-bin')[0] ?? '').length < 6000);
});
