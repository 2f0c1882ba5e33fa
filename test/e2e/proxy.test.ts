import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Daemon } from '../daemon.js';
import { startSocks } from '../unit/p2p/socks-server.js';

const daemons: Daemon[] = [];
after(() => Promise.all(daemons.map((daemon) => daemon.destroy())));

function daemon(...flags: readonly string[]): Daemon {
  const made = new Daemon(flags);
  daemons.push(made);
  return made;
}

test('-proxy: the daemon connects through it, and getnetworkinfo reports it', async () => {
  const proxy = await startSocks({ established: (socket) => socket.destroy() });
  try {
    const node = daemon(`-proxy=127.0.0.1:${proxy.port}`);
    await node.start();
    for (const name of ['15.61.23.23:1234', 'node.noumenon:8555', 'bitcoinostk4e4re.onion:8555']) await node.ask('addnode', name, 'onetry');
    assert.deepEqual(
      proxy.requests.map(({ host, port }) => `${host}:${port}`),
      ['15.61.23.23:1234', 'node.noumenon:8555', 'bitcoinostk4e4re.onion:8555'],
    );
    assert.equal(new Set(proxy.requests.map(({ username }) => username)).size, 3);
    const { networks } = (await node.ask('getnetworkinfo')) as { networks: readonly { reachable: boolean; proxy: string }[] };
    assert.deepEqual(
      networks.map((each) => [each.reachable, each.proxy]),
      new Array(3).fill([true, `127.0.0.1:${proxy.port}`]),
    );
    assert.equal(await node.end(), 0);
  } finally {
    proxy.close();
  }
});

test('an invalid proxy address aborts the start', async () => {
  const node = daemon('-proxy=127.0.0.1:99999');
  await assert.rejects(node.start(), /ended with 1: Error: Invalid -proxy address or hostname: '127\.0\.0\.1:99999'/);
});
