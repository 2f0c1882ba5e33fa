import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeAnchorTransaction } from '../../../src/anchors/anchor-transaction.js';
import { teamData } from '../../../src/anchors/team-data.js';
import { communityBalance } from '../../../src/dfi/accounts/community-columns.js';
import { anchorRewards } from '../../../src/dfi/anchors/columns.js';
import { paidAnchor } from '../../../src/dfi/anchors/reward.js';
import { formatHash, NULL_HASH } from '../../../src/primitives/hash.js';
import { scriptOf } from '../../../src/script/address.js';
import { scriptNumber } from '../../../src/script/script.js';
import { concatBytes } from '../../../src/util/bytes.js';
import { AnchorNode, anchorParams, operators } from './fixture.js';
import { ALL, copyBlocks, dataOf, entry, KEY, memberIndexes, REWARD, sendAnchor, signed } from './steps.js';

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

/** A node that has signed the confirms of an anchor, and one without a view of Bitcoin that has its blocks. */
async function confirmedAnchor(): Promise<{ readonly signing: AnchorNode; readonly other: AnchorNode }> {
  const signing = new AnchorNode({ signs: ALL });
  const other = new AnchorNode({ signs: [], seesBitcoin: false });
  await signing.mintTo(60);
  signing.bitcoin?.setHeight(1);
  await sendAnchor(signing);
  signing.bitcoin?.setHeight(6);
  copyBlocks(signing, other);
  return { signing, other };
}

test('confirms wait for a block with the reward, or for another team', async () => {
  const { signing, other } = await confirmedAnchor();
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
  const { signing, other } = await confirmedAnchor();
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
