import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeAnchor } from '../../../src/anchors/placement.js';
import { readTeamData, teamData } from '../../../src/anchors/team-data.js';
import { NULL_HASH } from '../../../src/primitives/hash.js';
import { toHex } from '../../../src/util/bytes.js';
import { AnchorNode, operators } from './fixture.js';
import { ALL, copyBlocks, dataOf, entry, memberIndexes, mirrored, sendAnchor, signed } from './steps.js';

test('the masternodes of the team sign blocks that are three and a quarter hours old, at every 15th height', async () => {
  const node = new AnchorNode({ signs: ALL });
  await node.mintTo(44);
  assert.equal(node.anchors.auths.groups().length, 0);
  await node.mint();
  assert.equal(node.anchors.auths.groups().length, 1);
  await node.mintTo(60);
  const groups = node.anchors.auths.groups();
  assert.deepEqual(
    groups.map((group) => [group[0]?.auth.height, readTeamData(group[0]?.auth.nextTeam ?? [])?.creation, group.length]),
    [
      [30, 60, 3],
      [15, 45, 3],
    ],
  );
  assert.ok(groups.every((group) => group.every(({ auth }) => placeAnchor(auth, node.chain).status === 'placed')));
});

test('a node signs for masternodes of the team alone whose keys it has', async () => {
  const all = new AnchorNode({ signs: [] });
  await all.mintTo(60);
  const [member] = memberIndexes(all, 60, 'auth');
  const outsider = ALL.find((index) => !memberIndexes(all, 60, 'auth').includes(index) && !memberIndexes(all, 45, 'auth').includes(index));
  assert.deepEqual(all.anchors.auths.groups(), []);
  const node = new AnchorNode({ signs: [member, outsider].flatMap((index) => index ?? []) });
  copyBlocks(all, node);
  const signers = node.anchors.auths.groups().flatMap((group) => group.map(({ signer }) => toHex(signer)));
  assert.ok(signers.length > 0);
  assert.deepEqual([...new Set(signers)], [toHex(operators[member as number]?.id as Uint8Array)]);
});

test('peers are asked for recent signatures once, and again when the chain branches', async () => {
  const node = new AnchorNode({ signs: [] });
  const asked: (readonly [low: number, high: number])[] = [];
  node.anchors.on('missed', ({ low, high }) => asked.push([low.height, high.height]));
  await node.mintTo(100);
  const [first, ...others] = asked;
  assert.deepEqual([first?.[0], others], [0, []]);
  const later = new AnchorNode({ signs: [] });
  const askedLater: (readonly [low: number, high: number])[] = [];
  copyBlocks(node, later, 99);
  const { anchors } = new AnchorNode({ signs: [], chain: later.chain });
  anchors.on('missed', ({ low, high }) => askedLater.push([low.height, high.height]));
  copyBlocks(node, later);
  assert.deepEqual(askedLater, [[25, 100]], 'five times the frequency below the tip');
  node.chain.invalidate(entry(node, 98));
  assert.deepEqual(asked.at(-1), [82, 97], 'from the frequency below the fork');
});

test('the place of an anchor follows from the chain', async () => {
  const node = new AnchorNode({ signs: [] });
  await node.mintTo(60);
  const good = dataOf(node, 30, 60);
  const placement = placeAnchor(good, node.chain);
  assert.deepEqual(placement.status === 'placed' && [placement.block.height, placement.creation], [30, 60]);
  const status = (change: object) => placeAnchor({ ...good, ...change }, node.chain).status;
  assert.equal(status({ height: 61 }), 'unknown');
  assert.equal(status({ nextTeam: teamData(75, NULL_HASH) }), 'unknown');
  assert.equal(status({ height: 29, blockHash: entry(node, 29).hash }), 'wrong', 'not a multiple of 15');
  assert.equal(status({ height: 15, blockHash: entry(node, 15).hash }), 'wrong', 'not the last that is old enough');
  assert.equal(status({ blockHash: entry(node, 31).hash }), 'wrong', 'another block');
  assert.equal(status({ nextTeam: teamData(60, entry(node, 59).hash) }), 'wrong', 'another chain');
  assert.equal(status({ nextTeam: teamData(59, entry(node, 59).hash) }), 'wrong', 'made between the multiples');
  assert.equal(status({ nextTeam: [operators[0]?.id] }), 'wrong', 'a team of the time before Dakota');
});

test('signatures of peers are collected once, if their signer is of the team', async () => {
  const node = new AnchorNode({ signs: [] });
  await node.mintTo(60);
  const data = dataOf(node, 30, 60);
  const [member] = memberIndexes(node, 60, 'auth');
  const outsider = ALL.find((index) => !memberIndexes(node, 60, 'auth').includes(index));
  assert.ok(member !== undefined && outsider !== undefined);
  const auth = signed(data, member);
  assert.equal(node.anchors.addAuth(auth), 'added');
  assert.equal(node.anchors.addAuth(auth), 'known');
  assert.equal(node.anchors.addAuth({ ...auth, signature: mirrored(auth.signature) }), 'refused');
  assert.equal(node.anchors.addAuth(signed(data, outsider)), 'refused');
  assert.equal(node.anchors.addAuth({ ...auth, signature: auth.signature.subarray(1) }), 'refused');
  assert.equal(node.anchors.addAuth(signed({ ...data, height: 31, blockHash: entry(node, 31).hash }, member)), 'refused');
  assert.equal(node.anchors.addAuth(signed({ ...data, previousAnchor: new Uint8Array(32).fill(1) }, member)), 'refused', 'no such anchor');
  assert.equal(node.anchors.auths.groups().length, 1);
});

test('a signature that arrives before its block is collected with it, and announced', async () => {
  const source = new AnchorNode({ signs: [] });
  await source.mintTo(60);
  const auth = signed(dataOf(source, 30, 60), memberIndexes(source, 60, 'auth')[0] as number);
  const stranger = signed(dataOf(source, 30, 60), ALL.find((index) => !memberIndexes(source, 60, 'auth').includes(index)) as number);
  const node = new AnchorNode({ signs: [] });
  const announced: Uint8Array[] = [];
  node.anchors.on('auth', ({ auth: { signature } }) => announced.push(signature));
  copyBlocks(source, node, 59);
  assert.deepEqual([node.anchors.addAuth(auth), node.anchors.addAuth(stranger)], ['refused', 'refused']);
  assert.deepEqual(node.anchors.auths.groups(), []);
  copyBlocks(source, node);
  assert.deepEqual(announced, [auth.signature]);
  assert.equal(node.anchors.auths.groups().length, 1);
});

test('signatures that arrive early are bounded, the oldest go first', async () => {
  const source = new AnchorNode({ signs: [] });
  await source.mintTo(60);
  const [member] = memberIndexes(source, 60, 'auth');
  const auth = signed(dataOf(source, 30, 60), member as number);
  const node = new AnchorNode({ signs: [] });
  copyBlocks(source, node, 59);
  for (let i = 0; i < 200; i++) node.anchors.addAuth(signed({ ...dataOf(source, 30, 60), height: 1_000 + i }, member as number));
  node.anchors.addAuth(auth);
  const crowded = new AnchorNode({ signs: [] });
  copyBlocks(source, crowded, 59);
  crowded.anchors.addAuth(auth);
  for (let i = 0; i < 200; i++) crowded.anchors.addAuth(signed({ ...dataOf(source, 30, 60), height: 1_000 + i }, member as number));
  for (const each of [node, crowded]) copyBlocks(source, each);
  assert.deepEqual([node.anchors.auths.groups().length, crowded.anchors.auths.groups().length], [1, 0]);
});

test('without a view of Bitcoin the previous anchor of a signature is not checked', async () => {
  const node = new AnchorNode({ signs: ALL, seesBitcoin: false });
  await node.mintTo(60);
  assert.deepEqual(node.anchors.auths.groups(), [], 'it signs nothing');
  const data = { ...dataOf(node, 30, 60), previousAnchor: new Uint8Array(32).fill(1) };
  assert.equal(node.anchors.addAuth(signed(data, memberIndexes(node, 60, 'auth')[0] as number)), 'added');
});

test('a signature may name an anchor that is not confirmed yet, below its block', async () => {
  const node = new AnchorNode({ signs: ALL });
  await node.mintTo(60);
  node.bitcoin?.setHeight(1);
  const txid = await sendAnchor(node);
  await node.mintTo(75);
  const add = (height: number, creation: number) =>
    node.anchors.addAuth(
      signed({ ...dataOf(node, height, creation), previousAnchor: txid }, memberIndexes(node, creation, 'auth')[0] as number),
    );
  assert.deepEqual([add(30, 60), add(45, 75)], ['refused', 'added']);
});

test('peers are given the signatures of the blocks that they ask about, of the active chain', async () => {
  const node = new AnchorNode({ signs: ALL });
  await node.mintTo(60);
  const hash = (height: number) => entry(node, height).hash;
  const heights = (low: Uint8Array, high: Uint8Array) => [...new Set(node.anchors.authsBetween(low, high).map(({ auth }) => auth.height))];
  assert.deepEqual(heights(hash(0), hash(60)), [30, 15]);
  assert.deepEqual([heights(hash(15), hash(15)), heights(hash(16), hash(29)), heights(hash(30), hash(60))], [[15], [], [30]]);
  assert.deepEqual([heights(hash(0), NULL_HASH), heights(NULL_HASH, hash(60))], [[30, 15], []], 'up to the tip, from nowhere');
  const low = hash(0);
  node.chain.invalidate(entry(node, 30));
  assert.deepEqual(heights(low, NULL_HASH), [15]);
});
