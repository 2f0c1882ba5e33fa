import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { consolidateRewards } from '../../../src/app/consolidation.js';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { chainColumns } from '../../../src/chain/database.js';
import { Accounts, balanceOf } from '../../../src/dfi/accounts/columns.js';
import { dfiColumns } from '../../../src/dfi/execution/all-columns.js';
import { putNewPool, setShare } from '../../../src/dfi/pools/columns.js';
import { liquidityHistory, rewardHistory } from '../../../src/dfi/pools/history-columns.js';
import { putToken, TokenFlag } from '../../../src/dfi/tokens/columns.js';
import { networkParams } from '../../../src/params/index.js';
import { NULL_HASH } from '../../../src/primitives/hash.js';
import { SnapshotSource } from '../../../src/snapshot/source.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { extend } from '../../chains/block-builder.js';

const POOL = 3;
const [HOLDER, OTHER] = [Uint8Array.of(0x51), Uint8Array.of(0x52)];

let chain: Chain;

/** Chain of ten blocks with a pool that has paid 500 satoshis a block to each of its two providers. */
function newChain(grandCentral = 1): Chain {
  const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true, upgradeHeights: { grandCentral } });
  const made = new Chain(
    { params },
    { store: new MemoryStore(), blocks: new MemoryBlocks(), clock: new FixedClock(1_600_000_000), log: silentLogger },
  );
  extend(made, 9);
  const view = new Overlay(made.state);
  const token = { name: '', decimal: 8, limit: 0n, minted: 0n, creationTx: NULL_HASH, destructionTx: NULL_HASH };
  const heights = { creationHeight: 0, destructionHeight: -1 };
  putToken(view, POOL, { ...token, ...heights, symbol: 'A-B', flags: TokenFlag.dat | TokenFlag.poolShare });
  putToken(view, 4, { ...token, ...heights, symbol: 'C', flags: TokenFlag.dat });
  const terms = { tokenA: 1, tokenB: 2, commission: 0n, owner: Uint8Array.of(0x53), status: true };
  putNewPool(view, POOL, { ...terms, creationTx: NULL_HASH, creationHeight: 0, rewards: [] });
  view.put(liquidityHistory, { pool: POOL, height: 0 }, 1_000n);
  view.put(rewardHistory, { pool: POOL, height: 0 }, 5_000n);
  for (const owner of [HOLDER, OTHER]) {
    new Accounts(view).add(owner, { tokenId: POOL, amount: 100n });
    setShare(view, POOL, owner, 1);
  }
  new Accounts(view).add(OTHER, { tokenId: 4, amount: 1n });
  made.amendTip(view);
  extend(made, 1);
  return made;
}

beforeEach(() => {
  chain = newChain();
});

async function consolidate(...consolidatedTokens: string[]): Promise<void> {
  const config = { chain: { consolidatedTokens } };
  const lifecycle = { interrupt: new AbortController().signal };
  await consolidateRewards(chain, { config, log: silentLogger, lifecycle }, { setWarmup: () => {} });
}

const balances = (): bigint[] => [HOLDER, OTHER].map((owner) => balanceOf(chain.state, owner, 0));

function source(height?: number): Promise<SnapshotSource> {
  return SnapshotSource.at(chain.snapshot(), [...chainColumns, ...dfiColumns], { height, options: [] });
}

for (const { symbols, expected } of [
  { symbols: ['A-B'], expected: [4_500n, 4_500n] },
  { symbols: ['C'], expected: [0n, 4_500n] },
  { symbols: ['C', ''], expected: [4_500n, 4_500n] },
  { symbols: [], expected: [0n, 0n] },
]) {
  test(`the holders of ${symbols.map((symbol) => symbol || 'anything').join(' and ') || 'nothing'}`, async () => {
    await consolidate(...symbols);
    assert.deepEqual(balances(), expected);
  });
}

test('an unknown token stops the start', async () => {
  await assert.rejects(consolidate('C', 'nothing'), { name: 'ConfigError', message: 'Invalid token "nothing" for reward consolidation.' });
});

test('nothing is done below Grand Central', async () => {
  chain = newChain(11);
  await consolidate('');
  assert.deepEqual(balances(), [0n, 0n]);
  await source();
});

test('no snapshot is exported from there on, but below and after the tip was disconnected', async () => {
  const before = (await source()).digest();
  await consolidate('');
  await assert.rejects(source(), { message: /^the state of height 10 is not that of other nodes, .* at height 10$/ });
  assert.equal((await source(9)).header.height, 9);
  extend(chain, 2);
  await assert.rejects(source(11), { message: /^the state of height 11 .* at height 10$/ });
  const tenth = chain.entryAt(10);
  assert.ok(tenth);
  chain.invalidate(tenth);
  assert.deepEqual(balances(), [0n, 0n]);
  chain.reconsider(tenth);
  assert.equal(chain.tip.height, 12);
  assert.deepEqual(await (await source(10)).digest(), await before);
});
