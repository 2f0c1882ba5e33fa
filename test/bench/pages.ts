import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coins } from '../../src/chain/coins.js';
import { type Token, TokenFlag, tokenCreations, tokenSymbols, tokens } from '../../src/dfi/tokens/columns.js';
import { type Vault, vaults } from '../../src/dfi/vaults/columns.js';
import { networkParams } from '../../src/params/index.js';
import { encode } from '../../src/primitives/codec.js';
import { formatHash, NULL_HASH } from '../../src/primitives/hash.js';
import { getToken, listTokens } from '../../src/services/node/tokens/tokens.js';
import { getVault, listVaults } from '../../src/services/vaults/vaults.js';
import { HotStore } from '../../src/storage/hot-store.js';
import { RocksStore } from '../../src/storage/rocks.js';
import type { Column, RawChange } from '../../src/storage/view.js';
import { jsonRpcCall } from '../rpc/json-rpc-call.js';

const SMALL = 1_000;
const LARGE = 1_000_000;
const BATCH = 50_000;
const PAGE = 100;
const ROUNDS = 9;
const CALLS = 20;
const params = networkParams({ network: 'regtest' });

interface Sized {
  readonly rows: number;
  readonly store: HotStore;
}

/** CPU time of a page of 100 rows, and of one row, on disk: with 1,000,000 rows in ratio to 1,000. */
export async function run(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'dfi-pages-'));
  const sized: Sized[] = [];
  try {
    for (const rows of [SMALL, LARGE]) sized.push({ rows, store: await filled(join(directory, String(rows)), rows) });
    for (const [name, call] of Object.entries(CASES)) {
      const [small = 0, large = 0] = await medians(sized.map((each) => (i: number) => call(each, i)));
      console.log(`${name.padEnd(12)} ${SMALL} rows ${micros(small)}, ${LARGE} rows ${micros(large)}, ratio ${(large / small).toFixed(2)}`);
    }
  } finally {
    for (const { store } of sized) await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

const micros = (seconds: number): string => `${(seconds * 1e6).toFixed(0).padStart(6)} us`;

/** Rows spread over the whole column, so that they are not the same for every call. */
const spread = (rows: number, i: number): number => (i * 7_919) % (rows - PAGE);

const CASES: Readonly<Record<string, (sized: Sized, i: number) => unknown>> = {
  listtokens: ({ store, rows }, i) => listTokens(modules(store), { start: BigInt(spread(rows, i)), limit: BigInt(PAGE) }, jsonRpcCall),
  gettoken: ({ store, rows }, i) => getToken(modules(store), { key: String(spread(rows, i)) }, jsonRpcCall),
  listvaults: ({ store, rows }, i) =>
    listVaults(modules(store), { start: formatHash(vaultId(spread(rows, i))), limit: BigInt(PAGE) }, jsonRpcCall),
  getvault: ({ store, rows }, i) => getVault(modules(store), { vaultid: formatHash(vaultId(spread(rows, i))) }, jsonRpcCall),
};

function modules(store: HotStore) {
  const tip = { height: 1_000, time: 1_600_000_000 };
  return { chain: { params, tip, state: store, snapshot: () => store.snapshot() } } as never;
}

/** Ascending by number: a column of this order can be asked for any page. */
function vaultId(n: number): Uint8Array {
  const id = Buffer.alloc(32, 7);
  id.writeUInt32BE(n, 0);
  return id;
}

async function filled(directory: string, rows: number): Promise<HotStore> {
  const columns = [coins, tokens, tokenSymbols, tokenCreations, vaults];
  const store = new HotStore(await RocksStore.open(directory, columns as never), { columns: columns as never, maxBytes: 32 * 2 ** 20 });
  for (let from = 0; from < rows; from += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, rows - from) }, (_, i) => from + i);
    store.write(numbers.flatMap(rowsOf));
  }
  return store;
}

function rowsOf(n: number): RawChange[] {
  const names = { symbol: `T${n}`, name: `Token ${n}`, decimal: 8, limit: 0n, flags: TokenFlag.tradeable };
  const heights = { creationHeight: 1, destructionHeight: -1 };
  const token: Token = { ...names, ...heights, minted: 0n, creationTx: vaultId(n), destructionTx: NULL_HASH };
  const vault: Vault = { owner: new Uint8Array(22).fill(n), scheme: 'C150', isUnderLiquidation: false };
  return [change(tokens, n, token), change(vaults, vaultId(n), vault)];
}

function change<K, V>(column: Column<K, V>, key: K, value: V): RawChange {
  return { column: column.name, key: encode(column.key, key), value: encode(column.value, value) };
}

/** Medians of the CPU time of a call, in seconds. Other work on the machine distorts single measurements, so the cases take turns. */
async function medians(calls: readonly ((i: number) => unknown)[]): Promise<number[]> {
  const times = calls.map((): number[] => []);
  for (let round = 0, i = 0; round < ROUNDS; round++) {
    for (const [at, call] of calls.entries()) {
      const start = process.cpuUsage();
      for (let n = 0; n < CALLS; n++) await call(i++);
      const { user, system } = process.cpuUsage(start);
      times[at]?.push((user + system) / 1e6 / CALLS);
    }
  }
  return times.map((list) => list.sort((a, b) => a - b)[ROUNDS >> 1] as number);
}
