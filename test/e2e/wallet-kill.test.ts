import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { toHex } from '../../src/util/bytes.js';
import { WalletFile } from '../../src/wallet/store/file.js';
import { isTemporary } from '../../src/wallet/store/file-names.js';
import { Daemon } from '../daemon.js';
import { randomNumbers } from './fixtures/reorg-chain.js';
import { LARGE, numberKey, ROWS } from './fixtures/wallet-layout.js';
import { runAndKill } from './killed-writer.js';

/** Kills in this run: all thirty take some minutes. */
const KILLS = Number(process.env.WALLET_KILLS ?? 3);
/** Kills while a wallet's file is compacted: each is cheap. */
const COMPACTION_KILLS = 4 * KILLS;
/** Longest time from a start to the kill. */
const MAX_WORK_MS = 2_500;
const MATURE_BLOCKS = 110;
/** Published keys of regtest's first masternode, which mints the coins. */
const FLAGS = ['-gen=0', '-keypool=20', '-fallbackfee=0.0002', '-dummypos=1', '-masternode_operator=mps7BdmwEF2vQ9DREDyNPibqsuSRZ8LuwQ'];

const random = randomNumbers(Number(process.env.CRASH_SEED ?? 11));

/** Results that the daemon acknowledged before it was killed. */
interface Promised {
  readonly addresses: string[];
  readonly txids: string[];
}

/** Creates addresses and sends coins until the daemon is gone. */
async function work(daemon: Daemon, promised: Promised, life: { isOver: boolean }): Promise<void> {
  try {
    for (let n = 0; ; n++) {
      const address = String(await daemon.ask('getnewaddress', '', n % 3 === 0 ? 'legacy' : n % 3 === 1 ? 'bech32' : 'p2sh-segwit'));
      promised.addresses.push(address);
      if (n % 4 === 0) promised.addresses.push(String(await daemon.ask('getrawchangeaddress')));
      if (n % 2 === 0) promised.txids.push(String(await daemon.ask('sendtoaddress', address, '0.01')));
      if (n % 10 === 9) await daemon.ask('generatetoaddress', 1, address);
    }
  } catch (error) {
    if (!life.isOver) throw error;
  }
}

/** Asserts that every acknowledged address belongs to the wallet with its key, every transaction is known, and no key was used twice. */
async function check(daemon: Daemon, { addresses, txids }: Promised): Promise<void> {
  for (const address of addresses) {
    const info = (await daemon.ask('getaddressinfo', address)) as { readonly ismine: boolean };
    assert.equal(info.ismine, true, `${address} was returned and is not the wallet's`);
    assert.equal(typeof (await daemon.ask('dumpprivkey', address)), 'string', `the key of ${address}`);
  }
  for (const txid of txids) {
    const found = (await daemon.ask('gettransaction', txid)) as { readonly confirmations: number; readonly hex: string };
    assert.ok(found.hex.length > 0 && found.confirmations >= 0, `${txid} was sent and is ${found.confirmations} deep`);
  }
  assert.equal(new Set(addresses).size, addresses.length, 'an address was returned twice');
}

test('a killed wallet keeps the key of every address it returned and every transaction it sent', async () => {
  const daemon = new Daemon(FLAGS);
  const kept: Promised = { addresses: [], txids: [] };
  let kills = 0;
  try {
    await daemon.start();
    const address = String(await daemon.ask('getnewaddress'));
    kept.addresses.push(address);
    for (let n = 0; n < MATURE_BLOCKS; n++) await daemon.ask('generatetoaddress', 1, address);
    while (kills < KILLS) {
      const fresh: Promised = { addresses: [], txids: [] };
      const life = { isOver: false };
      const working = work(daemon, fresh, life);
      await setTimeout(random(MAX_WORK_MS));
      life.isOver = true;
      await daemon.end('SIGKILL');
      await working;
      kills += 1;
      await daemon.start();
      await check(daemon, fresh);
      kept.addresses.push(...fresh.addresses);
      kept.txids.push(...fresh.txids);
    }
    await check(daemon, kept);
    await daemon.ask('generatetoaddress', 1, address);
    console.log(
      `wallet kill test: ${kills} kills, ${kept.addresses.length} addresses and ${kept.txids.length} transactions acknowledged, none lost`,
    );
  } finally {
    await daemon.destroy();
  }
});

/** Lets the writer work for a while and kills it. @returns the last batch that it acknowledged, and the number of compactions */
async function writeAndKill(path: string, afterMs: number): Promise<{ readonly acknowledged: number; readonly compactions: number }> {
  const text = await runAndKill('wallet-writer.ts', [path], afterMs);
  const lines = text.slice(0, text.lastIndexOf('\n')).split('\n');
  const batches = lines.filter((line) => line !== 'compacted');
  return { acknowledged: Number(batches.at(-1)), compactions: lines.length - batches.length };
}

test('a wallet killed during compaction opens with all acknowledged rows', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'wallet-compact-kill-'));
  const path = join(directory, 'wallet.dat');
  let [inTheMiddle, compactions] = [0, 0];
  try {
    for (let kills = 0; kills < COMPACTION_KILLS; kills++) {
      const written = await writeAndKill(path, random(120));
      compactions += written.compactions;
      if (readdirSync(directory).some(isTemporary)) inTheMiddle += 1;
      const file = WalletFile.open(path);
      const rows = [...file.rows(ROWS)].map(({ key, value }) => `${toHex(key)}=${toHex(value)}`).sort();
      // The batch after the last acknowledged one may be on disk, complete.
      assert.ok(
        rows.length === written.acknowledged || rows.length === written.acknowledged + 1,
        `${rows.length} of ${written.acknowledged}`,
      );
      const expected = rows.map((_, i) => toHex(numberKey(i + 1))).map((key) => `${key}=${key}`);
      assert.deepEqual(rows, expected);
      for (const { key, value } of file.rows(LARGE)) {
        const newest = rows.length - ((rows.length - (key[3] as number)) % 20);
        assert.ok(
          value.every((byte) => byte === (newest & 0xff)),
          `row ${key[3]} is not of batch ${newest}`,
        );
      }
      file.close();
      assert.deepEqual(
        readdirSync(directory).filter((name) => !name.includes('.cut-')),
        ['wallet.dat'],
      );
    }
    assert.ok(inTheMiddle > 0 && compactions > 0, `${inTheMiddle} kills in the middle, ${compactions} compactions`);
    console.log(
      `wallet kill test: ${COMPACTION_KILLS} kills, ${inTheMiddle} in the middle of a compaction, ${compactions} compactions came to their end`,
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
