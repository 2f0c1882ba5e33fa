import { Accounts } from '../../../../src/dfi/accounts/columns.js';
import { putNewPool, setShare } from '../../../../src/dfi/pools/columns.js';
import {
  customRewardHistory,
  liquidityHistory,
  loanRewardHistory,
  type PoolHeight,
  rewardHistory,
  swapHistory,
} from '../../../../src/dfi/pools/history-columns.js';
import type { NetworkParams } from '../../../../src/params/network.js';
import { NULL_HASH } from '../../../../src/primitives/hash.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { Overlay } from '../../../../src/storage/overlay.js';
import type { Column } from '../../../../src/storage/view.js';
import { fc } from '../../../property.js';
import { heights, script } from '../fixture.js';

export const POOL = 7;
export const owner = script(1);
export const END = 60;

/** Entries of one history by height. */
export type Entries<V> = ReadonlyMap<number, V>;

export interface Story {
  readonly liquidity: Entries<bigint>;
  readonly reward: Entries<bigint>;
  readonly loan: Entries<bigint>;
  readonly swap: Entries<{ swapped: boolean; commissionA: bigint; commissionB: bigint }>;
  readonly custom: Entries<{ tokenId: number; amount: bigint }[]>;
  readonly shares: bigint;
  /** Initial DFI balance of the owner; a large one may overflow. */
  readonly coins: bigint;
  readonly since: number;
  readonly gardens: number;
  readonly grandCentral: number;
}

function put<V>(view: Overlay, column: Column<PoolHeight, V>, entries: Entries<V>): void {
  for (const [height, value] of entries) view.put(column, { pool: POOL, height }, value);
}

export function tell(story: Story): Overlay {
  const view = new Overlay(new MemoryStore());
  const terms = { tokenA: 1, tokenB: 2, commission: 0n, owner: script(9), status: true };
  putNewPool(view, POOL, { ...terms, creationTx: NULL_HASH, creationHeight: 1, rewards: [] });
  put(view, liquidityHistory, story.liquidity);
  put(view, rewardHistory, story.reward);
  put(view, loanRewardHistory, story.loan);
  put(view, swapHistory, story.swap);
  put(view, customRewardHistory, story.custom);
  new Accounts(view).addAll(owner, [
    { tokenId: 0, amount: story.coins },
    { tokenId: POOL, amount: story.shares },
  ]);
  setShare(view, POOL, owner, story.since);
  return view;
}

const height = fc.integer({ min: 0, max: END });
const amount = fc.bigInt({ min: 0n, max: 5_000_000_000n });
function entries<V>(value: fc.Arbitrary<V>): fc.Arbitrary<Entries<V>> {
  return fc.array(fc.tuple(height, value), { maxLength: 8 }).map((list) => new Map(list));
}
const custom = fc
  .uniqueArray(fc.record({ tokenId: fc.constantFrom(0, 1, POOL, 9), amount: fc.bigInt({ min: 1n, max: 1_000n }) }), {
    selector: ({ tokenId }) => tokenId,
    maxLength: 3,
  })
  .map((list) => [...list].sort((a, b) => a.tokenId - b.tokenId));
export const story: fc.Arbitrary<Story> = fc.record({
  liquidity: entries(fc.oneof(fc.constant(0n), fc.bigInt({ min: 1_000_000n, max: 2_000_000n }))).map(
    (more) => new Map([[0, 1_500_000n], ...more]),
  ),
  reward: entries(amount),
  loan: entries(amount),
  swap: entries(fc.record({ swapped: fc.boolean(), commissionA: amount, commissionB: amount })),
  custom: entries(custom),
  shares: fc.bigInt({ min: 1n, max: 1_000_000n }),
  coins: fc.oneof(
    fc.constant(5n),
    fc.bigInt({ min: 0n, max: 40_000_000_000n }).map((room) => 2n ** 63n - 1n - room),
  ),
  since: fc.integer({ min: 0, max: 30 }),
  gardens: fc.integer({ min: 0, max: END }),
  grandCentral: fc.integer({ min: 0, max: END + 10 }),
});

export function paramsOf({ gardens, grandCentral }: Pick<Story, 'gardens' | 'grandCentral'>): NetworkParams {
  return heights({ bayfrontGardens: gardens, grandCentral });
}
