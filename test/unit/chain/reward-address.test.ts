import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { publicKeyOf } from '../../../src/crypto/ecdsa.js';
import { hash160 } from '../../../src/crypto/hash.js';
import { P2PKH, putNewMasternode } from '../../../src/dfi/masternodes/columns.js';
import { signBlock } from '../../../src/minting/forge.js';
import { networkParams } from '../../../src/params/index.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { blockOn, bytesOf } from '../../chains/block-builder.js';
import { masternodeOf } from '../../masternode.js';

test('a block without proof of stake need not pay the reward address of the masternode that signs it', () => {
  const params = networkParams({ network: 'regtest', dummyPos: true, upgradeHeights: { fortCanning: 0 } });
  const secret = new Uint8Array(32).fill(5);
  const store = new MemoryStore();
  const view = new Overlay(store);
  const node = masternodeOf({
    ownerKey: Buffer.alloc(20, 2),
    operatorKey: hash160(publicKeyOf(secret)),
    creationHeight: 0,
    version: 0,
    rewardKey: Buffer.alloc(20, 3),
    rewardType: P2PKH,
  });
  putNewMasternode(view, Buffer.alloc(32, 1), node);
  store.write(view.changes());
  const clock = new FixedClock(params.genesis.header.time + 100);
  const chain = new Chain({ params }, { store, blocks: new MemoryBlocks(), clock, log: silentLogger });
  const block = signBlock(blockOn(chain, chain.tip), { secret, compressed: true });
  assert.deepEqual(chain.submitBlock(bytesOf(chain, block)), { status: 'accepted' });
});
