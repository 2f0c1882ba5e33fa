import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { acceptsGzip, isLocal } from '../../../src/gateway/answer-encoding.js';

const cases: readonly { readonly header: string | undefined; readonly accepts: boolean }[] = [
  { header: undefined, accepts: false },
  { header: '', accepts: false },
  { header: 'identity', accepts: false },
  { header: 'gzip', accepts: true },
  { header: 'x-gzip', accepts: true },
  { header: 'deflate, GZIP;q=0.5, br', accepts: true },
  { header: 'gzip;q=0', accepts: false },
  { header: 'gzip; q=0.000, *', accepts: false },
  { header: '*', accepts: true },
  { header: '*;q=0', accepts: false },
  { header: 'br, *;q=0.1', accepts: true },
  { header: 'gzipped', accepts: false },
  { header: 'gzip;q=x', accepts: false },
];
for (const { header, accepts } of cases) test(`acceptsGzip: ${header}`, () => assert.equal(acceptsGzip(header), accepts));

const addresses = [
  { remoteAddress: '127.0.0.1', local: true },
  { remoteAddress: '127.1.2.3', local: true },
  { remoteAddress: '::1', local: true },
  { remoteAddress: '::ffff:127.0.0.1', local: true },
  { remoteAddress: '10.0.0.1', local: false },
  { remoteAddress: '::12', local: false },
  { remoteAddress: '2001:db8::127.0.0.1', local: false },
  { remoteAddress: undefined, local: false },
];
for (const { remoteAddress, local } of addresses) {
  test(`isLocal: ${remoteAddress}`, () => assert.equal(isLocal({ headers: {}, socket: { remoteAddress } as Socket }), local));
}
