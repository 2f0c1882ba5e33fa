import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { publicKeyOf } from '../../../src/crypto/ecdsa.js';
import { hash160 } from '../../../src/crypto/hash.js';
import { type PrivateKey, parseWif } from '../../../src/crypto/keys.js';
import { type Masternode, masternodeByOperator, masternodes } from '../../../src/dfi/masternodes/columns.js';
import { BlockAssembler, DEFAULT_ASSEMBLY } from '../../../src/minting/assembler.js';
import { Forge, type ForgeChain } from '../../../src/minting/forge.js';
import { TimeSearch } from '../../../src/minting/search.js';
import { networkParams } from '../../../src/params/index.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';

/**
 * A forge on the genesis block, with the key of its first masternode, and the outcomes of attempts that it reported.
 * @param change changes the masternode in the state that the forge reads
 */
function setUp(change?: Partial<Masternode>) {
  const params = networkParams({ network: 'regtest', allUpgrades: true });
  const clock = new FixedClock(1_600_000_000);
  const chain = new Chain({ params }, { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log: silentLogger });
  const key = parseWif(params.masternode.genesis[0]?.operatorKey ?? '', params.address) as PrivateKey;
  const operator = hash160(publicKeyOf(key.secret, key.compressed));
  const state = new Overlay(chain.state);
  const own = masternodeByOperator(state, operator);
  assert.ok(own);
  if (change) state.put(masternodes, own.id, { ...own.node, ...change });
  const seen = change ? ({ params, tip: chain.tip, state } as unknown as ForgeChain) : chain;
  const forge = new Forge({ chain: seen, clock, assembler: new BlockAssembler(DEFAULT_ASSEMBLY, { chain }), log: silentLogger });
  const outcomes: string[] = [];
  forge.on('attempted', ({ outcome }) => void outcomes.push(outcome));
  const attempt = (by = operator) => forge.attempt({ operator: by, key, payout: Uint8Array.of(0x51), search: new TimeSearch(params) });
  return { chain, attempt, outcomes };
}

test('forge: an active masternode mints, and the attempt is reported', () => {
  const { chain, attempt, outcomes } = setUp();
  assert.deepEqual([attempt(), outcomes, chain.tip.height], ['minted', ['minted'], 1]);
});

test('forge: without a masternode there is no attempt', () => {
  const { chain, attempt, outcomes } = setUp();
  assert.deepEqual([attempt(new Uint8Array(20).fill(7)), outcomes, chain.tip.height], ['waiting', [], 0]);
});

test('forge: a masternode that is not active yet, or no more, makes no attempt', () => {
  for (const change of [{ creationHeight: 1 }, { resignHeight: 1 }]) {
    const { chain, attempt, outcomes } = setUp(change);
    assert.deepEqual([attempt(), outcomes, chain.tip.height], ['waiting', [], 0]);
  }
});
