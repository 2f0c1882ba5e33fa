import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { observeWallets } from '../../../src/metrics/wallets.js';

const wallet = (name: string, size: number) => ({
  name,
  txs: { size },
  unspent: { confirmedTxCount: 3, pendingCount: 2 },
  keyPool: { size: (internal: boolean) => (internal ? 5 : 7) },
  keys: { isLocked: name === 'b' },
  rescan: { state: name === 'b' ? { progress: 0.5 } : undefined },
});

test('each loaded wallet has a sample, and none once it is unloaded', async () => {
  const registry = new Registry();
  let loaded = [wallet('a', 10), wallet('b', 20)];
  observeWallets(registry, () => loaded);
  const text = await registry.metrics();
  for (const line of [
    'dfi_wallet_loaded 2',
    'dfi_wallet_transactions{wallet="a"} 10',
    'dfi_wallet_transactions{wallet="b"} 20',
    'dfi_wallet_open_transactions{wallet="a"} 2',
    'dfi_wallet_key_pool{wallet="a"} 12',
    'dfi_wallet_locked{wallet="b"} 1',
    'dfi_wallet_scan_progress{wallet="a"} -1',
    'dfi_wallet_scan_progress{wallet="b"} 0.5',
  ]) {
    assert.ok(text.split('\n').includes(line), line);
  }
  loaded = [];
  assert.doesNotMatch(await registry.metrics(), /wallet="a"/);
});
