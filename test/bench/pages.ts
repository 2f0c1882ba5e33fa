import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coins } from '../../src/chain/coins.js';
import { accountBalances } from '../../src/dfi/accounts/columns.js';
import { dfiColumns } from '../../src/dfi/execution/all-columns.js';
import { masternodes } from '../../src/dfi/masternodes/columns.js';
import { type Oracle, oracles } from '../../src/dfi/oracles/columns.js';
import { type PoolTerms, poolHoldings, poolTerms, shareHeights } from '../../src/dfi/pools/columns.js';
import { type Proposal, ProposalStatus, ProposalType, proposals } from '../../src/dfi/proposals/columns.js';
import { type Token, TokenFlag, tokens } from '../../src/dfi/tokens/columns.js';
import { type Vault, vaults } from '../../src/dfi/vaults/columns.js';
import { networkParams } from '../../src/params/index.js';
import { encode } from '../../src/primitives/codec.js';
import { formatHash, NULL_HASH } from '../../src/primitives/hash.js';
import { getMasternode, listMasternodes } from '../../src/services/node/masternodes/masternodes.js';
import { getToken, listTokens } from '../../src/services/node/tokens/tokens.js';
import { getOracleData, listOracles } from '../../src/services/oracles/oracles.js';
import { listPoolShares } from '../../src/services/pools/shares.js';
import { getGovProposal, listGovProposals } from '../../src/services/proposals/proposals.js';
import { getVault, listVaults } from '../../src/services/vaults/vaults.js';
import { HotStore } from '../../src/storage/hot-store.js';
import { RocksStore } from '../../src/storage/rocks.js';
import type { Column, RawChange } from '../../src/storage/view.js';
import { masternodeOf } from '../masternode.js';
import { jsonRpcCall } from '../rpc/json-rpc-call.js';
import { medians, micros } from './measure/medians.js';

const SMALL = 1_000;
const LARGE = Number(process.env.BENCH_ROWS ?? 1_000_000);
const BATCH = 50_000;
const PAGE = 100;
const params = networkParams({ network: 'regtest' });

interface Sized {
  readonly rows: number;
  readonly store: HotStore;
}

interface Filled extends Sized {
  readonly disk: RocksStore;
}

/**
 * CPU time of a page of 100 rows, and of one row: with 1,000,000 rows in ratio to 1,000. First each page is read from disk and decoded at
 * both sizes. Then rows may be in memory as in the daemon, where all 1,000 rows are and the pages asked of the 1,000,000 are not.
 */
export async function run(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'dfi-pages-'));
  const stores: Filled[] = [];
  try {
    for (const rows of [SMALL, LARGE]) stores.push(await filled(join(directory, String(rows)), rows));
    const decoding = stores.map(({ rows, disk }) => ({ rows, store: new HotStore(disk, { columns: [], maxBytes: 0 }) }));
    for (const [title, sized] of [
      ['read and decoded at both sizes', decoding],
      ['with rows in memory', stores],
    ] as const) {
      console.log(title);
      for (const [name, call] of Object.entries(CASES)) {
        const [small = 0, large = 0] = await medians(sized.map((each) => (i: number) => call(each, i)));
        const ratio = (large / small).toFixed(2);
        console.log(`  ${name.padEnd(16)} ${SMALL} rows ${micros(small)}, ${LARGE} rows ${micros(large)}, ratio ${ratio}`);
      }
    }
  } finally {
    for (const { store } of stores) await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Rows spread over the whole column, so that they are not the same for every call. */
const spread = (rows: number, i: number): number => (i * 7_919) % (rows - PAGE);

const CASES: Readonly<Record<string, (sized: Sized, i: number) => unknown>> = {
  listtokens: ({ store, rows }, i) => listTokens(modules(store), { start: BigInt(spread(rows, i)), limit: BigInt(PAGE) }, jsonRpcCall),
  gettoken: ({ store, rows }, i) => getToken(modules(store), { key: String(spread(rows, i)) }, jsonRpcCall),
  listvaults: ({ store, rows }, i) =>
    listVaults(modules(store), { start: formatHash(vaultId(spread(rows, i))), limit: BigInt(PAGE) }, jsonRpcCall),
  listmasternodes: ({ store, rows }, i) =>
    listMasternodes(modules(store), { start: formatHash(vaultId(spread(rows, i))), limit: BigInt(PAGE) }, jsonRpcCall),
  getmasternode: ({ store, rows }, i) => getMasternode(modules(store), { mnId: formatHash(vaultId(spread(rows, i))) }, jsonRpcCall),
  listpoolshares: ({ store }) => listPoolShares(modules(store), { limit: BigInt(PAGE) } as never, jsonRpcCall),
  listoracles: ({ store, rows }, i) =>
    listOracles(modules(store), { start: formatHash(vaultId(spread(rows, i))), limit: BigInt(PAGE) } as never, jsonRpcCall),
  getoracledata: ({ store, rows }, i) => getOracleData(modules(store), { oracleid: formatHash(vaultId(spread(rows, i))) }, jsonRpcCall),
  listgovproposals: ({ store, rows }, i) =>
    listGovProposals(
      modules(store),
      { pagination: { start: formatHash(vaultId(spread(rows, i))), limit: BigInt(PAGE) } } as never,
      jsonRpcCall,
    ),
  getgovproposal: ({ store, rows }, i) => getGovProposal(modules(store), { proposalid: formatHash(vaultId(spread(rows, i))) }, jsonRpcCall),
  getvault: ({ store, rows }, i) => getVault(modules(store), { vaultid: formatHash(vaultId(spread(rows, i))) }, jsonRpcCall),
};

function modules(store: HotStore) {
  const tip = { height: 1_000, time: 1_600_000_000, hash: NULL_HASH };
  const minter = { masternodes: () => [] };
  const clock = { seconds: () => tip.time };
  return { chain: { params, tip, state: store, snapshot: () => store.snapshot(), entryAt: () => tip }, minter, clock } as never;
}

/** Ascending by number: a column of this order can be asked for any page. */
function vaultId(n: number): Uint8Array {
  const id = Buffer.alloc(32, 7);
  id.writeUInt32BE(n, 0);
  return id;
}

async function filled(directory: string, rows: number): Promise<Filled> {
  const disk = await RocksStore.open(directory, [coins, ...dfiColumns]);
  const store = new HotStore(disk, { columns: dfiColumns, maxBytes: 32 * 2 ** 20 });
  store.write([change(poolTerms, POOL, POOL_TERMS), change(poolHoldings, POOL, POOL_HOLDINGS)]);
  for (let from = 0; from < rows; from += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, rows - from) }, (_, i) => from + i);
    store.write(numbers.flatMap(rowsOf));
  }
  return { rows, store, disk };
}

const POOL = 2;
const SCRIPT = new Uint8Array(22).fill(3);
const POOL_TERMS: PoolTerms = {
  ...{ tokenA: 0, tokenB: 1, commission: 0n, owner: SCRIPT, status: true },
  ...{ creationTx: NULL_HASH, creationHeight: 1, rewards: [] },
};
const POOL_HOLDINGS = { reserveA: 5n, reserveB: 5n, totalLiquidity: 5_000n, commissionA: 0n, commissionB: 0n };
const MASTERNODE = masternodeOf({ mintedBlocks: 1, version: 0 });
const ORACLE: Oracle = { address: SCRIPT, weight: 1, pairs: [{ token: 'DFI', currency: 'USD' }], prices: [] };
const PROPOSAL: Proposal = {
  ...{ type: ProposalType.communityFund, address: SCRIPT, amount: 1n, cycles: 1, title: 'title', context: 'context', contextHash: '' },
  ...{ options: 0, creationHeight: 1, endHeight: 2_000, votingPeriod: 70, approvalThreshold: 5_000n, quorum: 100n, fee: 1n, feeBurn: 1n },
  ...{ status: ProposalStatus.voting, cycle: 1 },
};

function rowsOf(n: number): RawChange[] {
  const names = { symbol: `T${n}`, name: `Token ${n}`, decimal: 8, limit: 0n, flags: TokenFlag.tradeable };
  const heights = { creationHeight: 1, destructionHeight: -1 };
  const token: Token = { ...names, ...heights, minted: 0n, creationTx: vaultId(n), destructionTx: NULL_HASH };
  const vault: Vault = { owner: new Uint8Array(22).fill(n), scheme: 'C150', isUnderLiquidation: false };
  const owner = vaultId(n).subarray(0, 20);
  return [
    change(tokens, n, token),
    change(vaults, vaultId(n), vault),
    change(masternodes, vaultId(n), { ...MASTERNODE, ownerKey: owner, operatorKey: owner }),
    change(oracles, vaultId(n), ORACLE),
    change(proposals, vaultId(n), PROPOSAL),
    change(shareHeights, { pool: POOL, owner }, 1),
    change(accountBalances, { owner, tokenId: POOL }, 5n),
  ];
}

function change<K, V>(column: Column<K, V>, key: K, value: V): RawChange {
  return { column: column.name, key: encode(column.key, key), value: encode(column.value, value) };
}
