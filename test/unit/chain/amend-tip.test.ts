import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { coins } from '../../../src/chain/coins.js';
import type { BlockJournal } from '../../../src/chain/events.js';
import { Accounts, balanceOf } from '../../../src/dfi/accounts/columns.js';
import { logStates } from '../../../src/events/columns.js';
import { EventJournal } from '../../../src/events/journal.js';
import { networkParams } from '../../../src/params/index.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { extend } from '../../chains/block-builder.js';

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });
const OWNER = Uint8Array.of(0x51);

let store: MemoryStore;
let blocks: MemoryBlocks;
let chain: Chain;

function open(journal?: BlockJournal): Chain {
  return new Chain({ params }, { store, blocks, clock: new FixedClock(1_600_000_000), log: silentLogger, journal });
}

beforeEach(() => {
  store = new MemoryStore();
  blocks = new MemoryBlocks();
  chain = open();
});

function give(amount: bigint): void {
  const changes = new Overlay(chain.state);
  new Accounts(changes).add(OWNER, { tokenId: 0, amount });
  chain.amendTip(changes);
}

const balance = (): bigint => balanceOf(chain.state, OWNER, 0);
const coinCount = (): number => [...chain.state.entries(coins)].length;

test('changes without a block survive a restart, and later blocks', () => {
  extend(chain, 2);
  give(5n);
  give(7n);
  chain = open();
  assert.equal(balance(), 12n);
  extend(chain, 2);
  chain.invalidate(chain.tip);
  assert.equal(chain.tip.height, 3);
  assert.equal(balance(), 12n);
});

test('disconnecting the tip reverts them, with what the block itself changed', () => {
  extend(chain, 1);
  give(5n);
  const before = coinCount();
  extend(chain, 1);
  give(7n);
  give(9n);
  assert.equal(balance(), 21n);
  const { tip } = chain;
  chain.invalidate(tip);
  assert.equal(balance(), 5n);
  assert.equal(coinCount(), before);
  chain.invalidate(chain.tip);
  assert.equal(balance(), 0n);
  chain.reconsider(tip);
  assert.equal(chain.tip, tip);
  assert.equal(balance(), 0n, 'blocks do not bring them back');
});

test('changes on an earlier state are refused', () => {
  const changes = new Overlay(chain.state);
  new Accounts(changes).add(OWNER, { tokenId: 0, amount: 5n });
  extend(chain, 1);
  chain.close();
  assert.throws(() => chain.amendTip(changes), TypeError);
});

test('the log of blocks begins again, also if the next block is disconnected first', () => {
  chain = open(new EventJournal(100, []));
  extend(chain, 3);
  const rows = () => {
    const state = chain.state.get(logStates, 0);
    return state && [state.first, state.next];
  };
  assert.deepEqual(rows(), [0, 3]);
  give(5n);
  assert.deepEqual(rows(), [3, 3]);
  chain.invalidate(chain.tip);
  assert.deepEqual(rows(), [3, 3]);
  extend(chain, 2, 1);
  chain.close();
  assert.deepEqual(rows(), [3, 5]);
});
