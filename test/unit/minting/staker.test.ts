import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import type { Masternode } from '../../../src/dfi/masternodes/columns.js';
import { type AssemblerDeps, BlockAssembler, DEFAULT_ASSEMBLY } from '../../../src/minting/assembler.js';
import { type Attempt, type AttemptOutcome, Forge } from '../../../src/minting/forge.js';
import { ownMasternodes, payoutScript } from '../../../src/minting/own-masternodes.js';
import { TimeSearch } from '../../../src/minting/search.js';
import { Staker, type StakerDeps, type StakerOptions } from '../../../src/minting/staker.js';
import { type NetworkOptions, networkParams } from '../../../src/params/index.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { StoreClosed } from '../../../src/storage/errors.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { genesisKeys } from '../../rpc/service-node.js';
import { until } from '../../until.js';
import { MadeUpPool } from './pool-of.js';

const NOW = 1_600_000_000;
const FIRST = 'e86c027861cc0af423313f4152a44a83296a388eb51bf1a6dde9bd75bed55fb4';
const SECOND = '18a2c79448e8feeed9ee3e6a5ea9b2640062557ddac8e9ac2ee04f62ed484f24';

interface Setup extends Partial<Pick<StakerDeps, 'peers' | 'keys'>> {
  readonly network?: Partial<NetworkOptions>;
  readonly staker?: Partial<StakerOptions>;
  /** `mintWithoutPeers`, as on regtest. */
  readonly alone?: boolean;
  readonly pool?: AssemblerDeps['pool'];
}

function setUp({ network, staker: options, alone = true, pool, ...more }: Setup = {}) {
  const params = { ...networkParams({ network: 'regtest', ...network }), mintWithoutPeers: alone };
  const clock = new FixedClock(NOW);
  const chain = new Chain({ params }, { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log: silentLogger });
  const secrets = genesisKeys(params);
  const operators = [...secrets.keys()].slice(0, 2).map(fromHex);
  const assembler = new BlockAssembler(DEFAULT_ASSEMBLY, { chain, pool });
  const forge = new Forge({ chain, clock, assembler, log: silentLogger });
  const keys = (id: Uint8Array) => secrets.get(toHex(id));
  const staker = new Staker({ operators, pauseMs: 1, ...options }, { chain, clock, keys, forge, log: silentLogger, ...more });
  const masternodes = () => ownMasternodes(chain.state, operators);
  return { chain, clock, staker, masternodes, forge };
}

test('all own masternodes mint in turn, each for its owner, until stopped', async () => {
  const { chain, staker, masternodes } = setUp();
  const ids = masternodes().map(({ id }) => formatHash(id));
  assert.deepEqual(ids, [SECOND, FIRST]);
  assert.equal(staker.running, false);
  assert.equal(staker.lastAttempt((masternodes()[0] as { id: Uint8Array }).id), undefined);
  staker.start();
  assert.equal(staker.running, true);
  await until(() => chain.tip.height >= 4, 'four blocks');
  await staker.stop();
  assert.equal(staker.running, false);
  const { height } = chain.tip;
  await sleep(10);
  assert.equal(chain.tip.height, height, 'nothing is minted after the end');
  const [second, first] = masternodes();
  assert.ok(second && first);
  assert.equal(second.node.mintedBlocks + first.node.mintedBlocks, height);
  assert.ok(second.node.mintedBlocks - first.node.mintedBlocks <= 1);
  const payouts = [1, 2].map((at) =>
    toHex(chain.block(chain.entryAt(at) ?? chain.tip)?.transactions[0]?.vout[0]?.scriptPubKey ?? new Uint8Array()),
  );
  assert.deepEqual(
    payouts,
    [second, first].map(({ node }) => toHex(payoutScript(node))),
  );
  assert.equal(staker.lastAttempt(first.id), NOW);
  assert.equal(staker.lastAttempt(second.id), NOW);
});

test('the first round starts without a pause', async () => {
  const { chain, staker } = setUp({ staker: { pauseMs: 60_000 } });
  staker.start();
  await until(() => chain.tip.height === 2, 'two blocks');
  await staker.stop();
});

test('-rewardaddress is paid instead of the owner', async () => {
  const rewardScript = fromHex('0014aabbccddeeff00112233445566778899aabbccdd');
  const { chain, staker } = setUp({ staker: { rewardScript } });
  staker.start();
  await until(() => chain.tip.height > 0, 'a block');
  await staker.stop();
  assert.deepEqual(toHex(chain.block(chain.tip)?.transactions[0]?.vout[0]?.scriptPubKey ?? new Uint8Array()), toHex(rewardScript));
});

test('payout: the reward address on the chain, else -rewardaddress, else the owner', () => {
  const node = { ownerType: 1, ownerKey: new Uint8Array(20).fill(1), rewardType: 0, rewardKey: new Uint8Array(20) } as Masternode;
  const mine = Uint8Array.of(0x51);
  const fixed = { ...node, rewardType: 4, rewardKey: new Uint8Array(20).fill(2) };
  assert.equal(toHex(payoutScript(node)), `76a914${'01'.repeat(20)}88ac`);
  assert.equal(toHex(payoutScript({ ...node, ownerType: 4 })), `0014${'01'.repeat(20)}`);
  assert.equal(payoutScript(node, mine), mine);
  assert.equal(toHex(payoutScript(fixed, mine)), `0014${'02'.repeat(20)}`);
  assert.equal(toHex(payoutScript({ ...fixed, rewardType: 1 }, mine)), `76a914${'02'.repeat(20)}88ac`);
  assert.equal(toHex(payoutScript({ ...fixed, rewardType: 2 }, mine)), `a914${'02'.repeat(20)}87`);
});

/** A count of peers that counts the rounds of the staker, which reads it in each. */
function countedPeers() {
  const rounds = { count: 0, peers: 0 };
  const peers = {
    get count() {
      rounds.count += 1;
      return rounds.peers;
    },
  };
  const next = async () => {
    const { count } = rounds;
    await until(() => rounds.count >= count + 3, 'three more rounds');
  };
  return { rounds, peers, next };
}

test('without mintWithoutPeers, peers and a recent tip are required', async () => {
  const { rounds, peers, next } = countedPeers();
  const { chain, clock, staker } = setUp({ alone: false, peers });
  staker.start();
  await next();
  assert.equal(staker.attempts, 0, 'no peers, and the genesis block is old');
  rounds.peers = 1;
  await next();
  assert.equal(staker.attempts, 0, 'the genesis block is old');
  rounds.peers = 0;
  clock.set(chain.genesis.time + 60);
  await next();
  assert.equal(staker.attempts, 0, 'no peers');
  rounds.peers = 1;
  await until(() => staker.attempts > 0, 'an attempt');
  await staker.stop();
});

test('without mintWithoutPeers and network nothing is minted', async (t) => {
  const { chain, clock, staker } = setUp({ alone: false });
  clock.set(chain.genesis.time + 60);
  const halted = t.mock.getter(Chain.prototype, 'isHalted', () => false);
  staker.start();
  await until(() => halted.mock.callCount() >= 3, 'three rounds');
  await staker.stop();
  assert.deepEqual([chain.tip.height, staker.attempts], [0, 0]);
});

test('attempts of others by the same forge are counted until the stop', async () => {
  const { staker, forge, chain, masternodes } = setUp({ alone: false });
  const [own] = masternodes();
  assert.ok(own);
  const key = [...genesisKeys(chain.params)].find(([id]) => id === toHex(own.node.operatorKey))?.[1];
  assert.ok(key);
  const attempt = () =>
    forge.attempt({ operator: own.node.operatorKey, key, payout: payoutScript(own.node), search: new TimeSearch(chain.params) });
  assert.deepEqual([attempt(), staker.attempts], ['minted', 1]);
  await staker.stop();
  assert.deepEqual([attempt(), staker.attempts], ['minted', 1]);
});

test('a masternode waits for its missing key, and an error does not end the loop', async () => {
  let calls = 0;
  const keys = () => {
    calls += 1;
    if (calls % 2 === 0) throw new Error('the wallet is broken');
    return undefined;
  };
  const { chain, staker } = setUp({ keys });
  staker.start();
  await until(() => calls >= 6, 'six questions for keys');
  await staker.stop();
  assert.equal(chain.tip.height, 0);
});

test('minting continues once the state can be read again', async (t) => {
  const { chain, staker } = setUp();
  let reads = 0;
  const state = t.mock.getter(Chain.prototype, 'state', () => {
    reads += 1;
    throw new StoreClosed('the store is closed');
  });
  staker.start();
  await until(() => reads >= 3, 'three reads');
  state.mock.restore();
  await until(() => chain.tip.height >= 2, 'two blocks');
  await staker.stop();
});

test('a long search continues in its round, and ends with its tip', async () => {
  const { chain, clock, masternodes } = setUp();
  const operators = masternodes().map(({ node }) => node.operatorKey);
  const key = { secret: new Uint8Array(32).fill(1), compressed: true };
  let tip = chain.tip;
  const moving = { params: chain.params, state: chain.state, isHalted: false, isInitialDownload: () => false };
  Object.defineProperty(moving, 'tip', { get: () => tip });
  const attempts: string[] = [];
  const outcomes: readonly AttemptOutcome[] = ['searching', 'searching', 'waiting', 'searching', 'waiting'];
  const attempt = ({ operator }: Attempt): AttemptOutcome => {
    attempts.push(toHex(operator));
    // Another block arrives during the search of the second masternode.
    if (attempts.length === 4) tip = { ...tip } as typeof tip;
    return outcomes[attempts.length - 1] ?? 'waiting';
  };
  const forge = { attempt, on: () => () => undefined };
  const deps = { chain: moving as unknown as StakerDeps['chain'], clock, keys: () => key, forge, log: silentLogger };
  const staker = new Staker({ operators, pauseMs: 60_000 }, deps);
  staker.start();
  await until(() => attempts.length >= 4, 'four attempts');
  await sleep(20);
  await staker.stop();
  const [first, second] = operators.map(toHex);
  assert.deepEqual(attempts, [first, first, first, second]);
});

test('a transaction that makes blocks invalid does not stop minting', async () => {
  const made = new MadeUpPool();
  // It spends a coin that does not exist.
  made.add();
  const { chain, staker } = setUp({ pool: made.pool });
  staker.start();
  await until(() => chain.tip.height >= 2, 'two blocks').finally(() => staker.stop());
  assert.equal(chain.block(chain.tip)?.transactions.length, 1);
});
