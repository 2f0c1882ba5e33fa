import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { EncodedRequest } from '../../../src/grpc/request.js';
import type { Operation } from '../../../src/rpc/catalogue.js';
import { committedCatalogue } from '../../rpc/catalogue.js';

const echo = committedCatalogue().byName('echo') as Operation;

function field(number: number, bytes: Uint8Array): Uint8Array {
  return new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(bytes).finish();
}

/** Bytes of a request that are no further than the count of their values; the outcome is undefined if they are accepted. */
function refusal(bytes: Uint8Array): string | undefined {
  try {
    new EncodedRequest(Buffer.from(bytes)).decode(echo, () => ({}));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** A request whose innermost message is below so many others: the request, and values and lists by turns. */
function nested(above: number): Uint8Array {
  let bytes = new Uint8Array(0);
  // Field 1 of a list holds values, field 6 of a value a list. The innermost message is at an even depth if it is a list.
  for (let depth = above; depth > 1; depth--) bytes = Uint8Array.from(field(depth % 2 === 0 ? 6 : 1, bytes));
  return field(1, bytes);
}

test('messages may be 100 deep within each other', () => {
  assert.equal(refusal(nested(100)), undefined);
  assert.equal(refusal(nested(101)), 'cannot decode the request: more than 100 messages within each other');
});

test('a request may have 50,000 values', () => {
  const values = (count: number) => Buffer.concat(Array.from({ length: count }, () => field(1, new Uint8Array(0))));
  assert.equal(refusal(values(50_000)), undefined);
  assert.equal(refusal(values(50_001)), 'the request has more than 50000 values');
});

test('bytes that end within a value are refused', () => {
  assert.match(refusal(Uint8Array.of(0x0a, 5, 1)) ?? '', /^cannot decode the request: /);
});
