import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evmBlockColumns, evmReceiptLists } from '../../src/dfi/evm/block-columns.js';
import { evmLogColumns } from '../../src/dfi/evm/log-columns.js';
import { findLogs, indexLogs } from '../../src/dfi/evm/log-index.js';
import { Overlay } from '../../src/storage/overlay.js';
import { RocksStore } from '../../src/storage/rocks.js';
import { finish } from '../../src/util/slicer.js';

const BLOCKS = 10_000;
const LOGS = 100;
const ADDRESSES = 1_000;
const EVENTS = 50n;
const MATCHES = 100;
const RARE = 1n << 200n;

/** Logs of a token: event, sender and receiver. One log in the blocks that match goes to a rare receiver. */
function logsOf(number: number) {
  return Array.from({ length: LOGS }, (_, i) => {
    const seed = number * LOGS + i;
    const isMatch = i === 7 && number % (BLOCKS / MATCHES) === 0;
    const topics = [BigInt(seed) % EVENTS, BigInt(seed * 31) % 5_000n, isMatch ? RARE : BigInt(seed * 17) % 5_000n];
    return { address: BigInt(seed % ADDRESSES), topics, data: new Uint8Array(32) };
  });
}

/** Milliseconds of processor time of a step. */
function cpuMs(step: () => void): number {
  const before = process.cpuUsage();
  step();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Writes the blocks. @returns milliseconds of the index for one of them */
function fill(store: RocksStore): number {
  let indexMs = 0;
  for (let from = 0; from < BLOCKS; from += 100) {
    const overlay = new Overlay(store);
    for (let number = from; number < from + 100; number++) {
      const facts = { isSuccess: true, usedGas: 0n, isSystem: false, contract: undefined, price: 0n };
      const receipts = [{ ...facts, logs: logsOf(number) }];
      overlay.put(evmReceiptLists, number, receipts);
      indexMs += cpuMs(() => indexLogs(overlay, number, receipts));
    }
    store.write(overlay.changes());
  }
  return indexMs / BLOCKS;
}

/** Searches logs in a chain with many of them. The floor is reading the receipts of the blocks that match. */
export async function run(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'dfi-logs-'));
  const store = await RocksStore.open(directory, [...evmBlockColumns, ...evmLogColumns]);
  console.log(`index: ${fill(store).toFixed(2)} ms for a block of ${LOGS} logs`);
  const none = new Set<bigint>();
  const query = { addresses: none, topics: [new Set([7n]), none, new Set([RARE])], from: 0, to: BLOCKS - 1 };
  const floor = () => {
    for (let number = 0; number < BLOCKS; number += BLOCKS / MATCHES) store.get(evmReceiptLists, number);
  };
  floor();
  const floorMs = cpuMs(floor);
  for (const attempt of ['first', 'second']) {
    let found = 0;
    const ms = cpuMs(() => {
      found = finish(findLogs(store, query, 10_000)).length;
    });
    const ratio = (ms / floorMs).toFixed(1);
    console.log(`${attempt} search: ${found} of ${BLOCKS * LOGS} logs in ${ms.toFixed(0)} ms, ${ratio} times the floor`);
  }
  await store.close();
  rmSync(directory, { recursive: true, force: true });
}
