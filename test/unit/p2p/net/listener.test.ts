import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, Server } from 'node:net';
import { type TestContext, test } from 'node:test';
import { formatEndpoint } from '../../../../src/p2p/addresses/ip.js';
import { Listener, type ListenerOptions } from '../../../../src/p2p/net/listener.js';
import { type Logger, silentLogger } from '../../../../src/util/logger.js';

/** An address that no machine has. */
const FOREIGN = '203.0.113.1:1';

function listener(t: TestContext, options: Partial<ListenerOptions>) {
  const warnings: string[] = [];
  const log: Logger = { ...silentLogger, warn: (msg) => void warnings.push(msg) };
  const accepted: string[] = [];
  const made = new Listener(
    { port: 0, bind: [], whiteBind: [], ...options },
    {
      log,
      onSocket: (socket, grant) => {
        accepted.push(grant === undefined ? 'plain' : [...(grant.named ?? [])].join());
        socket.destroy();
      },
    },
  );
  t.after(() => made.stop());
  return { made, warnings, accepted };
}

async function visit(port: number): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port });
  await once(socket, 'close');
}

test('a node listens on the addresses that are available, and warns of the others', async (t) => {
  const { made, warnings, accepted } = listener(t, { bind: [FOREIGN, '127.0.0.1'], whiteBind: [`noban@${FOREIGN}`] });
  const bound = await made.start();
  assert.equal(bound.length, 1);
  assert.match(formatEndpoint(bound[0] as { ip: Uint8Array; port: number }), /^127\.0\.0\.1:[1-9]\d*$/);
  const warning = `Unable to bind to ${FOREIGN} on this computer`;
  assert.deepEqual(warnings, [warning, warning]);
  await visit(bound[0]?.port ?? 0);
  assert.deepEqual(accepted, ['plain']);
});

test('an address that is given twice is listened on once', async (t) => {
  const first = listener(t, { bind: ['127.0.0.1'] });
  const [{ port } = { port: 0 }] = await first.made.start();
  await first.made.stop();
  const { made, warnings } = listener(t, { bind: [`127.0.0.1:${port}`, `127.0.0.1:${port}`] });
  assert.deepEqual(
    (await made.start()).map((address) => address.port),
    [port],
  );
  assert.equal(warnings.length, 1);
});

test('a start without any available address fails with the first reason', async (t) => {
  const busy = listener(t, { bind: ['127.0.0.1'] });
  const [{ port } = { port: 0 }] = await busy.made.start();
  const { made } = listener(t, { bind: [`127.0.0.1:${port}`, FOREIGN] });
  await assert.rejects(made.start(), { code: 'EADDRINUSE', syscall: 'listen' });
});

test('connections that cannot be accepted end neither the listener nor the process', async (t) => {
  const servers: Server[] = [];
  const listen = Server.prototype.listen;
  t.mock.method(Server.prototype, 'listen', function (this: Server, ...args: never[]) {
    servers.push(this);
    return Reflect.apply(listen, this, args);
  });
  const { made, warnings, accepted } = listener(t, { bind: ['127.0.0.1'] });
  const [{ port } = { port: 0 }] = await made.start();
  for (let i = 0; i < 2; i++) servers[0]?.emit('error', new Error('accept EMFILE'));
  await visit(port);
  assert.deepEqual(warnings, Array(2).fill('cannot accept a connection of a peer'));
  assert.deepEqual(accepted, ['plain']);
});
