import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { BlockInvalid } from '../../../src/consensus/errors.js';
import { publicKeyOf } from '../../../src/crypto/ecdsa.js';
import { hash160 } from '../../../src/crypto/hash.js';
import { type PrivateKey, parseWif } from '../../../src/crypto/keys.js';
import { Forge } from '../../../src/minting/forge.js';
import { Minter } from '../../../src/minting/minter.js';
import { type NetworkOptions, networkParams } from '../../../src/params/index.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { decodeDestination, scriptOf } from '../../../src/script/address.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { toHex } from '../../../src/util/bytes.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { bytesOf } from '../../chains/block-builder.js';

const NOW = 1_600_000_000;
const FIRST = 'e86c027861cc0af423313f4152a44a83296a388eb51bf1a6dde9bd75bed55fb4';
const SECOND = '18a2c79448e8feeed9ee3e6a5ea9b2640062557ddac8e9ac2ee04f62ed484f24';
const STRANGER = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';

interface Setup {
  readonly options?: Partial<NetworkOptions>;
  /** Indexes of the genesis masternodes that the node operates. */
  readonly operate?: readonly number[];
  readonly withKeys?: boolean;
  /** True if the node has the key of the second masternode in place of each key. */
  readonly hasWrongKey?: boolean;
  /** True if no valid block can be assembled. */
  readonly fails?: boolean;
}

function setUp({ options = {}, operate = [0, 1], withKeys = true, hasWrongKey = false, fails = false }: Setup = {}) {
  const params = networkParams({ network: 'regtest', ...options });
  const clock = new FixedClock(NOW);
  const chain = new Chain({ params }, { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log: silentLogger });
  const keys = new Map<string, PrivateKey>();
  const ids = params.masternode.genesis.map(({ operatorKey }) => {
    const key = parseWif(operatorKey ?? '', params.address) as PrivateKey;
    const id = hash160(publicKeyOf(key.secret, key.compressed));
    keys.set(toHex(id), key);
    return id;
  });
  const assemble = () => {
    throw new BlockInvalid('bad-evm-template');
  };
  const forge = fails ? { forge: new Forge({ chain, clock, assembler: { assemble }, log: silentLogger }) } : {};
  const minter = new Minter(
    { operators: operate.map((i) => ids[i] as Uint8Array) },
    {
      chain,
      clock,
      keys: (id) => (withKeys ? keys.get(toHex(hasWrongKey ? (ids[1] as Uint8Array) : id)) : undefined),
      log: silentLogger,
      ...forge,
    },
  );
  const script = (address: string) => {
    const destination = decodeDestination(address, params.address);
    assert.ok(destination);
    return scriptOf(destination);
  };
  const mintedBy = (id: string) => minter.masternodes().find((one) => formatHash(one.id) === id)?.node.mintedBlocks;
  return { params, clock, chain, minter, script, mintedBy };
}

test('Minter: mints the requested number of blocks to the address', async () => {
  const { chain, minter, script } = setUp();
  assert.equal(await minter.mintTo(script(STRANGER), 5, -1), 5);
  assert.equal(chain.tip.height, 5);
  const coinbase = chain.block(chain.tip)?.transactions[0];
  assert.equal(toHex(coinbase?.vout[0]?.scriptPubKey as Uint8Array), '76a9149ab96d8f6df07466f5b497153ba69ea73b7a656188ac');
  assert.equal(coinbase?.vout[0]?.value, 5_000_000_000n);
  assert.deepEqual(minter.lastAssembled, { weight: 4_000, transactions: 0 });
});

test('Minter: another node, which recovers the minter from the signature, accepts its blocks', async () => {
  const { chain, minter, script } = setUp();
  const other = setUp().chain;
  await minter.mintTo(script(STRANGER), 3, -1);
  for (let height = 1; height <= 3; height++) {
    const block = chain.block(chain.entryAt(height) ?? chain.tip);
    assert.ok(block);
    assert.deepEqual(other.submitBlock(bytesOf(chain, block)), { status: 'accepted' });
  }
  assert.equal(formatHash(other.tip.hash), formatHash(chain.tip.hash));
});

test('Minter: a block signed by a wrong key is invalid for the node itself', async () => {
  const { chain, minter, script } = setUp({ operate: [0], hasWrongKey: true });
  assert.equal(await minter.mintTo(script(STRANGER), 1, -1), 0);
  assert.equal(chain.tip.height, 0);
});

test('Minter: a request for 0 blocks mints one, as the count is checked after the first attempt', async () => {
  const { chain, minter, script } = setUp();
  assert.equal(await minter.mintTo(script(STRANGER), 0, -1), 1);
  assert.equal(chain.tip.height, 1);
});

test('Minter: attempts are limited', async () => {
  const { chain, minter, script } = setUp();
  assert.equal(await minter.mintTo(script(STRANGER), 10, 3), 3);
  assert.equal(chain.tip.height, 3);
});

test('Minter: an operator address chooses its masternode, any other address the first by key bytes', async () => {
  const { params, minter, script, mintedBy } = setUp();
  const [one, two] = params.masternode.genesis;
  assert.deepEqual(
    minter.masternodes().map(({ id }) => formatHash(id)),
    // Operator key ids 6688… (second) and 8857… (first): sorted by key bytes, not by configuration.
    [SECOND, FIRST],
  );
  await minter.mintTo(script(one?.operatorAddress ?? ''), 2, -1);
  assert.deepEqual([mintedBy(FIRST), mintedBy(SECOND)], [2, 0]);
  await minter.mintTo(script(two?.operatorAddress ?? ''), 3, -1);
  assert.deepEqual([mintedBy(FIRST), mintedBy(SECOND)], [2, 3]);
  await minter.mintTo(script(one?.ownerAddress ?? ''), 1, -1);
  assert.deepEqual([mintedBy(FIRST), mintedBy(SECOND)], [2, 4]);
});

test('Minter: from Metachain on an owner address chooses its masternode too', async () => {
  const { params, minter, script, mintedBy } = setUp({ options: { upgradeHeights: { metachain: 1 } } });
  await minter.mintTo(script(params.masternode.genesis[0]?.ownerAddress ?? ''), 1, -1);
  assert.deepEqual([mintedBy(FIRST), mintedBy(SECOND)], [1, 0]);
});

test('Minter: without proof of stake the minted blocks are not counted', async () => {
  const { chain, minter, script, mintedBy } = setUp({ options: { dummyPos: true } });
  assert.equal(await minter.mintTo(script(STRANGER), 3, -1), 3);
  assert.equal(mintedBy(SECOND), 0);
  assert.equal(chain.header(chain.tip).mintedBlocks, 1n);
});

test('Minter: block times run ahead of a stopped clock, then minting waits for it', async () => {
  const { clock, chain, minter, script } = setUp({
    options: { upgradeHeights: { amk: 1, eunos: 2, eunosPaya: 3, fortCanning: 4, dakota: 1, dakotaCrescent: 1 } },
  });
  const minted = await minter.mintTo(script(STRANGER), 200, 200);
  assert.ok(minted < 200 && minted > 20, `${minted} blocks`);
  assert.ok(chain.tip.time <= NOW + 29);
  clock.set(NOW + 600);
  assert.equal(await minter.mintTo(script(STRANGER), 1, -1), 1);
  assert.equal(chain.tip.time, NOW + 600);
});

test('Minter: stopping ends a loop that waits for the clock', async () => {
  const { clock, minter, script } = setUp();
  // Before genesis there is no valid time, so without a stop this would never end.
  clock.set(1);
  const loop = minter.mintTo(script(STRANGER), 1, -1);
  minter.stop();
  assert.equal(await loop, 0);
});

test('Minter: the signal of the caller ends a waiting loop', async () => {
  const { clock, minter, script } = setUp();
  clock.set(1);
  const caller = new AbortController();
  const loop = minter.mintTo(script(STRANGER), 1, -1, caller.signal);
  setTimeout(() => caller.abort(), 10);
  assert.equal(await loop, 0);
});

const refusals = [
  { name: 'no operator configured', setup: { operate: [] }, text: 'Error: I am not masternode operator' },
  { name: 'no key', setup: { withKeys: false }, text: 'Error: masternode operator private key not found' },
];
for (const { name, setup, text } of refusals) {
  test(`Minter: rejects with ${name}`, async () => {
    const { minter, script } = setUp(setup);
    await assert.rejects(minter.mintTo(script(STRANGER), 1, 1), { message: text, kind: 'not-found' });
  });
}

test('Minter: an attempt without a valid block is no error', async () => {
  const { chain, minter, script } = setUp({ fails: true });
  assert.equal(await minter.mintTo(script(STRANGER), 1, 2), 0);
  assert.equal(chain.tip.height, 0);
});

test('Minter: a block that was invalidated is not made again at the same time', async () => {
  const { chain, minter, script } = setUp();
  for (let round = 0; round < 3; round++) {
    assert.equal(await minter.mintTo(script(STRANGER), 2, -1), 2);
    assert.equal(chain.tip.height, 2);
    const first = chain.entryAt(1);
    assert.ok(first);
    chain.invalidate(first);
    assert.equal(chain.tip.height, 0);
  }
});
