import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTool } from '../../src/wallet-tool/tool.js';
import { Daemon } from '../daemon.js';

test('dfi-wallet refuses to open a wallet of a running node', async () => {
  const daemon = new Daemon(['-keypool=2']);
  const info = () => runTool({ argv: ['-regtest', `-datadir=${daemon.directory}`, 'info'], env: {} }, '0');
  try {
    await daemon.start();
    assert.equal((await info()).stderr, 'Error loading . Is wallet being used by other process?\n');
    await daemon.end('SIGTERM');
    assert.equal((await info()).exitCode, 0);
  } finally {
    await daemon.destroy();
  }
});
