import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockHistory } from '../../../../src/dfi/context/history.js';
import { PastRewards } from '../../../../src/dfi/rewards/queries.js';
import type { CallContext } from '../../../../src/rpc/handler.js';
import { Paging } from '../../../../src/rpc/paging.js';
import { listAccountHistory } from '../../../../src/services/accounts/history/history.js';
import { Overlay } from '../../../../src/storage/overlay.js';
import { toHex } from '../../../../src/util/bytes.js';
import { fc } from '../../../property.js';
import { committedCatalogue } from '../../../rpc/catalogue.js';
import { heights, script } from '../../dfi/fixture.js';
import { END, owner, POOL, story, tell } from '../../dfi/rewards/stories.js';

const call = { dialect: 'document', signal: new AbortController().signal } as CallContext;
const op = committedCatalogue().byName('listaccounthistory');
assert.ok(op);
const paging = new Paging(op);

interface Move {
  readonly height: number;
  readonly amount: bigint;
  readonly category: number;
  readonly other: boolean;
}

type Answer = { readonly records: readonly { readonly blockheight: number }[]; readonly next?: string };

const moves = fc.uniqueArray(
  fc.record({
    height: fc.integer({ min: 1, max: END }),
    amount: fc.bigInt({ min: -500_000n, max: 500_000n }),
    category: fc.constantFrom(66, 115),
    other: fc.boolean(),
  }),
  { selector: ({ height, other }) => `${height} ${other}`, maxLength: 12 },
) as fc.Arbitrary<readonly Move[]>;

const text = (value: unknown): string => JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each));

test('the pages of a history with rewards are the whole of it', async () => {
  const another = script(2);
  let rewards = 0;
  const options = { size: fc.integer({ min: 1, max: 40 }), txtype: fc.constantFrom(undefined, 'B'), both: fc.boolean() };
  await fc.assert(
    fc.asyncProperty(story, moves, fc.record(options), async (told, moved, { size, txtype, both }) => {
      const view = tell(told);
      for (const { height, amount, category, other } of moved) {
        const history = new BlockHistory(height, heights(), true);
        const differences = [{ tokenId: POOL, amount }];
        history.add([[other ? another : owner, differences]], { txid: Buffer.alloc(32, height), category, txn: 1 });
        history.write(view);
      }
      const upgrades = { bayfrontGardens: told.gardens, grandCentral: told.grandCentral };
      const tip = { height: END };
      const params = heights(upgrades);
      const snapshot = () => Object.assign(new Overlay(view), { close() {} });
      const modules = { chain: { params, tip, entryAt: () => undefined, state: view, snapshot }, keepsHistory: true } as never;
      const texts = [owner, another].map(toHex);
      const form = both ? { $case: 'owners', value: { texts } } : { $case: 'owner', value: toHex(owner) };
      const request = { owner: { form }, txtype, limit: 0n };
      const run = (given: object) => listAccountHistory(modules, given as never, call);
      const pageOf = (limit: number, page: string) =>
        paging.answer({ ...request, limit: BigInt(limit), page }, call, run as never) as Promise<Answer>;
      const whole = (await pageOf(10_000, '')).records;
      // `defid` reverses records of the tip twice.
      if (moved.every(({ height }) => height < END)) {
        const { records } = (await run(request)) as Answer;
        assert.deepEqual(whole.map(text).sort(), records.map(text).sort());
      }
      rewards += whole.filter((line) => 'rewardtype' in line).length;
      const found: Answer['records'][number][] = [];
      let page = '';
      do {
        const answer = await pageOf(size, page);
        assert.ok(answer.records.length <= size);
        found.push(...answer.records);
        page = answer.next ?? '';
      } while (page !== '');
      assert.deepEqual(found.map(text), whole.map(text));
    }),
    { numRuns: 60 },
  );
  assert.ok(rewards > 100, 'the stories have rewards');
});

test('a page below the first computes no rewards above it', async () => {
  const view = tell({
    ...{ liquidity: new Map([[0, 1_000_000n]]), reward: new Map([[0, 1_000_000n]]), loan: new Map(), swap: new Map(), custom: new Map() },
    ...{ shares: 1_000n, coins: 0n, since: 1, gardens: 0, grandCentral: 1_000_000 },
  });
  const past = new PastRewards(view, heights({ bayfrontGardens: 0 }));
  const batches = [...past.newestFirst(owner, 0, 1_000_000, 11)];
  assert.deepEqual(
    batches.flat().map(({ height }) => height),
    [10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
  );
  assert.equal(batches.length, 1);
});
