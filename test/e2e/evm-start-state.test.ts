import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Daemon } from '../daemon.js';
import { FOUNDER, MockTimeMinting, OPERATOR, upgradedFlags } from '../regtest.js';

const HEIGHT = 110;
const RICH = `0x${'ab'.repeat(20)}`;

test('a start state on a chain with EVM blocks: those can no longer be disconnected, later ones can', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'dfi-start-state-'));
  const node = new Daemon([...upgradedFlags()], directory);
  try {
    const file = join(directory, 'state.json');
    writeFileSync(file, JSON.stringify({ alloc: { [RICH]: { balance: '0x5' } } }));
    const minting = new MockTimeMinting((seconds) => node.ask('setmocktime', seconds));
    const mint = (count: number) => minting.mint(count, (some) => node.ask('generatetoaddress', some, FOUNDER.address));
    await node.start();
    for (const { key } of [OPERATOR, FOUNDER]) await node.ask('importprivkey', key);
    await mint(HEIGHT);
    await node.ask('setgov', { ATTRIBUTES: { 'v0/params/feature/evm': 'true' } });
    await mint(3);
    const last = await node.ask('getbestblockhash');
    assert.match(String(((await node.ask('vmmap', last, 3)) as { output: string }).output), /^0x[0-9a-f]{64}$/);
    await node.end();

    // The error of a block below a checkpoint has no text.
    const refused = async () => (await node.call('invalidateblock', last)).error;
    await node.start([`-ethstartstate=${file}`]);
    assert.deepEqual(await refused(), { code: -20, message: '' });
    await mint(2);
    const above = await node.ask('getbestblockhash');
    await node.ask('invalidateblock', above);
    assert.equal(await node.ask('getblockcount'), HEIGHT + 4);
    await node.end();

    await node.start();
    assert.deepEqual(await refused(), { code: -20, message: '' });
    assert.equal(await node.ask('getblockcount'), HEIGHT + 4);
  } finally {
    await node.destroy();
    rmSync(directory, { recursive: true, force: true });
  }
});
