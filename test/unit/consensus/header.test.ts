import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Ancestor } from '../../../src/consensus/ancestry.js';
import { BlockInvalid } from '../../../src/consensus/errors.js';
import { checkHeader, type HeaderContext } from '../../../src/consensus/header.js';
import { networkParams } from '../../../src/params/index.js';
import type { NetworkName, NetworkParams } from '../../../src/params/network.js';
import { NULL_HASH } from '../../../src/primitives/hash.js';
import type { BlockHeader } from '../../../src/primitives/header.js';
import { EMPTY_BYTES } from '../../../src/util/bytes.js';

const NOW = 1_700_000_000;
const PARENT_TIME = NOW - 40;
const MEDIAN = NOW - 120;
/** Not a multiple of a retargeting interval. */
const OFFSET = 3;

/** Live networks, for which the test has no keys to sign headers. */
function live(network: NetworkName): NetworkParams {
  const params = networkParams({ network });
  return { ...params, pos: { ...params.pos, dummy: true } };
}

const main = live('main');

function parentAt(height: number): Ancestor {
  const self: Ancestor = {
    height,
    version: 4,
    time: PARENT_TIME,
    bits: 0x1d00ffff,
    parent: undefined,
    ancestor: () => self,
    medianTimePast: () => MEDIAN,
  };
  return self;
}

function header(change: Partial<BlockHeader>): BlockHeader {
  return {
    version: 4,
    prevHash: NULL_HASH,
    merkleRoot: NULL_HASH,
    time: NOW,
    bits: 0x1d00ffff,
    stakeModifier: NULL_HASH,
    height: 0n,
    mintedBlocks: 1n,
    signature: EMPTY_BYTES,
    ...change,
  };
}

/** Reject reason of a header at a height; undefined if it is valid. */
function reasonAt(height: number, change: Partial<BlockHeader>, context: Partial<HeaderContext> = {}): string | undefined {
  const at = {
    parent: parentAt(height - 1),
    parentModifier: NULL_HASH,
    lastCheckpoint: -1,
    ascendingTimes: false,
    params: main,
    systemTime: NOW,
    adjustedTime: NOW,
    ...context,
  };
  try {
    checkHeader(header({ height: BigInt(height), ...change }), at);
    return undefined;
  } catch (error) {
    if (error instanceof BlockInvalid) return error.reason;
    throw error;
  }
}

describe('block times ahead of the clock', () => {
  const cases = [
    { name: 'before Dakota Crescent', network: 'main', height: 732_999, ahead: 7200 },
    { name: 'from Dakota Crescent on', network: 'main', height: 733_000 + OFFSET, ahead: 300 },
    { name: 'the last block before Eunos Paya', network: 'main', height: 1_071_999, ahead: 300 },
    { name: 'from Eunos Paya on', network: 'main', height: 1_072_000, ahead: 30 },
    { name: 'the test network before Eunos Paya', network: 'test', height: 463_299, ahead: 300 },
    { name: 'the test network from it on', network: 'test', height: 463_301, ahead: 30 },
  ] as const;
  for (const { name, network, height, ahead } of cases) {
    test(name, () => {
      const params = live(network);
      assert.equal(reasonAt(height, { time: NOW + ahead }, { params }), undefined);
      assert.equal(reasonAt(height, { time: NOW + ahead + 1 }, { params }), 'time-too-new');
    });
  }
  test('the limit of two hours uses adjusted time, the others system time', () => {
    assert.equal(reasonAt(700_001, { time: NOW + 7201 }, { adjustedTime: NOW + 1 }), undefined);
    assert.equal(reasonAt(1_072_001, { time: NOW + 31 }, { adjustedTime: NOW + 60 }), 'time-too-new');
  });
});

describe('lower limits of block times', () => {
  const height = 4_463_000 + OFFSET;
  test('above the median time past', () => {
    assert.equal(reasonAt(height, { time: MEDIAN + 1 }), undefined);
    assert.equal(reasonAt(height, { time: MEDIAN }), 'time-too-old');
  });
  test('above the parent, if governance requires ascending times', () => {
    assert.equal(reasonAt(height, { time: PARENT_TIME + 1 }, { ascendingTimes: true }), undefined);
    assert.equal(reasonAt(height, { time: PARENT_TIME }, { ascendingTimes: true }), 'time-before-prev');
  });
  test('with ascending times the median does not matter', () => {
    const parent = { ...parentAt(height - 1), medianTimePast: () => NOW + 5 };
    assert.equal(reasonAt(height, { time: NOW }, { parent, ascendingTimes: true }), undefined);
  });
});

test('the height in the header is checked from Fort Canning Museum on', () => {
  assert.equal(reasonAt(1_430_639, { height: 7n }), undefined);
  assert.equal(reasonAt(1_430_640, { height: 7n }), 'incorrect-height');
});

test('forks at or below the last checkpoint are rejected', () => {
  assert.equal(reasonAt(50_001, {}, { lastCheckpoint: 50_001 }), 'bad-fork-prior-to-checkpoint');
  assert.equal(reasonAt(50_001, {}, { lastCheckpoint: 50_000 }), undefined);
});

test('on live networks versions below 4 were never valid', () => {
  assert.equal(reasonAt(1, { version: 3 }), 'bad-version(0x00000003)');
  assert.equal(reasonAt(1, { version: 4 }), undefined);
});
