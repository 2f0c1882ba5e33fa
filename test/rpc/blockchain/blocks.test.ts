import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHash } from '../../../src/primitives/hash.js';
import { nonUtxoRewards } from '../../../src/services/blockchain/blocks/block-rewards.js';
import { paramsOfFlags } from '../../chains/recorded-chain.js';
import { genesis, mintedChain, mintedNode, tip } from './minted-chain.js';
import { answer } from './node.js';

const node = mintedNode();
const tipHex = mintedChain.blocks.at(-1)?.hex;

test('getblock: verbosity 0, false and below return the stored bytes', async () => {
  for (const verbosity of ['0', 'false', '-1']) assert.equal(await answer(node, 'getblock', `["${tip}",${verbosity}]`), `"${tipHex}"`);
});

test('getblock: without witness data under -rpcserialversion=0', async () => {
  const hex = JSON.parse(await answer({ ...node, showsWitness: false }, 'getblock', `["${tip}",0]`)) as string;
  // 362 bytes with the marker, the flag and the coinbase's witness of 34 bytes.
  assert.equal(hex.length, 326 * 2);
  assert.ok(!hex.includes('0000000001010000'));
});

test('getblock: verbosity 1 and true list ids; above 2 is like 2', async () => {
  const listed = await answer(node, 'getblock', `["${tip}"]`);
  assert.match(listed, /"tx":\["2d86b0495ab5017d4c41e476f54bbc7a544653067251d9177f6de1fd57c35055"\]/);
  assert.equal(await answer(node, 'getblock', `["${tip}",true]`), listed);
  assert.equal(await answer(node, 'getblock', `["${tip}",null]`), listed);
  assert.equal(await answer(node, 'getblock', `["${tip}",5]`), await answer(node, 'getblock', `["${tip}",2]`));
});

test('getblock: the first full answer, and the cached ones from the second on', async () => {
  const fresh = mintedNode();
  const first = await answer(fresh, 'getblock', `["${tip}",2]`);
  for (let again = 0; again < 3; again++) assert.equal(await answer(fresh, 'getblock', `["${tip}",2]`), first);
  const below = formatHash(fresh.chain.tip.parent?.hash ?? new Uint8Array(32));
  const texts = [await answer(fresh, 'getblock', `["${below}",2]`), await answer(fresh, 'getblock', `["${below}",2]`)];
  fresh.chain.invalidate(fresh.chain.tip);
  const atTip = (texts[0] as string).replace('"confirmations":2,', '"confirmations":1,').replace(/,"nextblockhash":"[0-9a-f]+"/, '');
  assert.equal(await answer(fresh, 'getblock', `["${below}",2]`), atTip);
  assert.equal(texts[1], texts[0]);
});

test('getblock: genesis has no minter and no parent', async () => {
  const text = await answer(node, 'getblock', `["${genesis}"]`);
  assert.match(text, /"height":0,"mintedBlocks":0,/);
  assert.match(text, /"nTx":9,"nextblockhash":/);
  assert.ok(!/masternode|previousblockhash/.test(text));
});

test('getblock: a block that left the active chain', async () => {
  const left = mintedNode();
  left.chain.invalidate(left.chain.tip);
  const text = await answer(left, 'getblock', `["${tip}"]`);
  assert.match(text, /"confirmations":-1,/);
  assert.ok(!text.includes('nextblockhash'));
});

test('getblockhash: both ends of the chain', async () => {
  assert.equal(await answer(node, 'getblockhash', '[0]'), `"${genesis}"`);
  assert.equal(await answer(node, 'getblockhash', '[23]'), `"${tip}"`);
});

test('getblockheader: the header that a proof by defid starts with', async () => {
  assert.equal(await answer(node, 'getblockheader', `["${tip}",false]`), `"${tipHex?.slice(0, 190 * 2)}"`);
});

test('preciousblock: a block on a shorter branch stays there', async () => {
  const old = mintedNode();
  const { chain } = old;
  const hash = formatHash(chain.tip.hash);
  assert.equal(await answer(old, 'preciousblock', `["${genesis}"]`), 'null');
  assert.equal(formatHash(chain.tip.hash), hash);
});

test('gettxout: negative and unknown indexes', async () => {
  const coinbase = '2d86b0495ab5017d4c41e476f54bbc7a544653067251d9177f6de1fd57c35055';
  for (const n of ['-1', '2', '2147483647']) assert.equal(await answer(node, 'gettxout', `["${coinbase}",${n}]`), 'null');
});

// Recorded with `defid`: the subsidy with these flags is 50 DFI.
const rewards = paramsOfFlags(['-amkheight=10', '-eunosheight=20', '-grandcentralheight=30']);
const shares = [
  { height: 9, expected: [] },
  { height: 10, expected: [{ anchorReward: 10_000_000n, incentiveFunding: 1_000_000_000n }] },
  { height: 19, expected: [{ anchorReward: 10_000_000n, incentiveFunding: 1_000_000_000n }] },
  { height: 20, expected: [{ anchorReward: 1_000_000n, burnt: 3_087_000_000n }] },
  { height: 29, expected: [{ anchorReward: 1_000_000n, burnt: 3_087_000_000n }] },
  { height: 30, expected: [{ anchorReward: 1_000_000n, communityDevelopmentFunds: 245_500_000n, burnt: 3_087_000_000n }] },
];
for (const { height, expected } of shares)
  test(`nonUtxoRewards at height ${height}`, () => assert.deepEqual(nonUtxoRewards(height, 100, rewards), expected));

// Version 4 of `defid` names three shares at every height, also of blocks below Metachain.
const lateRewards = paramsOfFlags(['-amkheight=10', '-metachainheight=12', '-eunosheight=20', '-grandcentralheight=30']);
const lateShares = [
  { height: 11, tip: 11, expected: [{ anchorReward: 10_000_000n, incentiveFunding: 1_000_000_000n }] },
  { height: 11, expected: [{ anchorReward: 10_000_000n, communityDevelopmentFunds: 0n, burnt: 0n }] },
  { height: 12, expected: [{ anchorReward: 10_000_000n, communityDevelopmentFunds: 0n, burnt: 0n }] },
  { height: 20, expected: [{ anchorReward: 1_000_000n, communityDevelopmentFunds: 0n, burnt: 3_087_000_000n }] },
  { height: 30, expected: [{ anchorReward: 1_000_000n, communityDevelopmentFunds: 245_500_000n, burnt: 3_087_000_000n }] },
];
for (const { height, tip = 100, expected } of lateShares)
  test(`nonUtxoRewards at height ${height}, with the tip at ${tip} and Metachain`, () =>
    assert.deepEqual(nonUtxoRewards(height, tip, lateRewards), expected));
