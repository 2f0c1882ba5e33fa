import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { nextBits } from '../../../src/consensus/pos/difficulty.js';
import { stakeCollateral, stakeWeight, subNodeCount } from '../../../src/consensus/pos/kernel.js';
import { nextStakeModifier, recoverMinter } from '../../../src/consensus/pos/signature.js';
import { publicKeyOf, signCompact } from '../../../src/crypto/ecdsa.js';
import { hash160 } from '../../../src/crypto/hash.js';
import { parseWif } from '../../../src/crypto/keys.js';
import { networkParams } from '../../../src/params/index.js';
import { type Block, block as blockCodec } from '../../../src/primitives/block.js';
import { decode, encode } from '../../../src/primitives/codec.js';
import { hashToSign } from '../../../src/primitives/header.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { importRecording, type RecordedChain } from '../../chains/recorded-chain.js';
import { type RecordedBlock, readRecording, sharedPath } from '../../shared.js';

const main = networkParams({ network: 'main' });
const regtest = networkParams({ network: 'regtest', upgradeHeights: { dakota: 5, eunosPaya: 10 } });

test('stakeCollateral: by creation height', () => {
  assert.equal(stakeCollateral(677_999, main), 100_000_000_000_000n);
  assert.equal(stakeCollateral(678_000, main), 2_000_000_000_000n);
  assert.equal(stakeCollateral(4, regtest), 1_000_000_000n);
  assert.equal(stakeCollateral(5, regtest), 200_000_000n);
});

test('subNodeCount: one before Eunos Paya, then by time lock', () => {
  assert.equal(subNodeCount(520, 9, regtest), 1);
  assert.equal(subNodeCount(0, 10, regtest), 2);
  assert.equal(subNodeCount(260, 10, regtest), 3);
  assert.equal(subNodeCount(520, 10, regtest), 4);
});

test('stakeWeight: 1 to 57, a step every six hours', () => {
  const at = (age: number) => stakeWeight(2_000_000_000, 2_000_000_000 - age, main);
  assert.equal(at(-5), 1n);
  assert.equal(at(21_599), 1n);
  assert.equal(at(21_600), 2n);
  assert.equal(at(1_209_599), 56n);
  assert.equal(at(1_209_600), 57n);
  assert.equal(at(2_000_000_000), 57n);
});

describe('nextBits on main', () => {
  const parentAt = (height: number, spanOfLast: number) => {
    const entry = (at: number, time: number): never =>
      ({
        height: at,
        time,
        bits: 0x1d00ffff,
        version: 4,
        parent: undefined,
        ancestor: () => entry(at - 9, 1_000_000),
        medianTimePast: () => time,
      }) as never;
    return entry(height, 1_000_000 + spanOfLast);
  };
  test('stays between retargets', () => assert.equal(nextBits(parentAt(20, 300), main), 0x1d00ffff));
  test('stays if the interval took the target timespan', () => assert.equal(nextBits(parentAt(19, 300), main), 0x1d00ffff));
  test('halves the target if blocks came twice as fast', () => assert.equal(nextBits(parentAt(19, 150), main), 0x1c7fff80));
  test('changes by at most a factor of four', () => {
    assert.equal(nextBits(parentAt(19, 1), main), nextBits(parentAt(19, 75), main));
    assert.equal(nextBits(parentAt(19, 100_000), main), nextBits(parentAt(19, 1200), main));
  });
});

describe('nextBits: intervals by network and era', () => {
  /** Parent of a block, after an interval of half the target timespan. */
  const fastParent = (height: number, timespan: number) => {
    const asked: number[] = [];
    const entry = (at: number, time: number): never =>
      ({
        height: at,
        time,
        bits: 0x1d00ffff,
        version: 4,
        parent: undefined,
        ancestor: (wanted: number) => {
          asked.push(wanted);
          return entry(wanted, 1_000_000);
        },
        medianTimePast: () => time,
      }) as never;
    return { parent: entry(height - 1, 1_000_000 + timespan / 2), asked };
  };
  const cases = [
    { name: 'main, Eunos itself in the old way', network: 'main', height: 894_000, timespan: 300, from: 893_990 },
    { name: 'main, the first of the new way', network: 'main', height: 895_008, timespan: 30_240, from: 894_000 },
    { name: 'main, today', network: 'main', height: 894_000 + 1008 * 3000, timespan: 30_240, from: 894_000 + 1008 * 2999 },
    { name: 'test, between Eunos and Fort Canning', network: 'test', height: 354_950 + 1008, timespan: 30_240, from: 354_950 },
    { name: 'test, the old way again from Fort Canning on', network: 'test', height: 686_200, timespan: 300, from: 686_190 },
    { name: 'changi, too', network: 'changi', height: 686_210, timespan: 300, from: 686_200 },
  ] as const;
  for (const { name, network, height, timespan, from } of cases) {
    test(name, () => {
      const { parent, asked } = fastParent(height, timespan);
      assert.equal(nextBits(parent, networkParams({ network })), 0x1c7fff80);
      assert.deepEqual(asked, [from]);
    });
  }
  test('no other block changes the target', () => {
    for (const height of [894_001, 894_010, 895_007, 895_009]) {
      assert.equal(nextBits(fastParent(height, 300).parent, main), 0x1d00ffff, `${height}`);
    }
    const test3 = networkParams({ network: 'test' });
    for (const height of [354_960, 354_950 + 1007, 686_201]) assert.equal(nextBits(fastParent(height, 300).parent, test3), 0x1d00ffff);
  });
  test('the target never exceeds the limit', () => {
    const { parent } = fastParent(20, 300 * 100);
    assert.equal(nextBits({ ...(parent as object), bits: 0x1e0fffff } as never, main), 0x1e0fffff);
  });
});

const path = sharedPath('golden', 'base', 'rpc_getmininginfo.jsonl.gz');

describe('a recorded block with one field changed', { skip: path === undefined }, () => {
  let chain: RecordedChain['chain'];
  let good: Block;
  before(() => {
    const recording = readRecording(path as string);
    const recorded = importRecording(recording, 30);
    chain = recorded.chain;
    const next = recording.steps.find((step): step is RecordedBlock => 'hex' in step && step.block === 31) as RecordedBlock;
    recorded.clock.set(next.time + 60);
    good = decode(blockCodec(chain.params.txFormat), fromHex(next.hex));
  });

  const submit = (header: Partial<Block['header']>) => {
    const block = { ...good, header: { ...good.header, ...header } };
    return chain.submitBlock(encode(blockCodec(chain.params.txFormat), block));
  };
  /** Re-signs a header with the key of the masternode that minted it. */
  const signed = (change: Partial<Block['header']>) => {
    const header = { ...good.header, ...change };
    const minter = toHex(recoverMinter(good.header) as Uint8Array);
    for (const { operatorKey = '' } of chain.params.masternode.genesis) {
      const key = parseWif(operatorKey, chain.params.address);
      if (key && toHex(hash160(publicKeyOf(key.secret, key.compressed))) === minter) {
        return submit({ ...header, signature: signCompact(hashToSign(header), key.secret, key.compressed) });
      }
    }
    throw new Error('no published key minted this block');
  };

  test('no signature', () =>
    assert.deepEqual(submit({ signature: new Uint8Array(0) }), { status: 'rejected', reason: 'bad-pos-header-signature' }));
  test('another signature recovers another minter', () => {
    assert.deepEqual(submit({ mintedBlocks: good.header.mintedBlocks + 1n }), { status: 'rejected', reason: 'bad-stakemodifier' });
  });
  test('stake modifier', () =>
    assert.deepEqual(submit({ stakeModifier: new Uint8Array(32) }), { status: 'rejected', reason: 'bad-stakemodifier' }));
  test('bits', () => assert.deepEqual(submit({ bits: 0x207ffffe }), { status: 'rejected', reason: 'bad-diffbits' }));
  test('mintedBlocks', () => {
    const expected = { status: 'rejected', reason: 'bad-minted-blocks' };
    assert.deepEqual(signed({ mintedBlocks: good.header.mintedBlocks + 1n }), expected);
    assert.deepEqual(signed({ mintedBlocks: good.header.mintedBlocks - 1n }), expected);
  });
  test('a key that operates no masternode', () => {
    const secret = new Uint8Array(32).fill(1);
    const minter = hash160(publicKeyOf(secret, true));
    const parentModifier = chain.header(chain.tip).stakeModifier;
    const header = { ...good.header, stakeModifier: nextStakeModifier(parentModifier, minter) };
    const result = submit({ ...header, signature: signCompact(hashToSign(header), secret, true) });
    assert.deepEqual(result, { status: 'rejected', reason: 'high-hash' });
  });
  test('the unchanged block is accepted', () => assert.deepEqual(submit({}), { status: 'accepted' }));
});
