import { Accounts, balanceOf } from '../../src/dfi/accounts/columns.js';
import { putNewPool, setShare } from '../../src/dfi/pools/columns.js';
import { liquidityHistory, rewardHistory, swapHistory } from '../../src/dfi/pools/history-columns.js';
import { materialiseRewards } from '../../src/dfi/rewards/owner-rewards.js';
import { networkParams } from '../../src/params/index.js';
import { NULL_HASH } from '../../src/primitives/hash.js';
import { MemoryStore } from '../../src/storage/memory.js';
import { Overlay } from '../../src/storage/overlay.js';

const POOL = 7;
const BLOCKS = 20_000;
const ROUNDS = 25;
const owner = new Uint8Array(22).fill(1);
const params = networkParams({ network: 'regtest', upgradeHeights: { bayfrontGardens: 0 } });

/** A change in a pool, applied at intervals of blocks. */
type Change = (view: Overlay, height: number) => void;

const swap: Change = (view, height) => {
  view.put(swapHistory, { pool: POOL, height }, { swapped: true, commissionA: 1_000n + BigInt(height), commissionB: 0n });
  view.put(swapHistory, { pool: POOL, height: height + 1 }, { swapped: false, commissionA: 0n, commissionB: 0n });
};
const liquidity: Change = (view, height) => view.put(liquidityHistory, { pool: POOL, height }, 10_000_000_000n + BigInt(height));

/** A store with the pool's history, as bytes. */
function history(every: number, change?: Change): MemoryStore {
  const store = new MemoryStore();
  const view = new Overlay(store);
  const terms = { tokenA: 1, tokenB: 2, commission: 0n, owner, status: true, creationTx: NULL_HASH, creationHeight: 1, rewards: [] };
  putNewPool(view, POOL, terms);
  view.put(liquidityHistory, { pool: POOL, height: 1 }, 10_000_000_000n);
  view.put(swapHistory, { pool: POOL, height: 1 }, { swapped: false, commissionA: 0n, commissionB: 0n });
  view.put(rewardHistory, { pool: POOL, height: 1 }, 123_456_789n);
  new Accounts(view).add(owner, { tokenId: POOL, amount: 1_234_567_890n });
  setShare(view, POOL, owner, 1);
  for (let height = 1 + every; change && height <= BLOCKS; height += every) change(view, height);
  store.write(view.changes());
  return store;
}

/** Milliseconds that one materialisation of rewards takes: the fastest of several, because other work on the machine only adds time. */
function timed(store: MemoryStore): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const view = new Overlay(store);
    const start = performance.now();
    materialiseRewards(view, owner, { height: BLOCKS + 1, params });
    const took = performance.now() - start;
    if (balanceOf(view, owner, 0) === 0n) throw new Error('nothing was paid');
    return took;
  });
  return Math.min(...times);
}

/** Milliseconds for a plain sum over as many blocks: the floor of any loop over them. */
function loop(): number {
  const start = performance.now();
  let sum = 0n;
  for (let block = 0; block < BLOCKS; block++) sum += (123_456_789n * 1_234_567_890n) / (10_000_000_000n + BigInt(block & 1));
  return sum > 0n ? performance.now() - start : 0;
}

export function run(): void {
  const floor = Math.min(...Array.from({ length: ROUNDS }, loop));
  const cases = [
    { name: 'nothing changed', store: history(BLOCKS), limit: 1 },
    { name: 'swaps every 10 blocks', store: history(10, swap), limit: 20 },
    { name: 'other liquidity every 10 blocks', store: history(10, liquidity), limit: 20 },
  ];
  for (const { name, store, limit } of cases) {
    const ms = timed(store);
    const ratio = (ms / floor).toFixed(2);
    console.log(
      `rewards: ${BLOCKS} blocks, ${name}: ${ms.toFixed(2)} ms (at most ${limit}), bare loop over all blocks ${floor.toFixed(2)} ms, ratio ${ratio}`,
    );
  }
}
