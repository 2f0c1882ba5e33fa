import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeAnchorTransaction } from '../../../src/anchors/anchor-transaction.js';
import { type AnchorAuth, anchorDataHash } from '../../../src/anchors/auth-message.js';
import { placeAnchor } from '../../../src/anchors/placement.js';
import { readTeamData, teamData } from '../../../src/anchors/team-data.js';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import { signCompact } from '../../../src/crypto/ecdsa.js';
import { communityBalance } from '../../../src/dfi/accounts/community-columns.js';
import { anchorRewards } from '../../../src/dfi/anchors/columns.js';
import { paidAnchor } from '../../../src/dfi/anchors/reward.js';
import { teamsAt } from '../../../src/dfi/anchors/teams.js';
import { P2PKH } from '../../../src/dfi/masternodes/columns.js';
import { formatHash, NULL_HASH } from '../../../src/primitives/hash.js';
import { scriptOf } from '../../../src/script/address.js';
import { scriptNumber } from '../../../src/script/script.js';
import { concatBytes, equalBytes, toHex } from '../../../src/util/bytes.js';
import { bytesOf } from '../../chains/block-builder.js';
import { AnchorNode, anchorParams, operators } from './fixture.js';

const ALL = operators.map((_, index) => index);
const REWARD = { rewardKeyId: new Uint8Array(20).fill(7), rewardKeyType: P2PKH };
const KEY = { secret: new Uint8Array(32).fill(9), compressed: true };
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

function entry(node: AnchorNode, height: number): BlockIndexEntry {
  const found = node.chain.entryAt(height);
  assert.ok(found);
  return found;
}

/** Data of the anchor of a height, made at a creation height. */
function dataOf(node: AnchorNode, height: number, creation: number) {
  const nextTeam = teamData(creation, entry(node, creation).hash);
  return { previousAnchor: NULL_HASH, height, blockHash: entry(node, height).hash, nextTeam };
}

function signed(data: ReturnType<typeof dataOf>, index: number): AnchorAuth {
  const { key } = operators[index] as (typeof operators)[number];
  return { ...data, signature: signCompact(anchorDataHash(data), key.secret, key.compressed) };
}

/** Another valid signature of the same hash by the same key: the negative of s, and the other recovery id. */
function mirrored(signature: Uint8Array): Uint8Array {
  const s = (ORDER - BigInt(`0x${toHex(signature.subarray(33))}`)).toString(16).padStart(64, '0');
  return Uint8Array.from([((signature[0] as number) - 27) ^ 1, ...signature.subarray(1, 33), ...Buffer.from(s, 'hex')]).map((byte, i) =>
    i === 0 ? byte + 27 : byte,
  );
}

function memberIndexes(node: AnchorNode, height: number, team: 'auth' | 'confirm'): number[] {
  const members = teamsAt(node.chain.state, height, anchorParams)?.[team] ?? [];
  return ALL.filter((index) => members.some((member) => equalBytes(member, operators[index]?.id as Uint8Array)));
}

/** Copies the blocks of a node to another. */
function copyBlocks(from: AnchorNode, to: AnchorNode, last = from.chain.tip.height): void {
  to.clock.set(from.clock.seconds());
  for (let height = to.chain.tip.height + 1; height <= last; height++) {
    const block = from.chain.block(entry(from, height));
    assert.ok(block);
    assert.deepEqual(to.chain.submitBlock(bytesOf(to.chain, block)), { status: 'accepted' });
  }
}

/** Sends the best anchor in a transaction to the Bitcoin chain, and makes it an anchor. */
async function sendAnchor(node: AnchorNode, tag = 1): Promise<Uint8Array> {
  const best = node.anchors.best(REWARD);
  assert.ok(best && node.bitcoin);
  const inputs = [{ prevout: { txid: new Uint8Array(32).fill(tag), vout: 0 }, value: 1_000_000n, key: KEY }];
  const { tx } = makeAnchorTransaction(best, inputs, 1_000n, anchorParams);
  node.bitcoin.send(tx);
  await node.mint();
  return tx.txid;
}

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
  assert.equal(node.anchors.addAuth({ ...auth, signature: mirrored(auth.signature) }), 'double');
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

test('an anchor in Bitcoin is confirmed by the team, rewarded by the next block, and again after a reorganisation', async () => {
  const node = new AnchorNode({ signs: ALL });
  const { anchors, bitcoin, chain } = node;
  assert.ok(bitcoin && anchors.inBitcoin);
  await node.mintTo(60);
  bitcoin.setHeight(1);
  const txid = await sendAnchor(node);
  const [placed] = anchors.inBitcoin.all();
  assert.deepEqual([placed?.anchor.height, placed?.btcHeight, placed?.anchor.signatures.length], [30, 1, 2]);
  bitcoin.setHeight(5);
  assert.deepEqual([anchors.inBitcoin.top, anchors.confirms.size, anchors.auths.groups().length], [undefined, 0, 2]);
  bitcoin.setHeight(6);
  assert.deepEqual(anchors.inBitcoin.top?.txid, txid);
  assert.equal(anchors.auths.groups().length, 0, 'signatures up to the anchor are forgotten');
  assert.deepEqual(anchors.inBitcoin.unrewarded().length, 1);
  assert.equal(anchors.confirms.size, memberIndexes(node, chain.tip.height, 'confirm').length);

  const balance = communityBalance(chain.state, 'anchor');
  assert.ok(balance > 0n);
  await node.mint();
  const reward = chain.block(chain.tip)?.transactions[1];
  assert.ok(reward);
  assert.equal(reward.vout[1]?.value, balance);
  assert.deepEqual(reward.vin[0]?.scriptSig, concatBytes(scriptNumber(chain.tip.height), Uint8Array.of(0)));
  assert.deepEqual(reward.vout[1]?.scriptPubKey, scriptOf({ type: 'pkh', hash: REWARD.rewardKeyId }));
  assert.deepEqual(chain.state.get(anchorRewards, txid), reward.txid);
  assert.deepEqual([anchors.confirms.size, anchors.inBitcoin.unrewarded().length], [0, 0]);
  await node.mint();
  assert.equal(chain.block(chain.tip)?.transactions.length, 1, 'an anchor is rewarded once');

  chain.invalidate(entry(node, chain.tip.height - 1));
  assert.equal(anchors.confirms.size, memberIndexes(node, chain.tip.height, 'confirm').length, 'signatures return, and are given again');
  await node.mint();
  assert.equal(chain.block(chain.tip)?.transactions.filter((tx) => paidAnchor(tx)).length, 1);
});

test('the next anchor names the confirmed one', async () => {
  const node = new AnchorNode({ signs: ALL });
  await node.mintTo(60);
  node.bitcoin?.setHeight(1);
  const first = await sendAnchor(node);
  node.bitcoin?.setHeight(6);
  await node.mintTo(120);
  const best = node.anchors.best(REWARD);
  assert.deepEqual([best?.height, formatHash(best?.previousAnchor ?? NULL_HASH)], [90, formatHash(first)]);
  await sendAnchor(node, 2);
  node.bitcoin?.setHeight(11);
  assert.deepEqual(
    node.anchors.inBitcoin?.all().map(({ btcHeight, anchor }) => [btcHeight, anchor.height]),
    [
      [1, 30],
      [6, 90],
    ],
  );
  assert.equal(node.anchors.inBitcoin?.top?.anchor.height, 90);
  const [confirm] = node.anchors.confirms.all();
  assert.deepEqual([confirm?.confirm.anchorHeight, confirm?.confirm.previousAnchorHeight], [90, 30]);
  node.bitcoin?.setHeight(10);
  assert.equal(node.anchors.inBitcoin?.top?.anchor.height, 30, 'a lower Bitcoin chain takes the confirmation back');
});

test('a transaction that is sent again moves its anchor to another Bitcoin block', async () => {
  const node = new AnchorNode({ signs: ALL });
  const { inBitcoin } = node.anchors;
  assert.ok(inBitcoin && node.bitcoin);
  await node.mintTo(60);
  node.bitcoin.setHeight(1);
  const txid = await sendAnchor(node);
  const [first] = inBitcoin.all();
  node.bitcoin.setHeight(6);
  assert.equal(inBitcoin.top?.btcHeight, 1);
  const sent = node.bitcoin.find(txid)?.tx;
  assert.ok(sent && first);
  node.bitcoin.send(sent);
  assert.deepEqual(inBitcoin.all(), [{ ...first, btcHeight: 6 }]);
  assert.deepEqual([inBitcoin.top, inBitcoin.pending()], [undefined, []]);
  node.bitcoin.setHeight(11);
  assert.equal(inBitcoin.top?.btcHeight, 6);
});

test('an anchor is forgotten if the one before it is unknown or not lower', async () => {
  const node = new AnchorNode({ signs: ALL });
  const { inBitcoin } = node.anchors;
  assert.ok(inBitcoin && node.bitcoin);
  await node.mintTo(60);
  node.bitcoin.setHeight(1);
  const txid = await sendAnchor(node);
  const inputs = [{ prevout: { txid: new Uint8Array(32).fill(5), vout: 0 }, value: 1_000_000n, key: KEY }];
  const send = async (previousAnchor: Uint8Array, height: number, creation: number): Promise<number> => {
    const data = { ...dataOf(node, height, creation), previousAnchor };
    const signatures = memberIndexes(node, creation, 'auth').map((index) => signed(data, index).signature);
    node.bitcoin?.send(makeAnchorTransaction({ ...data, signatures, ...REWARD }, inputs, 1_000n, anchorParams).tx);
    await node.mint();
    return inBitcoin.all().length + inBitcoin.pending().length;
  };
  assert.equal(await send(new Uint8Array(32).fill(1), 30, 60), 1, 'unknown');
  assert.equal(await send(txid, 30, 60), 1, 'the same block');
  await node.mintTo(75);
  assert.equal(await send(txid, 45, 75), 2);
});

test('transactions without a well-formed anchor are not looked at', async () => {
  const node = new AnchorNode({ signs: ALL });
  await node.mintTo(60);
  const best = node.anchors.best(REWARD);
  assert.ok(best && node.bitcoin && node.anchors.inBitcoin);
  const inputs = [{ prevout: { txid: new Uint8Array(32).fill(1), vout: 0 }, value: 1_000_000n, key: KEY }];
  const send = (change: object) => node.bitcoin?.send(makeAnchorTransaction({ ...best, ...change }, inputs, 1_000n, anchorParams).tx);
  send({ signatures: [...best.signatures, ...best.signatures] });
  send({ nextTeam: teamData(0, NULL_HASH) });
  send({ nextTeam: [operators[0]?.id] });
  assert.deepEqual(node.anchors.inBitcoin.pending(), []);
  send({ signatures: [...best.signatures, ...best.signatures.slice(1)] });
  assert.equal(node.anchors.inBitcoin.pending().length, 1, 'as many as the team has members');
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

test('an anchor is not made of signatures that name another one than the last', async () => {
  const node = new AnchorNode({ signs: ALL });
  await node.mintTo(60);
  node.bitcoin?.setHeight(1);
  await sendAnchor(node);
  await node.mintTo(75);
  assert.equal(node.anchors.best(REWARD)?.height, 45);
  node.bitcoin?.setHeight(6);
  assert.equal(node.anchors.auths.groups()[0]?.[0]?.auth.height, 45);
  assert.equal(node.anchors.best(REWARD), undefined);
});

test('no anchor is made of a block that is too young for a Bitcoin block of now', async () => {
  const node = new AnchorNode({ signs: ALL });
  await node.mintTo(60);
  node.clock.set(entry(node, 30).time + 10_799);
  assert.equal(node.anchors.best(REWARD)?.height, 15);
  node.clock.set(entry(node, 30).time + 10_800);
  assert.equal(node.anchors.best(REWARD)?.height, 30);
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

test('an anchor is forgotten if its block was too young for its Bitcoin block, or it has too few signatures', async () => {
  const node = new AnchorNode({ signs: ALL });
  await node.mintTo(60);
  const best = node.anchors.best(REWARD);
  assert.ok(best && node.bitcoin && node.anchors.inBitcoin);
  const inputs = [{ prevout: { txid: new Uint8Array(32).fill(1), vout: 0 }, value: 1_000_000n, key: KEY }];
  const { tx } = makeAnchorTransaction({ ...best, signatures: best.signatures.slice(1) }, inputs, 1_000n, anchorParams);
  node.bitcoin.send(tx);
  const now = node.clock.seconds();
  node.clock.set(entry(node, best.height).time + 9_000);
  const early = makeAnchorTransaction(best, inputs, 1_000n, anchorParams).tx;
  node.bitcoin.send(early);
  node.clock.set(now);
  assert.equal(node.anchors.inBitcoin.pending().length, 2);
  await node.mint();
  assert.deepEqual([node.anchors.inBitcoin.pending(), node.anchors.inBitcoin.all()], [[], []]);
});

test('confirms wait for a block with the reward, or for another team', async () => {
  const signing = new AnchorNode({ signs: ALL });
  const other = new AnchorNode({ signs: [], seesBitcoin: false });
  await signing.mintTo(60);
  signing.bitcoin?.setHeight(1);
  await sendAnchor(signing);
  signing.bitcoin?.setHeight(6);
  copyBlocks(signing, other);
  for (const { confirm } of signing.anchors.confirms.all()) other.anchors.addConfirm(confirm);
  const unaware = new AnchorNode({ signs: [], seesBitcoin: false });
  copyBlocks(signing, unaware);
  await unaware.mintTo(74);
  copyBlocks(unaware, other);
  assert.equal(other.anchors.confirms.size, 3);
  await unaware.mint();
  copyBlocks(unaware, other);
  assert.equal(other.anchors.confirms.size, 0);
});

test('a node without a view of Bitcoin pays rewards that peers confirm', async () => {
  const signing = new AnchorNode({ signs: ALL });
  const other = new AnchorNode({ signs: [], seesBitcoin: false });
  await signing.mintTo(60);
  signing.bitcoin?.setHeight(1);
  await sendAnchor(signing);
  signing.bitcoin?.setHeight(6);
  copyBlocks(signing, other);
  const confirms = signing.anchors.confirms.all().map(({ confirm }) => confirm);
  assert.deepEqual(
    confirms.map((confirm) => other.anchors.addConfirm(confirm)),
    confirms.map(() => 'added'),
  );
  const [first] = confirms;
  assert.ok(first);
  assert.equal(other.anchors.addConfirm(first), 'known');
  assert.equal(other.anchors.addConfirm({ ...first, anchorHeight: 15 }), 'refused');
  await other.mint();
  assert.equal(other.chain.block(other.chain.tip)?.transactions.filter((tx) => paidAnchor(tx)).length, 1);
  assert.equal(other.anchors.addConfirm(first), 'refused', 'it is paid');
  assert.equal(other.anchors.confirms.size, 0);
  other.chain.invalidate(other.chain.tip);
  assert.equal(other.anchors.confirms.size, 2, 'the signatures in the reward return');
  await other.mint();
  copyBlocks(other, signing);
  assert.equal(signing.anchors.confirms.size, 0);
});
