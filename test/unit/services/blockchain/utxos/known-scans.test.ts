import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownScans } from '../../../../../src/services/blockchain/utxos/known-scans.js';
import type { FoundOutput, ScanOutcome } from '../../../../../src/services/blockchain/utxos/output-scan.js';

const outcomeWith = (searched: number, found: readonly FoundOutput[] = []): ScanOutcome => ({ complete: true, searched, found });

test('an outcome is known for the same scripts at the same tip', () => {
  const scans = new KnownScans();
  const tip = {};
  const outcome = outcomeWith(5);
  scans.set(tip, ['51', '52'], outcome);
  assert.equal(scans.get(tip, ['51', '52']), outcome);
  assert.equal(scans.get(tip, ['5152']), undefined);
  assert.equal(scans.get({}, ['51', '52']), undefined);
});

test('outcomes of another tip are dropped', () => {
  const scans = new KnownScans();
  const [before, after] = [{}, {}];
  scans.set(before, ['51'], outcomeWith(1));
  scans.set(after, ['52'], outcomeWith(2));
  assert.equal(scans.get(before, ['51']), undefined);
  assert.equal(scans.get(after, ['51']), undefined);
  assert.equal(scans.get(after, ['52'])?.searched, 2);
});

test('an outcome with very many outputs is not kept', () => {
  const scans = new KnownScans();
  const tip = {};
  const output = {
    point: { txid: new Uint8Array(32), vout: 0 },
    coin: { out: { value: 1n, scriptPubKey: new Uint8Array(), tokenId: 0 }, height: 1, coinbase: false },
  };
  scans.set(tip, ['51'], outcomeWith(1_000, new Array<FoundOutput>(1_000).fill(output)));
  scans.set(tip, ['52'], outcomeWith(1_001, new Array<FoundOutput>(1_001).fill(output)));
  assert.equal(scans.get(tip, ['51'])?.searched, 1_000);
  assert.equal(scans.get(tip, ['52']), undefined);
});
