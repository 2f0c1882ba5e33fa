import { readFileSync } from 'node:fs';
import { publicKeyOf, signLowR, verify } from '../../src/crypto/ecdsa.js';
import { sha256d } from '../../src/crypto/hash.js';
import { Daemon } from '../daemon.js';

const COINS = 10_000;
const ADDRESSES = 2_000;
const CALLS = 200;
const TARGET = 50;
/** A genesis masternode of regtest. */
const OPERATOR = { address: 'mps7BdmwEF2vQ9DREDyNPibqsuSRZ8LuwQ', key: 'cPGEaz8AGiM71NGMRybbCqFNRcuUhg3uGvyY4TFE1BZC26EW2PkC' };
/** Coins of the owner that other transactions may spend. */
const SPARE = 50;
/** Coinbase maturity. */
const MATURITY = 101;

/**
 * Sequential `accounttoaccount` calls, from the call to the mempool, in a wallet with many coins. The floor is the cost common to all
 * of them: one signature, verified when it is made and again by the mempool.
 */
export async function run(): Promise<void> {
  const daemon = new Daemon(['-amkheight=50', '-txnotokens=0', '-dummypos=1', `-masternode_operator=${OPERATOR.address}`]);
  try {
    await daemon.start();
    const [from, to] = await prepare(daemon);
    const floor = signaturesPerSecond();
    const start = cpuSeconds(daemon);
    for (let i = 0; i < CALLS; i++) await daemon.ask('accounttoaccount', from, { [to]: '0.00000001@DFI' });
    const rate = CALLS / (cpuSeconds(daemon) - start);
    const pooled = ((await daemon.ask('getrawmempool')) as string[]).length;
    if (pooled !== CALLS) throw new Error(`${pooled} of ${CALLS} transactions are in the mempool`);
    console.log(`a signature and two checks ${Math.round(floor)}/s`);
    console.log(`accounttoaccount           ${Math.round(rate)}/s, ratio ${(rate / floor).toFixed(3)} (target ${TARGET}/s)`);
  } finally {
    await daemon.destroy();
  }
}

/** CPU time, so that other work on this machine does not count; in ticks of 10 ms. */
function cpuSeconds({ process: child }: Daemon): number {
  const fields = readFileSync(`/proc/${child?.pid}/stat`, 'latin1')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** An account with DFI whose owner has a coin for each call, another address, and many more coins in the wallet. */
async function prepare(daemon: Daemon): Promise<readonly [string, string]> {
  await daemon.ask('importprivkey', OPERATOR.key);
  const [from, to] = [await newAddress(daemon), await newAddress(daemon)];
  await daemon.ask('generatetoaddress', MATURITY + 5, to);
  await daemon.ask('generatetoaddress', MATURITY + CALLS + SPARE, from);
  await daemon.ask('utxostoaccount', { [from]: '1@DFI' });
  const payments: Record<string, number> = {};
  for (let i = 0; i < ADDRESSES; i++) payments[await newAddress(daemon)] = 0.01;
  for (let made = 0; made < COINS; made += ADDRESSES) await daemon.ask('sendmany', '', payments);
  await daemon.ask('generatetoaddress', 1, from);
  return [from, to];
}

async function newAddress(daemon: Daemon): Promise<string> {
  return (await daemon.ask('getnewaddress', '', 'legacy')) as string;
}

function signaturesPerSecond(): number {
  const secret = new Uint8Array(32).fill(7);
  const publicKey = publicKeyOf(secret);
  const rounds = 2_000;
  const start = process.cpuUsage();
  for (let i = 0; i < rounds; i++) {
    const hash = sha256d(Uint8Array.of(i, i >> 8));
    const signature = signLowR(hash, secret);
    if (!verify(publicKey, signature, hash) || !verify(publicKey, signature, hash)) throw new Error('a signature is wrong');
  }
  const { user, system } = process.cpuUsage(start);
  return (rounds * 1e6) / (user + system);
}
