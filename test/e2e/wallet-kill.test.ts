import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Daemon } from '../daemon.js';
import { randomNumbers } from './fixtures/reorg-chain.js';

/** Kills in this run: all thirty take some minutes. */
const KILLS = Number(process.env.WALLET_KILLS ?? 3);
/** Longest time that a wallet is left at work. */
const MAX_WORK_MS = 2_500;
const MATURE_BLOCKS = 110;
/** Published keys of regtest's first masternode: it mints the coins. */
const FLAGS = ['-gen=0', '-keypool=20', '-fallbackfee=0.0002', '-dummypos=1', '-masternode_operator=mps7BdmwEF2vQ9DREDyNPibqsuSRZ8LuwQ'];

const random = randomNumbers(Number(process.env.CRASH_SEED ?? 11));

/** What the daemon promised before it was killed. */
interface Promised {
  readonly addresses: string[];
  readonly txids: string[];
}

/** Hands out addresses and sends coins until the daemon is gone. */
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

/** Every address that was told is the wallet's with its key, every transaction is known, and no key was given twice. */
async function check(daemon: Daemon, { addresses, txids }: Promised): Promise<void> {
  for (const address of addresses) {
    const info = (await daemon.ask('getaddressinfo', address)) as { readonly ismine: boolean };
    assert.equal(info.ismine, true, `${address} was told and is not the wallet's`);
    assert.equal(typeof (await daemon.ask('dumpprivkey', address)), 'string', `the key of ${address}`);
  }
  for (const txid of txids) {
    const found = (await daemon.ask('gettransaction', txid)) as { readonly confirmations: number; readonly hex: string };
    assert.ok(found.hex.length > 0 && found.confirmations >= 0, `${txid} was sent and is ${found.confirmations} deep`);
  }
  assert.equal(new Set(addresses).size, addresses.length, 'an address was given twice');
}

test('a wallet that is killed keeps the key of every address it told and every transaction it sent', async () => {
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
      `wallet kill test: ${kills} kills, ${kept.addresses.length} addresses and ${kept.txids.length} transactions told, none lost`,
    );
  } finally {
    await daemon.destroy();
  }
});
