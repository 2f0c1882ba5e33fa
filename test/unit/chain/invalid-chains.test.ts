import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { warnOfInvalidChains } from '../../../src/chain/invalid-chains.js';
import { Warnings } from '../../../src/chain/warnings.js';
import { networkParams } from '../../../src/params/index.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { blockOn, bytesOf, extend, OP_TRUE_SCRIPT } from '../../chains/block-builder.js';

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });
const GENESIS_TIME = 1_579_045_065;
const LARGE = 'Warning: The network does not appear to fully agree! Some miners appear to be experiencing issues.';
const LONGER = 'Warning: We do not appear to fully agree with our peers! You may need to upgrade, or other nodes may need to upgrade.';

let store: MemoryStore;
let blocks: MemoryBlocks;
let chain: Chain;
let warnings: Warnings;
let alerts: string[];

function open(now = GENESIS_TIME + 60): void {
  chain = new Chain({ params }, { store, blocks, clock: new FixedClock(now), log: silentLogger });
  alerts = [];
  warnings = new Warnings(silentLogger, (text) => alerts.push(text));
  warnOfInvalidChains(chain, warnings);
}

/** Chain of headers from peers whose first block turns out to be invalid. */
function refuseChain(length: number): BlockIndexEntry {
  const bad = blockOn(chain, chain.tip, { coinbase: { vout: [{ value: 1n << 40n, scriptPubKey: OP_TRUE_SCRIPT, tokenId: 0 }] } });
  let at = chain.acceptHeader(bad.header);
  for (let i = 1; i < length; i++) at = chain.acceptHeader(blockOn(chain, at).header);
  assert.deepEqual(chain.submitBlock(bytesOf(chain, bad)), { status: 'rejected', reason: 'bad-cb-amount' });
  return at;
}

describe('a chain that is invalid here', () => {
  beforeEach(() => {
    store = new MemoryStore();
    blocks = new MemoryBlocks();
    open();
  });

  const cases = [
    { length: 120, text: '' },
    { length: 121, text: LONGER },
    { length: 144, text: LONGER },
    { length: 145, text: LARGE },
  ] as const;
  for (const { length, text } of cases) {
    test(`${length} blocks: ${text || 'no warning'}`, () => {
      refuseChain(length);
      assert.equal(warnings.text, text);
      assert.deepEqual(alerts, text ? [text] : []);
    });
  }

  test('the warning of a longer chain ends when its lead shrinks', () => {
    refuseChain(130);
    extend(chain, 9);
    assert.equal(warnings.text, LONGER);
    extend(chain, 1);
    assert.equal(warnings.text, '');
  });

  test('blocks that were found invalid before a restart count, until the operator reconsiders them', () => {
    extend(chain, 150);
    const first = chain.entryAt(1) as BlockIndexEntry;
    chain.invalidate(first);
    chain.close();
    open();
    chain.submitBlock(bytesOf(chain, blockOn(chain, chain.tip, { tag: 1 })));
    assert.equal(warnings.text, LARGE);
    chain.reconsider(chain.entry(first.hash) as BlockIndexEntry);
    assert.deepEqual([chain.tip.height, warnings.text], [150, '']);
  });

  test('no warnings are given during initial download', () => {
    chain.close();
    open(GENESIS_TIME + 1_000_000);
    refuseChain(150);
    assert.equal(warnings.text, '');
  });
});
