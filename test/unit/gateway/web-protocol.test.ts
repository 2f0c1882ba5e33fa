import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { protocolOf } from '../../../src/gateway/web/protocol.js';
import { NodeError } from '../../../src/util/errors.js';
import { fc } from '../../property.js';
import { committedCatalogue } from '../../rpc/catalogue.js';

const operation = (name: string) => {
  const op = committedCatalogue().byName(name);
  assert.ok(op);
  return op;
};

function protocol(type: string, name = 'subscribeevents') {
  return protocolOf({ method: 'POST', headers: { 'content-type': type } } as IncomingMessage, operation(name), new URLSearchParams());
}

const FRAMED = ['application/grpc-web+proto', 'application/grpc-web-text', 'application/connect+proto', 'application/connect+json'];

test('a message that is framed is the message again', () => {
  for (const type of FRAMED) {
    const framing = protocol(type);
    assert.ok(framing, type);
    fc.assert(
      fc.property(fc.array(fc.uint8Array(), { maxLength: 4 }), (pieces) => {
        assert.deepEqual(Buffer.from(framing.messageIn(framing.frame(pieces))), Buffer.concat(pieces), type);
      }),
    );
  }
});

test('any other body is refused', () => {
  for (const type of FRAMED) {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (body) => {
        try {
          protocol(type)?.messageIn(body);
        } catch (error) {
          assert.ok(error instanceof NodeError && error.kind === 'invalid-params', String(error));
        }
      }),
    );
  }
});

test('an operation has the protocols of its kind', () => {
  const kinds = (name: string): string[] =>
    [...FRAMED, 'application/proto', 'application/json', 'application/json; charset=utf-8', 'application/grpc', 'text/plain', ''].filter(
      (type) => protocol(type, name),
    );
  assert.deepEqual(kinds('subscribeevents'), FRAMED);
  assert.deepEqual(kinds('getblockcount'), [
    ...FRAMED.slice(0, 2),
    'application/proto',
    'application/json',
    'application/json; charset=utf-8',
  ]);
});
