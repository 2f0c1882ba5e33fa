import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Chain } from '../../src/chain/chain.js';
import { OceanIndex, oceanColumns } from '../../src/ocean/index/ocean-index.js';
import { oceanUndos } from '../../src/ocean/index/undo.js';
import { formatHash } from '../../src/primitives/hash.js';
import { MemoryStore } from '../../src/storage/memory.js';
import { fromHex, toHex } from '../../src/util/bytes.js';
import { readRecording, recordings } from '../shared.js';
import { emptyChain } from './recorded-chain.js';
import { strictLogger } from './strict-logger.js';

/** Recordings with custom transactions that the index reads: swaps, oracles, loan tokens, auctions, EVM transactions. */
const NAMES = ['feature_poolswap_composite', 'feature_oracles', 'feature_loan_listauctions', 'feature_evm_dst20', 'feature_token_split'];
const paths = ['state', 'finance', 'evm']
  .flatMap((folder) => recordings(folder))
  .filter((path) => NAMES.includes(basename(path, '.jsonl.gz')));

function startIndex(chain: Chain, store: MemoryStore): OceanIndex {
  const index = new OceanIndex({ store, chain, log: strictLogger, params: chain.params, state: () => chain.state });
  index.start();
  return index;
}

async function untilSynced(index: OceanIndex): Promise<void> {
  for (let turns = 0; !index.synced; turns++) {
    assert.ok(turns < 100_000, 'the index does not get level');
    await setImmediate();
  }
}

/** All rows but the undo records, which depend on the way to the tip. */
function rowsOf(store: MemoryStore): string[] {
  return oceanColumns
    .filter((column) => column !== oceanUndos)
    .flatMap((column) =>
      [...store.rows(column)].map(([key, value]) => `${column.name} ${Buffer.from(key, 'latin1').toString('hex')} ${toHex(value)}`),
    );
}

/** Generator of numbers that only depend on the seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

for (const path of paths) {
  const recording = readRecording(path);
  test(`the index of ${recording.header.name} after reorganisations and restarts equals one built from genesis`, async () => {
    const { chain, clock } = emptyChain(recording);
    const store = new MemoryStore();
    const random = randomOf(recording.steps.length);
    let index = startIndex(chain, store);
    await untilSynced(index);
    for (const step of recording.steps) {
      if (!('hex' in step)) continue;
      clock.set(step.time);
      chain.submitBlock(fromHex(step.hex));
      assert.equal(formatHash(chain.tip.hash), step.hash);
      const chance = random(20);
      if (chance === 0) returnTo(chain, random(30));
      else if (chance === 1) {
        // Blocks leave and return while the index is stopped; it may be restarted below the tip or off the active chain.
        index.stop();
        const left = chain.entryAt(Math.max(1, chain.tip.height - random(10)));
        assert.ok(left);
        chain.invalidate(left);
        index = startIndex(chain, store);
        await untilSynced(index);
        chain.reconsider(left);
      }
      await untilSynced(index);
    }
    assert.equal(index.position, chain.tip);
    index.stop();
    const fresh = new MemoryStore();
    const built = startIndex(chain, fresh);
    await untilSynced(built);
    built.stop();
    assert.deepEqual(rowsOf(store), rowsOf(fresh));
    assert.ok(rowsOf(fresh).length > chain.tip.height);
  });
}

/** Disconnects the last blocks, and connects them again. */
function returnTo(chain: Chain, depth: number): void {
  const from = chain.entryAt(Math.max(1, chain.tip.height - depth));
  assert.ok(from);
  chain.invalidate(from);
  chain.reconsider(from);
}
