import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHash } from '../../../src/primitives/hash.js';
import { fromHex } from '../../../src/util/bytes.js';
import { type RecordedAnswer, readRecording, sharedPath } from '../../shared.js';
import { mintedChain, mintedNode } from './minted-chain.js';
import { answer, answerThroughBytes, isAnswered, startNode, strictAnswer } from './node.js';

/**
 * Intended differences of our strict answers from the recorded ones: upgrades after the recorded version of `defid`, and members
 * that depend on the disk or the clock.
 */
const BEYOND = /,"(?:metachain|df23upgrade|df24upgrade)":\{[^}]*\}/g;
const VOLATILE = /"(?:size_on_disk|disk_size|initialblockdownload)":[^,]*,/g;

function comparable(text: string): string {
  return text.replace(BEYOND, '').replace(VOLATILE, '');
}

test('a chain of 23 blocks: every answer equals that of defid byte for byte', async () => {
  const node = mintedNode();
  assert.equal(mintedChain.answers.length, 18);
  for (const { method, params, result } of mintedChain.answers)
    assert.equal(comparable(await strictAnswer(node, method, params)), comparable(result), `${method} ${params}`);
});

test('a chain of 23 blocks: the messages of gRPC have the same content', async () => {
  const node = mintedNode();
  for (const { method, params } of mintedChain.answers)
    assert.equal(await answerThroughBytes(node, method, params), await answer(node, method, params), `${method} ${params}`);
});

test('members that our non-strict answers add to those of defid', async () => {
  const node = mintedNode(1);
  const header = await answer(node, 'getblockheader', JSON.stringify([formatHash(node.chain.tip.hash)]));
  assert.match(header, /"mediantime":\d+,"nonce":0,"bits":"207fffff"/);
});

const RECORDINGS = [
  'base/rpc_blockchain',
  'base/rpc_txoutproof',
  'base/feature_anchor_rewards',
  'base/feature_burn_address',
  'calls/calls_segwit',
  'calls/calls_accounts_n_utxos',
];

for (const name of RECORDINGS) {
  test(`recorded chain ${name}`, async (t) => {
    const path = sharedPath('golden', `${name}.jsonl.gz`);
    if (!path) return t.skip('recordings are not beside the repository');
    const compared = await compareRecording(path);
    console.log(`${name}: ${compared} answers are the same`);
    assert.ok(compared > 20);
  });
}

async function compareRecording(path: string): Promise<number> {
  const recording = readRecording(path);
  const node = startNode(recording.header.flags);
  let compared = 0;
  for (const step of recording.steps) {
    if ('hex' in step) {
      node.clock.set(step.time);
      node.chain.submitBlock(fromHex(step.hex));
      assert.equal(formatHash(node.chain.tip.hash), step.hash);
      continue;
    }
    for (const given of step.answers.filter(({ method }) => isAnswered(method))) {
      const params = JSON.stringify(given.params);
      assert.equal(
        comparable(await strictAnswer(node, given.method, params)),
        comparable(textOf(given)),
        `${step.check} ${given.method} ${params}`,
      );
      compared += 1;
    }
  }
  return compared;
}

function textOf({ result, error }: RecordedAnswer): string {
  return result ?? error ?? '';
}
