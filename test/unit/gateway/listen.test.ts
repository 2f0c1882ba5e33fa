import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { endpointsOf, listen, parseEndpoint } from '../../../src/gateway/listen.js';

const loopback = [
  { host: '127.0.0.1', port: 8554 },
  { host: '::1', port: 8554 },
];

const rules = [
  { name: 'neither option', bind: [], allowIp: [], expected: loopback, warnings: 0 },
  { name: 'rpcbind alone is ignored', bind: ['0.0.0.0'], allowIp: [], expected: loopback, warnings: 1 },
  { name: 'rpcallowip alone is ignored', bind: [], allowIp: ['0.0.0.0/0'], expected: loopback, warnings: 1 },
  {
    name: 'both',
    bind: ['0.0.0.0', '[::1]:99'],
    allowIp: ['0.0.0.0/0'],
    expected: [
      { host: '0.0.0.0', port: 8554 },
      { host: '::1', port: 99 },
    ],
    warnings: 0,
  },
];
for (const r of rules) {
  test(`endpointsOf: ${r.name}`, () => {
    const { endpoints, warnings } = endpointsOf({ port: 8554, bind: r.bind, allowIp: r.allowIp });
    assert.deepEqual(endpoints, r.expected);
    assert.equal(warnings.length, r.warnings);
  });
}

const forms = [
  { text: '10.1.2.3', host: '10.1.2.3', port: 7 },
  { text: '10.1.2.3:80', host: '10.1.2.3', port: 80 },
  { text: 'localhost:81', host: 'localhost', port: 81 },
  { text: '[::1]:82', host: '::1', port: 82 },
  { text: '[::1]', host: '::1', port: 7 },
  { text: '::1', host: '::1', port: 7 },
  { text: '2001:db8::5', host: '2001:db8::5', port: 7 },
];
for (const f of forms) test(`parseEndpoint: ${f.text}`, () => assert.deepEqual(parseEndpoint(f.text, 7), { host: f.host, port: f.port }));

test('listen: errors of the start are thrown, later ones reported', async (t) => {
  const failures: Error[] = [];
  const failed = (error: Error): void => void failures.push(error);
  const [server, second] = [createServer(), createServer()];
  const host = '127.0.0.1';
  const port = await listen(server, { host, port: 0 }, failed);
  t.after(() => server.close());
  await assert.rejects(listen(second, { host, port }, failed), { code: 'EADDRINUSE' });
  const lack = new Error('accept EMFILE');
  server.emit('error', lack);
  assert.deepEqual(failures, [lack]);
});
