import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '../../src/crypto/hash.js';
import { decode } from '../../src/primitives/codec.js';
import { makeTransaction, type Transaction, transaction } from '../../src/primitives/transaction.js';
import { scriptOf } from '../../src/script/address.js';
import { Op } from '../../src/script/opcodes.js';
import { buildScript } from '../../src/script/script.js';
import { listAddressGroupings } from '../../src/services/wallet/addresses/groupings.js';
import { getBalance } from '../../src/services/wallet/balances/balances.js';
import { listUnspent } from '../../src/services/wallet/balances/outputs.js';
import { sendToAddress } from '../../src/services/wallet/spend/send.js';
import { listTransactions } from '../../src/services/wallet/transactions/transactions.js';
import { EMPTY_BYTES } from '../../src/util/bytes.js';
import { destinationOfKey } from '../../src/wallet/keys/address-type.js';
import { WalletFile } from '../../src/wallet/store/file.js';
import * as records from '../../src/wallet/store/records.js';
import { WalletStore } from '../../src/wallet/store/store.js';
import { Wallet } from '../../src/wallet/wallet.js';
import { ModelChain, ModelMempool, modelDeps } from '../unit/wallet/model-node.js';

const COINS = Number(process.env.BENCH_COINS ?? 100_000);
const ADDRESSES = 2_000;
const TXS_PER_BLOCK = 100;
const BLOCK_TXS = 500;
const PAYMENT = 100_000n;
const FOREIGN = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';

const chain = new ModelChain();
const format = chain.params.txFormat;
const call = { dialect: 'json-rpc', wallet: undefined, signal: new AbortController().signal, requestId: 'bench', user: undefined } as const;
/** As long as a signature and a key. */
const WITNESS = [new Uint8Array(71).fill(0x30), new Uint8Array(33).fill(2)];

function foreignScript(n: number): Uint8Array {
  return buildScript(Op.ZERO, sha256(Uint8Array.of(n, n >> 8, n >> 16)).subarray(0, 20));
}

function txOf(prevout: Transaction['vin'][number]['prevout'], own: Uint8Array, value: bigint, n: number): Transaction {
  const vin = [{ prevout, scriptSig: EMPTY_BYTES, sequence: 0xfffffffe, witness: WITNESS }];
  const vout = [
    { value, scriptPubKey: own, tokenId: 0 },
    { value: value / 3n, scriptPubKey: foreignScript(n), tokenId: 0 },
  ];
  return makeTransaction({ version: 4, vin, vout, lockTime: 0 }, format);
}

/** Coins received and spent again with change: 200,000 transactions, 100,000 unspent outputs. */
function transactions(scripts: readonly Uint8Array[]): Transaction[] {
  const all: Transaction[] = [];
  for (let n = 0; n < COINS; n++) {
    const txid = sha256(Uint8Array.of(n, n >> 8, n >> 16, 1));
    const own = scripts[n % scripts.length] as Uint8Array;
    const received = txOf({ txid, vout: 0 }, own, 50_000n + BigInt((n * 7_919) % 100_000_000), n);
    const change = scripts[(n * 31) % scripts.length] as Uint8Array;
    all.push(received, txOf({ txid: received.txid, vout: 0 }, change, 40_000n + BigInt((n * 7_919) % 90_000_000), n + COINS));
  }
  return all;
}

function timed<T>(name: string, target: string, work: () => T, floorMs: number): T {
  const start = cpuMs();
  const result = work();
  report(name, target, cpuMs() - start, floorMs);
  return result;
}

async function timedAsync(name: string, target: string, work: () => unknown, floorMs: number, rounds = 1): Promise<void> {
  const times: number[] = [];
  let heldMs = 0;
  for (let i = 0; i < rounds; i++) {
    const start = cpuMs();
    heldMs = Math.max(heldMs, await longestHold(work));
    times.push(cpuMs() - start);
  }
  const median = times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
  const slowest = rounds > 1 ? `, slowest ${times.at(-1)?.toFixed(1)} ms` : '';
  report(name, target, median, floorMs, `${slowest}, event loop held ${heldMs.toFixed(0)} ms`);
}

/** Runs work. @returns the longest time, in milliseconds of CPU time, that it blocked the event loop */
async function longestHold(work: () => unknown): Promise<number> {
  let isOver = false;
  let heldMs = 0;
  let last = cpuMs();
  const note = (): void => {
    const now = cpuMs();
    heldMs = Math.max(heldMs, now - last);
    last = now;
    if (!isOver) setImmediate(note);
  };
  setImmediate(note);
  await work();
  isOver = true;
  note();
  return heldMs;
}

function report(name: string, target: string, ms: number, floorMs: number, more = ''): void {
  const ratio = `${(ms / floorMs).toFixed(ms / floorMs < 10 ? 2 : 0)} times a bare read`;
  console.log(`${name.padEnd(46)}${ms.toFixed(1)} ms (target ${target}), ${ratio}${more}`);
}

/** A wallet's file with the transactions, and the blocks that contain them. */
async function makeFile(path: string): Promise<void> {
  const deps = modelDeps(chain, new ModelMempool(), { keypoolSize: 10 });
  const kind = { disablePrivateKeys: false, blank: false, avoidReuse: false, passphrase: undefined };
  const wallet = await Wallet.create('bench', path, kind, deps);
  const scripts: Uint8Array[] = [];
  await wallet.keyChain.topUp({ size: ADDRESSES });
  for (let n = 0; n < ADDRESSES - 10; n++) {
    const reserved = wallet.keyChain.reserve(false);
    if (!reserved) throw new Error('no key');
    wallet.keyPool.keep(reserved);
    scripts.push(scriptOf(destinationOfKey(reserved.entry.publicKey, 'bech32')));
  }
  await wallet.stop();
  const all = transactions(scripts);
  const file = WalletFile.open(path);
  const store = new WalletStore(file);
  for (let at = 0; at < all.length; at += TXS_PER_BLOCK) {
    const held = all.slice(at, at + TXS_PER_BLOCK);
    const { hash, time } = chain.connect(held);
    held.forEach((tx, index) => {
      const row = { raw: tx.raw, blockHash: hash, blockIndex: index, isAbandoned: false, receivedAt: time, smartTime: time };
      store.put(records.transactions, tx.txid, { ...row, isFromMe: index % 2 === 1, order: at + index, notes: [] });
    });
    store.commitLazily();
  }
  store.put(records.syncedTo, records.ONLY, chain.tip.hash);
  store.commit();
  file.close();
}

/** Milliseconds of CPU time: steadier than wall-clock time on a busy machine. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The rows of the file and the transactions in them, without the structures that a wallet builds from them. */
function bareRead(path: string): number {
  const start = cpuMs();
  const file = WalletFile.open(path);
  const codec = transaction(format);
  for (const { value } of file.rows('tx')) decode(codec, decode(records.transactions.value, value).raw);
  file.close();
  return cpuMs() - start;
}

/** The first hundred rows of transactions, read and decoded. */
function bareHundred(file: WalletFile): number {
  const start = cpuMs();
  let left = 100;
  for (const { value } of file.rows('tx')) {
    decode(transaction(format), decode(records.transactions.value, value).raw);
    left -= 1;
    if (left === 0) break;
  }
  return cpuMs() - start;
}

export async function run(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'wallet-bench-'));
  try {
    await measure(join(directory, 'wallet.dat'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(path: string): Promise<void> {
  await makeFile(path);
  console.log(`${2 * COINS} transactions, ${COINS} unspent outputs, ${(readFileSync(path).length / 1e6).toFixed(0)} MB`);
  bareRead(path);
  const readMs = bareRead(path);
  const mempool = new ModelMempool();
  const deps = modelDeps(chain, mempool, { keypoolSize: 10 });
  let wallet: Wallet | undefined;
  let file: WalletFile | undefined;
  const opened = timed(
    'load',
    '5,000 ms',
    () => {
      file = WalletFile.open(path);
      wallet = new Wallet('bench', file, deps);
      return wallet;
    },
    readMs,
  );
  await opened.start();
  const hundredMs = bareHundred(file as WalletFile);
  const modules = { chain: deps.chain, mempool: deps.mempool, clock: deps.clock, deprecated: [], wallets: { find: () => opened } } as never;
  await timedAsync('getbalance', '50 ms', () => getBalance(modules, {} as never, call), hundredMs, 20);
  await timedAsync('getbalance, 6 confirmations', '50 ms', () => getBalance(modules, { minconf: 6 } as never, call), hundredMs, 20);
  const hundred = { addresses: [], maximumcount: 100n } as never;
  await timedAsync('listunspent, maximumCount 100', '50 ms', () => listUnspent(modules, hundred, call), hundredMs, 20);
  await timedAsync('listunspent, all', '-', () => listUnspent(modules, { addresses: [] } as never, call), readMs);
  await timedAsync('listaddressgroupings', '-', () => listAddressGroupings(modules, {} as never, call), readMs);
  await timedAsync('listtransactions 100', '20 ms', () => listTransactions(modules, { count: 100 } as never, call), hundredMs, 20);
  const far = { count: 100, skip: COINS } as never;
  await timedAsync('listtransactions 100, 100,000 skipped', '-', () => listTransactions(modules, far, call), readMs);
  const send = () => sendToAddress(modules, { address: FOREIGN, amount: '1.5' } as never, call);
  await timedAsync('sendtoaddress', '300 ms', send, hundredMs, 10);
  const spent = [...opened.unspent.confirmed()].slice(0, BLOCK_TXS).map(({ wtx, vout, out }, n) => {
    return txOf({ txid: wtx.tx.txid, vout }, out.scriptPubKey, PAYMENT, n);
  });
  timed(`a block with ${BLOCK_TXS} of its transactions`, '200 ms', () => chain.connect(spent), readMs);
  timed('disconnecting it', '-', () => chain.disconnect(), readMs);
  await opened.stop();
}
