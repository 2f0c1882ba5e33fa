import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatWif } from '../../../src/crypto/keys.js';
import { GRAND_CENTRAL, heights } from '../../unit/dfi/fixture.js';
import { withBrokenDisk } from '../../unit/wallet/broken-disk.js';
import { regtest, startWalletNode, type WalletNode } from './wallet-node.js';

const ELSEWHERE = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';
const SECRET = new Uint8Array(32).fill(1);
const WIF = formatWif({ secret: SECRET, compressed: true }, regtest.address);
/** P2PKH addresses of both forms of that key. */
const SHORT = 'mrcNu71ztWjAQA6ww9kHiW3zBWSQidHXTQ';
const LONG = 'mqitioYrN1kLMUngbCDV1k72uPJZe5x22N';
/** A P2SH script of 521 bytes. */
const LONG_SCRIPT = `4d0502${'00'.repeat(517)}75`;

function importLines(node: WalletNode, lines: readonly string[]): Promise<unknown> {
  const path = join(node.wallets.directory, 'import.txt');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return node.call('importwallet', [path]);
}

async function dumpedLines(node: WalletNode): Promise<string[]> {
  const path = join(node.wallets.directory, `dump-${node.chain.tip.height}.txt`);
  assert.deepEqual(await node.call('dumpwallet', [path]), { filename: path });
  return readFileSync(path, 'latin1').split('\n');
}

const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000', '');

test('importwallet labels keys that the wallet has, and scans from their time', async () => {
  const node = await startWalletNode();
  await node.mint(1, SHORT);
  assert.equal(await node.call('importprivkey', [WIF, 'old', false]), null);
  assert.equal(((await node.call('getwalletinfo')) as { txcount: number }).txcount, 0);
  assert.equal(await importLines(node, [`${WIF} 2010-01-01T00:00:00Z label=new`]), null);
  assert.deepEqual(await node.call('getaddressesbylabel', ['new']), { [SHORT]: { purpose: 'receive' } });
  assert.equal(((await node.call('getwalletinfo')) as { txcount: number }).txcount, 1);
  await node.end();
});

test('importwallet reads a key in hex, as an uncompressed one, on networks with an EVM only', async () => {
  const hex = Buffer.from(SECRET).toString('hex');
  for (const [params, isKey] of [
    [heights({ ...GRAND_CENTRAL, metachain: 0 }), true],
    [regtest, false],
  ] as const) {
    const node = await startWalletNode({}, [''], params);
    assert.equal(await importLines(node, [`${hex} 2010-01-01T00:00:00Z label=hex`]), null);
    const { ismine } = (await node.call('getaddressinfo', [LONG])) as { ismine: boolean };
    assert.equal(ismine, isKey);
    const labelled = await node.call('getaddressesbylabel', ['hex']);
    assert.deepEqual(labelled, isKey ? { [LONG]: { purpose: 'receive' } } : '-11 No addresses with label hex');
    if (isKey) assert.equal(await node.call('dumpprivkey', [LONG]), formatWif({ secret: SECRET, compressed: false }, regtest.address));
    await node.end();
  }
});

test('importwallet reports a script that is too long after it has imported the rest', async () => {
  const node = await startWalletNode();
  const answer = await importLines(node, [`${LONG_SCRIPT} 0 script=1`, `${WIF} 2010-01-01T00:00:00Z label=rest`]);
  assert.equal(answer, '-4 Error adding some keys/scripts to wallet');
  assert.deepEqual(await node.call('getaddressesbylabel', ['rest']), { [SHORT]: { purpose: 'receive' } });
  assert.ok(!(await dumpedLines(node)).some((line) => line.startsWith(LONG_SCRIPT)));
  await node.end();
});

test('dumpwallet: a key of unknown age is as old as the first block that pays it, or the block at a depth of 144', async () => {
  const node = await startWalletNode();
  await node.mint(2, SHORT);
  assert.equal(await importLines(node, [`${WIF} 0 label=ageless`]), null);
  const timeAt = (height: number): string => isoTime((node.chain.entryAt(height)?.time ?? 0) - 7_200);
  const dumped = async (): Promise<string | undefined> => (await dumpedLines(node)).find((line) => line.startsWith(WIF))?.split(' ')[1];
  assert.equal(await dumped(), timeAt(0));
  await node.mint(144, ELSEWHERE);
  assert.equal(await dumped(), timeAt(1));
  await node.mint(10, ELSEWHERE);
  assert.equal(await dumped(), timeAt(1));
  await node.end();
});

test('dumpwallet leaves no part of a dump on a disk that becomes full', async () => {
  const node = await startWalletNode();
  const path = join(node.wallets.directory, 'dump.txt');
  const answer = await withBrokenDisk({ writeSync: 'full after half' }, () => node.call('dumpwallet', [path]));
  assert.equal(answer, `-4 Error: ${path} could not be written: ENOSPC: no space left on device, write`);
  assert.ok(!existsSync(path));
  await node.end();
});
