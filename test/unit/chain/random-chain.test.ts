import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { sha256d } from '../../../src/crypto/hash.js';
import { networkParams } from '../../../src/params/index.js';
import { encode } from '../../../src/primitives/codec.js';
import type { OutPoint } from '../../../src/primitives/outpoint.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { concatBytes, toHex } from '../../../src/util/bytes.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { blockOn, bytesOf, extend, OP_TRUE_SCRIPT, spend } from '../../chains/block-builder.js';
import { stateColumns } from '../../chains/state-digest.js';
import { fc } from '../../property.js';

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });
/** Number of coinbases that are mature at the first random block. */
const FUNDS = 12;
const MATURITY = 100;

function digest(chain: Chain): string {
  let hash: Uint8Array = new Uint8Array(32);
  for (const column of stateColumns) {
    for (const [key, value] of chain.state.entries(column))
      hash = sha256d(concatBytes(hash, encode(column.key, key), encode(column.value, value)));
  }
  return toHex(hash);
}

/** Random transaction: the spendable outputs that it spends, and the number of outputs that it creates. */
interface Plan {
  readonly inputs: readonly number[];
  readonly outputs: number;
  /** True if the last output is a data output, which is no coin. */
  readonly burns: boolean;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  inputs: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
  outputs: fc.integer({ min: 1, max: 4 }),
  burns: fc.boolean(),
});
const chainPlan = fc.array(fc.array(plan, { maxLength: 5 }), { minLength: 1, maxLength: 12 });

interface Spendable {
  readonly point: OutPoint;
  readonly value: bigint;
}

/** Builds the transactions of a block, which may spend outputs of each other, and updates `spendable`. */
function transactionsOf(plans: readonly Plan[], chain: Chain, spendable: Spendable[]): Transaction[] {
  const made: Transaction[] = [];
  for (const { inputs, outputs, burns } of plans) {
    const taken = inputs.flatMap((pick) => (spendable.length > 0 ? spendable.splice(pick % spendable.length, 1) : []));
    const total = taken.reduce((sum, { value }) => sum + value, 0n);
    const each = total / BigInt(outputs + 1);
    if (each === 0n) continue;
    const vout = Array.from({ length: outputs }, () => ({ value: each, scriptPubKey: OP_TRUE_SCRIPT, tokenId: 0 }));
    if (burns) vout.push({ value: 0n, scriptPubKey: Uint8Array.of(0x6a, 1, made.length), tokenId: 0 });
    const points = taken.map(({ point }) => point);
    const tx = spend(chain, points, [], { vout });
    made.push(tx);
    for (let i = 0; i < outputs; i++) spendable.push({ point: { txid: tx.txid, vout: i }, value: each });
  }
  return made;
}

test('any chain of random transactions: blocks disconnected and connected again give the same state at every height', () => {
  const property = fc.property(chainPlan, fc.nat(), fc.integer({ min: 0, max: 3 }), (plans, pick, restartAt) => {
    const store = new MemoryStore();
    const blocks = new MemoryBlocks();
    const open = () =>
      new Chain({ params }, { store, blocks, clock: new FixedClock(params.genesis.header.time + 5_000), log: silentLogger });
    let chain = open();
    const funding = extend(chain, FUNDS);
    extend(chain, MATURITY - 1);
    const spendable = funding.map(({ transactions: [coinbase] }) => ({
      point: { txid: coinbase?.txid ?? new Uint8Array(), vout: 0 },
      value: coinbase?.vout[0]?.value ?? 0n,
    }));
    const base = chain.tip.height;
    const digests = [digest(chain)];
    plans.forEach((each, i) => {
      // One coinbase matures per block, so no more than one is spent.
      const ripe = spendable.filter(({ point }) => isRipe(chain, point));
      const rest = spendable.filter((output) => !ripe.includes(output));
      const block = blockOn(chain, chain.tip, { transactions: transactionsOf(each, chain, ripe), tag: i });
      assert.deepEqual(chain.submitBlock(bytesOf(chain, block)), { status: 'accepted' });
      spendable.splice(0, spendable.length, ...ripe, ...rest);
      digests.push(digest(chain));
    });
    const { tip } = chain;
    const k = 1 + (pick % plans.length);
    for (let i = 1; i <= k; i++) {
      chain.invalidate(chain.tip);
      assert.equal(digest(chain), digests[plans.length - i], `after ${i} blocks were disconnected`);
      if (i === restartAt) {
        chain.close();
        chain = open();
        assert.equal(digest(chain), digests[plans.length - i], 'after a restart');
      }
    }
    const seen: string[] = [];
    chain.on('connected', ({ entry }) => seen.push(`${entry.height}:${digest(chain)}`));
    const again = chain.entry(tip.hash);
    assert.ok(again);
    chain.reconsider(again);
    assert.equal(toHex(chain.tip.hash), toHex(tip.hash));
    assert.deepEqual(
      seen,
      digests.slice(-k).map((each, i) => `${base + plans.length - k + 1 + i}:${each}`),
    );
  });
  fc.assert(property, { numRuns: Number(process.env.FC_RUNS ?? 25) });
});

function isRipe(chain: Chain, point: OutPoint): boolean {
  const coin = chain.coin(point);
  return coin !== undefined && (!coin.coinbase || coin.height + MATURITY <= chain.tip.height + 1);
}
