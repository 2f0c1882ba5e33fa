import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChainEvent } from '../../src/chain/chain.js';
import { OceanApi } from '../../src/ocean/api/api.js';
import { indexedBlock } from '../../src/ocean/index/indexed-block.js';
import { oceanColumns } from '../../src/ocean/index/ocean-index.js';
import { scriptActivities, scriptId, scriptTotals, scriptUnspents } from '../../src/ocean/index/script-columns.js';
import { addScripts } from '../../src/ocean/index/scripts.js';
import type { OceanModules } from '../../src/ocean/modules.js';
import { TipCache } from '../../src/ocean/node/tip-cache.js';
import { oceanRoutes } from '../../src/ocean/routes/index.js';
import { hex8 } from '../../src/ocean/shapes/numbers.js';
import { networkParams } from '../../src/params/index.js';
import { type Hash256, NULL_HASH } from '../../src/primitives/hash.js';
import { NULL_OUTPOINT } from '../../src/primitives/outpoint.js';
import { makeTransaction } from '../../src/primitives/transaction.js';
import { type Destination, encodeDestination, scriptOf } from '../../src/script/address.js';
import { Overlay } from '../../src/storage/overlay.js';
import { RocksStore } from '../../src/storage/rocks.js';
import type { Store } from '../../src/storage/view.js';
import { silentLogger } from '../../src/util/logger.js';
import { finish } from '../../src/util/slicer.js';
import { medians, micros } from './measure/medians.js';

const SMALL = 1_000;
const LARGE = Number(process.env.BENCH_ROWS ?? 1_000_000);
const BATCH = 50_000;
/** Outputs of the script in each block. */
const PER_BLOCK = 10;
const BLOCK_OUTPUTS = 2_000;

const params = networkParams({ network: 'regtest' });
const destination: Destination = { type: 'wpkh', hash: Buffer.alloc(20, 7) };
const script = scriptOf(destination);
const address = encodeDestination(destination, params.address);

/**
 * CPU time of the calls of a wallet about one address: with 1,000,000 outputs in ratio to 1,000, the page from the middle of the list. And
 * the time to index the coins of a block of 2,000 outputs.
 */
export async function run(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'dfi-ocean-'));
  const stores: RocksStore[] = [];
  try {
    const sizes = [SMALL, LARGE];
    for (const rows of sizes) stores.push(await filled(join(directory, String(rows)), rows));
    const apis = stores.map(apiOf);
    for (const [name, pathOf] of Object.entries(CASES)) {
      const [small = 0, large = 0] = await medians(apis.map((ask, i) => () => ask(pathOf(sizes[i] ?? 0))));
      const ratio = (large / small).toFixed(2);
      console.log(`${name.padEnd(24)} ${SMALL} rows ${micros(small)}, ${LARGE} rows ${micros(large)}, ratio ${ratio}`);
    }
    const [indexed = 0] = await medians([indexing(stores[1] as Store)], 1);
    console.log(`block of ${BLOCK_OUTPUTS} outputs ${micros(indexed)}`);
  } finally {
    for (const store of stores) await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

const CASES: Readonly<Record<string, (rows: number) => string>> = {
  balance: () => 'balance',
  aggregation: () => 'aggregation',
  'transactions, 30': (rows) => `transactions?size=30&next=${hex8(middle(rows))}01${'0'.repeat(72)}`,
  'transactions, 200': (rows) => `transactions?size=200&next=${hex8(middle(rows))}01${'0'.repeat(72)}`,
  'unspent, 200': (rows) => `transactions/unspent?size=200&next=${hex8(middle(rows))}${'0'.repeat(72)}`,
};

function middle(rows: number): number {
  return Math.floor(rows / PER_BLOCK / 2);
}

type Ask = (path: string) => Promise<void>;

function apiOf(store: Store): Ask {
  const entryAt = (height: number) => ({ hash: NULL_HASH, height, time: height, medianTimePast: () => height });
  const modules = {
    chain: { params, tip: entryAt(1), entryAt, state: store },
    rows: { view: store, position: undefined },
    perTip: new TipCache(() => NULL_HASH),
    clock: { now: () => 0, seconds: () => 0 },
  };
  const api = new OceanApi(modules as unknown as OceanModules, oceanRoutes, { log: silentLogger, metrics: { answered() {} } });
  return async (path) => {
    const { status } = await api.answer({ method: 'GET', target: `/v0/regtest/address/${address}/${path}`, body: async () => undefined });
    assert.equal(status, 200);
  };
}

/** Indexes the coins of a block whose coinbase pays to as many scripts as it has outputs. */
function indexing(store: Store): (round: number) => void {
  const vout = Array.from({ length: BLOCK_OUTPUTS }, (_, i) => {
    const scriptPubKey = Buffer.from(script);
    scriptPubKey.writeUInt32BE(i, 2);
    return { value: 1n, scriptPubKey, tokenId: 0 };
  });
  return (round) => {
    const vin = [{ prevout: NULL_OUTPOINT, scriptSig: Buffer.from([round]), sequence: 0, witness: [] }];
    const tx = makeTransaction({ version: 4, vin, vout, lockTime: 0 }, params.txFormat);
    const event = { block: { transactions: [tx] }, entry: { height: LARGE }, spent: [] } as unknown as ChainEvent;
    const steps = addScripts(new Overlay(store), indexedBlock(event, store, params));
    if (steps) finish(steps);
  };
}

/** A store with that many outputs of the script, half of them spent. */
async function filled(directory: string, rows: number): Promise<RocksStore> {
  const store = await RocksStore.open(directory, oceanColumns);
  const id = scriptId(script);
  for (let from = 0; from < rows; from += BATCH) {
    const batch = new Overlay(store);
    for (let i = from; i < Math.min(rows, from + BATCH); i++) {
      const txid = Buffer.alloc(32, i % 251) as Uint8Array as Hash256;
      Buffer.from(txid.buffer, txid.byteOffset).writeUInt32BE(i, 0);
      const output = { script: id, height: Math.floor(i / PER_BLOCK), txid, vout: 0 };
      const amount = { value: 1_000n, tokenId: 0 };
      batch.putNew(scriptActivities, { ...output, type: 'vout' }, { ...amount, spentBy: undefined });
      if (i % 2 === 0) batch.putNew(scriptUnspents, output, amount);
      else batch.putNew(scriptActivities, { ...output, type: 'vin' }, { ...amount, spentBy: txid });
    }
    store.writeRows(batch.rowChanges());
  }
  const totals = new Overlay(store);
  totals.put(scriptTotals, id, { height: 1, received: rows, spent: rows >> 1, receivedAmount: 1n, spentAmount: 0n });
  store.writeRows(totals.rowChanges());
  return store;
}
