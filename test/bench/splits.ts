import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chainColumns } from '../../src/chain/database.js';
import { undoLogs } from '../../src/chain/records.js';
import { accountBalances } from '../../src/dfi/accounts/columns.js';
import { attributes } from '../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../src/dfi/attributes/path.js';
import { BlockHistory } from '../../src/dfi/context/history.js';
import { dfiColumns } from '../../src/dfi/execution/all-columns.js';
import { executeSplits } from '../../src/dfi/splits/execute.js';
import { addMinted } from '../../src/dfi/tokens/minted.js';
import { COIN } from '../../src/primitives/amount.js';
import { Overlay } from '../../src/storage/overlay.js';
import { RocksStore } from '../../src/storage/rocks.js';
import { bigParams } from './data/big-block.js';
import { DFI, FIRST_ASSET, putMarket } from './data/big-market.js';
import { ownerScript } from './data/big-state.js';

const HOLDERS = Number(process.env.BENCH_HOLDERS ?? 20_000);
const HEIGHT = 1_000;

async function filledStore(directory: string, holders: number): Promise<RocksStore> {
  const store = await RocksStore.open(directory, [...chainColumns, ...dfiColumns]);
  const view = new Overlay(store);
  putMarket(view, { height: HEIGHT - 1, time: 1_700_000_000 });
  view.put(attributes, attributeAt(`v0/locks/token/${FIRST_ASSET}`), { kind: 'bool', value: true });
  for (let n = 0; n < holders; n++) {
    for (const tokenId of [DFI, FIRST_ASSET]) view.put(accountBalances, { owner: ownerScript(n, holders), tokenId }, COIN);
  }
  addMinted(view, { tokenId: FIRST_ASSET, amount: BigInt(holders) * COIN });
  store.write(view.changes());
  return store;
}

/** Splits a token that every owner holds, with its history, undo record and write. */
function split(store: RocksStore): void {
  const view = new Overlay(store);
  const history = new BlockHistory(HEIGHT, bigParams, true);
  const creation = { tokenId: FIRST_ASSET, multiplier: { value: 2n, isFraction: false }, token: Buffer.alloc(32, 0xf7), pools: [] };
  const block = { height: HEIGHT, time: 1_700_000_000, blockHash: Buffer.alloc(32, 9), transactions: [], params: bigParams };
  const lookups = { coin: () => undefined, blockTime: () => undefined };
  executeSplits({ ...block, ...lookups, view, history, splits: [creation] }, [creation]);
  if (view.changedKeys(accountBalances).length === 0) throw new Error('the split failed');
  history.write(view);
  view.put(undoLogs, block.blockHash, view.undo());
  store.write(view.changes());
}

/** Memory and time of a token split by the number of holders; most of the memory is the block's own changes. */
export async function run(): Promise<void> {
  for (const holders of [HOLDERS / 10, HOLDERS]) {
    const directory = mkdtempSync(join(tmpdir(), 'splits-'));
    const store = await filledStore(directory, holders);
    global.gc?.();
    const before = process.memoryUsage().rss;
    const cpu = process.cpuUsage();
    split(store);
    const { user, system } = process.cpuUsage(cpu);
    const grown = process.memoryUsage().rss - before;
    console.log(
      `splits: ${holders} holders: ${Math.round((user + system) / 1_000)} ms of processor time, ${Math.round(grown / holders)} bytes of memory each`,
    );
    await store.close();
    rmSync(directory, { recursive: true });
  }
}
