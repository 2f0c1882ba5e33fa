import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { dfiColumns } from '../../../src/dfi/execution/all-columns.js';
import { block as blockCodec } from '../../../src/primitives/block.js';
import { encode } from '../../../src/primitives/codec.js';
import { parseHash } from '../../../src/rpc/shapes.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { toHex } from '../../../src/util/bytes.js';
import { silentLogger } from '../../../src/util/logger.js';
import { digest } from '../../chains/state-digest.js';
import { fc } from '../../property.js';
import { type DevNode, startDevNode } from './dev-node.js';

let node: DevNode;
let token: string;
before(async () => {
  node = await startDevNode();
  await node.confirm('createtoken', [{ symbol: 'GOLD', name: 'gold', collateralAddress: node.founder }]);
  token = 'GOLD#128';
  const pairs = ['GOLD', 'TIN'].map((symbol) => ({ currency: 'USD', token: symbol }));
  const oracle = await node.confirm('appointoracle', [node.founder, pairs, 1]);
  await node.confirm('setoracledata', [oracle, node.clock.seconds(), [{ currency: 'USD', tokenAmount: '3@GOLD' }]]);
});
after(() => node.end());

const balance = (address: string) => node.call('getaccount', [address]);

test('dev_setBalance: sets the balance and the supply of the token, in a block without transactions', async () => {
  const { call, chain, founder, mempool } = node;
  const txid = await call('sendtoaddress', [founder, 1]);
  const hash = await call('dev_setBalance', [founder, `5.5@${token}`]);
  assert.match(String(hash), /^[0-9a-f]{64}$/);
  assert.deepEqual(await balance(founder), [`5.50000000@${token}`]);
  assert.equal(chain.block(chain.tip)?.transactions.length, 1);
  assert.ok(mempool.pool.get(parseHash(String(txid), 'txid')));
  assert.match(JSON.stringify(await call('gettoken', [token])), /"minted":"?5\.5/);
  await call('dev_setBalance', [founder, `0@${token}`]);
  assert.deepEqual(await balance(founder), []);
  assert.match(String(await call('dev_setBalance', [founder, '1@NOTHING'])), /does not exist/);
});

test('dev_setPrice: sets the reports of the oracles; a pair without an oracle is refused', async () => {
  await node.call('dev_setPrice', ['GOLD', 'USD', 7.25]);
  assert.equal(JSON.stringify(await node.call('getprice', [{ currency: 'USD', token: 'GOLD' }])), '7.25');
  assert.match(String(await node.call('getprice', [{ currency: 'USD', token: 'TIN' }])), /no live oracles/);
  await node.call('dev_setPrice', ['TIN', 'USD', 2]);
  assert.equal(JSON.stringify(await node.call('getprice', [{ currency: 'USD', token: 'TIN' }])), '2');
  assert.match(String(await node.call('dev_setPrice', ['SILVER', 'USD', 1])), /no oracle reports SILVER\/USD/);
});

/** Rows of the DeFi state. Positions in block files, which other columns have, differ between nodes. */
function defiRows({ state }: Chain): readonly string[] {
  return dfiColumns.flatMap((column) =>
    [...state.entries(column)].map(
      ([key, value]) => `${column.name} ${toHex(encode(column.key, key))} ${toHex(encode(column.value, value))}`,
    ),
  );
}

type Step = readonly ['balance' | 'price' | 'mine' | 'spend', number];
const steps = fc.array(fc.tuple(fc.constantFrom('balance', 'price', 'mine', 'spend'), fc.integer({ min: 1, max: 1_000 })), {
  minLength: 1,
  maxLength: 10,
}) as fc.Arbitrary<readonly Step[]>;

async function run([kind, n]: Step): Promise<void> {
  const { call, founder } = node;
  if (kind === 'balance') await call('dev_setBalance', [founder, `${n}@${n % 2 === 0 ? token : 'DFI'}`]);
  else if (kind === 'price') await call('dev_setPrice', ['GOLD', 'USD', n]);
  else if (kind === 'mine') await call('dev_mine', []);
  else await call('accounttoaccount', [founder, { mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c: `1@${token}` }]);
}

test('changes are undone with their blocks, and another node that receives the blocks has the same state', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const { chain, call, clock } = node;
      const before = digest(chain);
      const id = await call('dev_snapshot', []);
      for (const step of all) await run(step);
      const other = new Chain({ params: chain.params }, { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log: silentLogger });
      for (let height = 1; height <= chain.tip.height; height++) {
        const block = chain.block(chain.entryAt(height) as never);
        assert.ok(block);
        assert.deepEqual(other.submitBlock(encode(blockCodec(chain.params.txFormat), block)), { status: 'accepted' });
      }
      assert.deepEqual(defiRows(other), defiRows(chain));
      await call('dev_revert', [id]);
      assert.equal(digest(chain), before);
    }),
    { numRuns: 5 },
  );
});
