import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chainColumns } from '../../src/chain/database.js';
import { Accounts } from '../../src/dfi/accounts/columns.js';
import { BlockHistory } from '../../src/dfi/context/history.js';
import { dfiColumns } from '../../src/dfi/execution/all-columns.js';
import { putNewPool, setShare } from '../../src/dfi/pools/columns.js';
import { liquidityHistory, rewardHistory } from '../../src/dfi/pools/history-columns.js';
import { networkParams } from '../../src/params/index.js';
import { NULL_HASH } from '../../src/primitives/hash.js';
import { Paging } from '../../src/rpc/paging.js';
import { scriptOf } from '../../src/script/address.js';
import { listAccountHistory } from '../../src/services/accounts/history/history.js';
import { HotStore } from '../../src/storage/hot-store.js';
import { Overlay } from '../../src/storage/overlay.js';
import { RocksStore } from '../../src/storage/rocks.js';
import { toHex } from '../../src/util/bytes.js';
import { committedCatalogue } from '../rpc/catalogue.js';
import { jsonRpcCall } from '../rpc/json-rpc-call.js';

const BLOCKS = Number(process.env.BENCH_BLOCKS ?? 1_000_000);
const POOLS = 5;
const PAGE = 100;
const LAST_PAGE = 1_000;
const ROUNDS = 5;
const owner = scriptOf({ type: 'wpkh', hash: new Uint8Array(20).fill(1) });
const params = networkParams({ network: 'regtest', upgradeHeights: { bayfrontGardens: 0 } });

/** Processor time of pages of an account's history with rewards of each block, for two intervals of its records. */
export async function run(): Promise<void> {
  for (const every of [1_000, 20]) {
    const directory = mkdtempSync(join(tmpdir(), 'dfi-history-'));
    const store = await filled(directory, every);
    try {
      await timePages(store, every);
    } finally {
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    }
  }
}

async function timePages(store: HotStore, every: number): Promise<void> {
  const operation = committedCatalogue().byName('listaccounthistory');
  if (!operation) throw new Error('there is no listaccounthistory');
  const paging = new Paging(operation);
  const tip = { height: BLOCKS };
  const modules = { chain: { params, tip, entryAt: () => undefined, state: store, snapshot: () => store.snapshot() }, keepsHistory: true };
  const owners = { form: { $case: 'owner', value: toHex(owner) } };
  const list = (request: object) => listAccountHistory(modules as never, request as never, jsonRpcCall);
  let page = '';
  const times = new Map<number, number>();
  for (let number = 1; number <= LAST_PAGE; number++) {
    const wanted = [1, 10, 100, LAST_PAGE].includes(number);
    const before = process.cpuUsage();
    let answer = {} as { readonly next?: string };
    const rounds = wanted ? ROUNDS : 1;
    const ask = () => paging.answer({ owner: owners, limit: BigInt(PAGE), page }, jsonRpcCall, list as never);
    for (let round = 0; round < rounds; round++) answer = await ask();
    const { user, system } = process.cpuUsage(before);
    if (wanted) times.set(number, (user + system) / 1e3 / rounds);
    page = answer.next ?? '';
  }
  const shown = [...times].map(([number, ms]) => `page ${number} ${ms.toFixed(1)} ms`);
  console.log(`${BLOCKS} blocks, ${POOLS} pools, a record every ${every} blocks: ${shown.join(', ')}`);
}

async function filled(directory: string, every: number): Promise<HotStore> {
  const columns = [...chainColumns, ...dfiColumns];
  const store = new HotStore(await RocksStore.open(directory, columns), { columns: dfiColumns, maxBytes: 32 * 2 ** 20 });
  const view = new Overlay(store);
  for (let pool = 1; pool <= POOLS; pool++) {
    const terms = {
      tokenA: 10,
      tokenB: 10 + pool,
      commission: 0n,
      owner,
      status: true,
      creationTx: NULL_HASH,
      creationHeight: 1,
      rewards: [],
    };
    putNewPool(view, pool, terms);
    view.put(liquidityHistory, { pool, height: 1 }, 10_000_000_000n);
    view.put(rewardHistory, { pool, height: 1 }, 123_456_789n);
    new Accounts(view).add(owner, { tokenId: pool, amount: 1_234_567_890n });
    setShare(view, pool, owner, 1);
  }
  for (let height = every; height < BLOCKS; height += every) {
    const history = new BlockHistory(height, params, true);
    history.add([[owner, [{ tokenId: 1, amount: 1n }]]], { txid: Buffer.alloc(32, 5), category: 66, txn: 1 });
    history.write(view);
  }
  store.write(view.changes());
  return store;
}
