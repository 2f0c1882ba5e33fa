import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ancestor } from '../../../src/consensus/ancestry.js';
import { isBip68Active, sequenceLocksPass } from '../../../src/consensus/sequence-locks.js';
import { networkParams } from '../../../src/params/index.js';
import { makeTransaction } from '../../../src/primitives/transaction.js';
import { EMPTY_BYTES } from '../../../src/util/bytes.js';

const regtest = networkParams({ network: 'regtest' });
const GENESIS_TIME = 1_600_000_000;

/** Block at a height of a chain with a median time of ten seconds per block. */
function ancestorAt(height: number): Ancestor {
  const time = GENESIS_TIME + 10 * height;
  const ancestor = (at: number) => (at < 0 || at > height ? undefined : ancestorAt(at));
  return { height, version: 1, time, bits: 0, parent: undefined, ancestor, medianTimePast: () => time };
}

const BY_TIME = 1 << 22;
const DISABLED = 0x80000000;
/** Heights of the spent outputs; the transaction is for the block at height 1001. */
const PARENT = ancestorAt(1000);

function passes(sequences: readonly number[], heights: readonly number[], { version = 2, enforced = true } = {}): boolean {
  const vin = sequences.map((sequence, vout) => {
    return { prevout: { txid: new Uint8Array(32).fill(1), vout }, scriptSig: EMPTY_BYTES, sequence, witness: [] };
  });
  const vout = [{ value: 1n, scriptPubKey: EMPTY_BYTES, tokenId: 0 }];
  const tx = makeTransaction({ version, vin, vout, lockTime: 0 }, regtest.txFormat);
  return sequenceLocksPass(
    tx,
    heights.map((height) => ({ height })),
    PARENT,
    enforced,
  );
}

test('a lock by blocks ends that many blocks after the spent output', () => {
  assert.deepEqual([passes([101], [900]), passes([102], [900])], [true, false]);
  // Of the sequence 16 bits count.
  assert.deepEqual([passes([0x10000 + 101], [900]), passes([0x10000 + 102], [900])], [true, false]);
});

test('a lock by time counts 512 seconds each from the median before the spent output to that of the parent', () => {
  // The block before height 488 has a median of 5,130 seconds less than the parent: ten times 512 are 5,120.
  assert.deepEqual([passes([BY_TIME + 10], [488]), passes([BY_TIME + 11], [488])], [true, false]);
  assert.deepEqual([passes([BY_TIME + 10], [489]), passes([BY_TIME + 10], [490])], [true, false]);
  // Outputs of the genesis block count from its own time.
  assert.deepEqual([passes([BY_TIME + 19], [0]), passes([BY_TIME + 20], [0])], [true, false]);
});

test('every input with a lock counts', () => {
  assert.equal(passes([101, 102], [900, 900]), false);
  assert.equal(passes([102, 101], [900, 900]), false);
  assert.equal(passes([101, 101], [900, 900]), true);
  assert.equal(passes([DISABLED + 102, 101], [900, 900]), true);
});

test('locks of version 1 do not count, those of a negative version do', () => {
  for (const [version, expected] of [
    [1, true],
    [0, true],
    [2, false],
    [-1, false],
  ] as const) {
    assert.equal(passes([102], [900], { version }), expected, `version ${version}`);
  }
});

test('locks count from the height of CSV on', () => {
  assert.equal(passes([102], [900], { enforced: false }), true);
  const params = { buried: { ...regtest.buried, csv: 500 } };
  assert.deepEqual([isBip68Active(499, params), isBip68Active(500, params)], [false, true]);
});
