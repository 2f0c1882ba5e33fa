import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chainColumns } from '../../src/chain/database.js';
import { accountBalances, materialisedHeights } from '../../src/dfi/accounts/columns.js';
import {
  burnHistory,
  burnTotals,
  type HistoryCountKey,
  historyByHeight,
  historyByOwner,
  historyCounts,
} from '../../src/dfi/accounts/history-columns.js';
import { dfiColumns } from '../../src/dfi/execution/all-columns.js';
import { KnownRewards } from '../../src/dfi/rewards/known-rewards.js';
import { networkParams } from '../../src/params/index.js';
import { encode } from '../../src/primitives/codec.js';
import { NULL_HASH } from '../../src/primitives/hash.js';
import type { CallContext } from '../../src/rpc/handler.js';
import { Op } from '../../src/script/opcodes.js';
import { buildScript } from '../../src/script/script.js';
import { getAccount, listAccounts } from '../../src/services/accounts/balances/balances.js';
import { getBurnInfo, listBurnHistory } from '../../src/services/accounts/burns.js';
import { accountHistoryCount, getAccountHistory, listAccountHistory } from '../../src/services/accounts/history/history.js';
import { HotStore } from '../../src/storage/hot-store.js';
import { RocksStore } from '../../src/storage/rocks.js';
import type { Column, RawChange } from '../../src/storage/view.js';
import { toHex } from '../../src/util/bytes.js';

const SIZES = [1_000, Number(process.env.BENCH_ROWS ?? 1_000_000)] as const;
const ROWS_OF_BLOCK = 100;
const ROUNDS = 60;
const params = networkParams({ network: 'regtest', upgradeHeights: { amk: 1, bayfront: 1, eunos: 1 } });
const call: CallContext = {
  dialect: 'json-rpc',
  requestId: 'bench',
  user: undefined,
  wallet: undefined,
  signal: new AbortController().signal,
};

function owner(n: number): Uint8Array {
  const hash = Buffer.alloc(20);
  hash.writeUInt32BE(Math.imul(n + 1, 0x9e3779b1) >>> 0);
  return buildScript(Op.ZERO, hash);
}

function put<K, V>(column: Column<K, V>, key: K, value: V): RawChange {
  return { column: column.name, key: encode(column.key, key), value: encode(column.value, value) };
}

/** One account, history record and burn record for each row, and the totals of all. */
function* state(rows: number): Generator<RawChange> {
  const record = { txid: NULL_HASH, category: 'B'.charCodeAt(0), differences: [{ tokenId: 0, amount: 5n }] };
  const counts = (of: Uint8Array | undefined, count: number) =>
    [undefined, 0].map((tokenId) => put(historyCounts, { owner: of, category: record.category, tokenId } satisfies HistoryCountKey, count));
  for (let n = 0; n < rows; n++) {
    const key = { owner: owner(n), height: 1 + Math.floor(n / ROWS_OF_BLOCK), txn: n % ROWS_OF_BLOCK };
    yield put(accountBalances, { owner: key.owner, tokenId: 0 }, 5n);
    yield put(materialisedHeights, key.owner, key.height);
    yield put(historyByOwner, key, record);
    yield put(historyByHeight, key, 0);
    yield put(burnHistory, { ...key, owner: params.scripts.burn }, record);
    yield* counts(key.owner, 1);
  }
  yield* counts(undefined, rows);
  yield put(burnTotals, { category: record.category, tokenId: 0 }, { net: 5n * BigInt(rows), burnt: 5n * BigInt(rows) });
}

function write(store: HotStore, changes: Iterable<RawChange>): void {
  let batch: RawChange[] = [];
  for (const change of changes) {
    batch.push(change);
    if (batch.length < 50_000) continue;
    store.write(batch);
    batch = [];
  }
  store.write(batch);
}

type Modules = Parameters<typeof getAccount>[0];

/** Operations, each asked for the n-th owner or page. */
const operations: Readonly<Record<string, (modules: Modules, n: number) => unknown>> = {
  getaccount: (modules, n) => getAccount(modules, { owner: toHex(owner(n)) } as never, call),
  'listaccounts, page of 100': (modules, n) => listAccounts(modules, { start: `${toHex(owner(n))}@0`, limit: 100n } as never, call),
  'listaccounthistory all, page of 100': (modules) => listAccountHistory(modules, { ...ALL, limit: 100n } as never, call),
  'listaccounthistory of an owner': (modules, n) => listAccountHistory(modules, of(n), call),
  getaccounthistory: (modules, n) =>
    getAccountHistory(
      modules,
      { owner: toHex(owner(n)), blockheight: 1 + Math.floor(n / ROWS_OF_BLOCK), txn: n % ROWS_OF_BLOCK } as never,
      call,
    ),
  'accounthistorycount all': (modules) => accountHistoryCount(modules, ALL as never, call),
  'accounthistorycount of an owner': (modules, n) => accountHistoryCount(modules, of(n), call),
  getburninfo: (modules) => getBurnInfo(modules, {}, call),
  'listburnhistory, page of 100': (modules) => listBurnHistory(modules, { limit: 100n } as never, call),
};

const ALL = { owner: { form: { $case: 'owner', value: 'all' } } };
const of = (n: number) => ({ owner: { form: { $case: 'owner', value: toHex(owner(n)) } } }) as never;

/** Microseconds of processor time for each operation: the median of calls for different owners. */
async function timesAt(rows: number): Promise<ReadonlyMap<string, number>> {
  const directory = mkdtempSync(join(tmpdir(), 'growth-'));
  const store = new HotStore(await RocksStore.open(directory, [...chainColumns, ...dfiColumns]), {
    columns: dfiColumns,
    maxBytes: 32 * 2 ** 20,
  });
  try {
    write(store, state(rows));
    const tip = { height: Math.ceil(rows / ROWS_OF_BLOCK), ancestor: () => undefined };
    const chain = { params, tip, entryAt: () => undefined, state: store, snapshot: () => store.snapshot() };
    const modules = { chain, keepsHistory: true, knownRewards: new KnownRewards() } as unknown as Modules;
    const times = new Map<string, number>();
    for (const [name, ask] of Object.entries(operations)) {
      const taken: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const before = process.cpuUsage();
        await ask(modules, Math.floor(((round + 0.5) * rows) / ROUNDS));
        const { user, system } = process.cpuUsage(before);
        taken.push(user + system);
      }
      times.set(name, taken.sort((a, b) => a - b)[ROUNDS >> 1] as number);
    }
    return times;
  } finally {
    await store.close();
    rmSync(directory, { recursive: true });
  }
}

/** Reads of accounts and their history at two sizes of the state. */
export async function run(): Promise<void> {
  const [few, many] = SIZES;
  // The code is compiled by then.
  await timesAt(few);
  const [small, large] = [await timesAt(few), await timesAt(many)];
  for (const [name, us] of small) {
    const other = large.get(name) as number;
    console.log(`${name.padEnd(36)} ${us} us at ${few} rows, ${other} us at ${many}, ratio ${(other / us).toFixed(2)}`);
  }
}
