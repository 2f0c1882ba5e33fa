import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { makeAnchorTransaction } from '../../../../src/anchors/anchor-transaction.js';
import type { Verdict } from '../../../../src/anchors/anchors.js';
import { type AnchorAuth, anchorAuthHash } from '../../../../src/anchors/auth-message.js';
import { AuthPool } from '../../../../src/anchors/auth-pool.js';
import { ConfirmPool } from '../../../../src/anchors/confirm-pool.js';
import { P2PKH } from '../../../../src/dfi/masternodes/columns.js';
import { AnchorRelay } from '../../../../src/p2p/relay/anchors.js';
import { type InventoryItem, InvType } from '../../../../src/p2p/wire/inventory.js';
import { toHex } from '../../../../src/util/bytes.js';
import { bytesOf } from '../../../chains/block-builder.js';
import { until } from '../../../until.js';
import { AnchorNode, anchorParams, operators } from '../../anchors/fixture.js';
import { dataOf, memberIndexes, mirrored, signed } from '../../anchors/steps.js';
import { FakePeer } from '../fake-peer.js';
import { NetNode } from '../net-node.js';

const KEYS = new Map(operators.map(({ id, key }) => [toHex(id), key]));

/** A relay with two peers whose messages get the verdict of the test. */
function relay(verdict: Verdict, { isInitialDownload = false } = {}) {
  const [sender, other] = [new FakePeer(), new FakePeer({ id: 2 })];
  const given: AnchorAuth[] = [];
  const onTip: (() => void)[] = [];
  const anchors = {
    auths: new AuthPool(),
    confirms: new ConfirmPool(),
    on: () => () => false,
    addAuth: (auth: AnchorAuth) => {
      given.push(auth);
      return verdict;
    },
    addConfirm: () => verdict,
    authsBetween: () => [],
  };
  const chain = {
    isInitialDownload: () => isInitialDownload,
    on: (_: string, listener: never) => {
      onTip.push(listener);
      return () => true;
    },
  };
  const tested = new AnchorRelay({ chain, anchors, peers: () => [sender.peer, other.peer], nowMs: () => 0 });
  const receive = (auth: AnchorAuth, announced = true): void => {
    const item: InventoryItem = { type: InvType.anchorAuth, hash: anchorAuthHash(auth) };
    if (announced) tested.processInventory(sender.session, [item]);
    tested.processAuth(sender.session, auth);
  };
  return { tested, sender, other, given, receive, tipChanged: () => onTip[0]?.() };
}

const AUTH: AnchorAuth = {
  previousAnchor: new Uint8Array(32),
  height: 30,
  blockHash: new Uint8Array(32).fill(1),
  nextTeam: [new Uint8Array(20)],
  signature: new Uint8Array(65),
};

const commands = ({ sent }: FakePeer) => sent.map(({ command }) => command);

test('a new signature is announced to the other peers', () => {
  const { sender, other, given, receive } = relay('added');
  receive(AUTH);
  assert.deepEqual([given.length, commands(sender), commands(other)], [1, ['getdata'], ['inv']]);
});

test('a message that was not requested is dropped unread', () => {
  const { other, given, receive } = relay('added');
  receive(AUTH, false);
  assert.deepEqual([given.length, commands(other)], [0, []]);
});

test('nothing is requested in the initial download', () => {
  const { sender, given, receive } = relay('added', { isInitialDownload: true });
  receive(AUTH);
  assert.deepEqual([given.length, commands(sender)], [0, []]);
});

test('without collected messages a peer is sent no empty list of them', () => {
  const { tested, sender } = relay('added');
  tested.greet(sender.peer);
  tested.getAuths(sender.peer, { lowBlock: new Uint8Array(32), highBlock: new Uint8Array(32) });
  assert.deepEqual(commands(sender), []);
});

test('a refused message is not requested again until the tip changes', () => {
  const { sender, other, given, receive, tipChanged } = relay('refused');
  receive(AUTH);
  receive(AUTH);
  assert.deepEqual([given.length, commands(sender), commands(other), sender.peer.disconnected], [1, ['getdata'], [], false]);
  tipChanged();
  receive(AUTH);
  assert.deepEqual([given.length, commands(sender)], [2, ['getdata', 'getdata']]);
});

test('a peer with a second signature of one masternode stays connected: anyone can make one of the first', async () => {
  const node = new AnchorNode({ signs: [] });
  await node.mintTo(60);
  const { chain, anchors } = node;
  const auth = signed(dataOf(node, 30, 60), memberIndexes(node, 60, 'auth')[0] as number);
  const second = { ...auth, signature: mirrored(auth.signature) };
  const [attacker, honest] = [new FakePeer(), new FakePeer({ id: 2 })];
  const tested = new AnchorRelay({ chain, anchors, peers: () => [attacker.peer, honest.peer], nowMs: () => 0 });
  const steps = [[attacker, second] as const, [honest, auth] as const];
  for (const [{ session }, message] of steps) {
    tested.processInventory(session, [{ type: InvType.anchorAuth, hash: anchorAuthHash(message) }]);
    tested.processAuth(session, message);
  }
  assert.deepEqual(
    anchors.auths.groups()[0]?.map((collected) => collected.auth),
    [second],
  );
  assert.deepEqual(
    steps.map(([{ peer }]) => peer.disconnected),
    [false, false],
  );
  assert.deepEqual(commands(honest), ['inv', 'getdata']);
});

test('an oversized team is dropped unread', () => {
  const { given, receive } = relay('added');
  const ids = Array.from({ length: 101 }, (_, i) => new Uint8Array(20).fill(i));
  receive({ ...AUTH, nextTeam: ids });
  assert.equal(given.length, 0);
});

test('signatures reach other nodes, and those that join later', async (t) => {
  const source = new AnchorNode({ signs: [] });
  await source.mintTo(62);
  const start = async (keys: typeof KEYS, height: number): Promise<NetNode> => {
    const node = await NetNode.start(t, { params: anchorParams, keys });
    node.clock.set(source.clock.seconds());
    copy(node, height);
    return node;
  };
  const copy = (node: NetNode, height: number): void => {
    for (let at = node.height + 1; at <= height; at++) {
      const block = source.chain.block(source.chain.entryAt(at) ?? source.chain.tip);
      assert.ok(block);
      assert.deepEqual(node.chain.submitBlock(bytesOf(node.chain, block)), { status: 'accepted' });
    }
  };
  const heights = (node: NetNode) => node.anchors.auths.groups().map((group) => [group[0]?.auth.height, group.length]);
  const signing = await start(KEYS, 59);
  const other = await start(new Map(), 59);
  await other.connect(signing);
  copy(signing, 60);
  await until(() => other.height === 60, 'the block');
  await until(() => isDeepStrictEqual(heights(other)[0], [30, 3]), 'the signatures of the block');

  const stopped = await start(new Map(), 60);
  await stopped.stop();
  const late = await NetNode.start(t, { params: anchorParams, disk: stopped.disk, clock: stopped.clock });
  await late.connect(other);
  copy(signing, 61);
  // With the first block after the start it asks for what it missed.
  await until(() => isDeepStrictEqual(heights(late), heights(other)), 'the signatures from before');

  const best = signing.anchors.best({ rewardKeyId: new Uint8Array(20), rewardKeyType: P2PKH });
  assert.ok(best);
  const key = { secret: new Uint8Array(32).fill(9), compressed: true };
  const inputs = [{ prevout: { txid: new Uint8Array(32), vout: 0 }, value: 1_000_000n, key }];
  signing.bitcoin.setHeight(1);
  signing.bitcoin.send(makeAnchorTransaction(best, inputs, 1_000n, anchorParams).tx);
  copy(signing, 62);
  await until(() => late.height === 62, 'the next block');
  signing.bitcoin.setHeight(6);
  await until(() => late.anchors.confirms.size === 3, 'the confirms of the reward');
  const last = await start(new Map(), 62);
  await last.connect(late);
  await until(() => last.anchors.confirms.size === 3, 'the confirms when it connects');
});
