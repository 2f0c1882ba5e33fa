import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { BlockInvalid } from '../../../../src/consensus/errors.js';
import { RejectCode } from '../../../../src/mempool/reject.js';
import { rejectBlock, rejectTransaction } from '../../../../src/p2p/net/rejection.js';
import type { Block } from '../../../../src/primitives/block.js';
import { blockHash } from '../../../../src/primitives/header.js';
import { output } from '../../mempool/fixture.js';
import { hash, RawPeer, testVersion } from '../fixture.js';
import { blockMessage, NetNode } from '../net-node.js';

async function scene(t: TestContext, sendsRejects: boolean): Promise<{ node: NetNode; peer: RawPeer }> {
  const node = await NetNode.start(t, { peers: { banScore: 100_000, sendsRejects } });
  node.mine(101);
  const peer = await RawPeer.ready(node.port, testVersion);
  t.after(() => peer.close());
  return { node, peer };
}

/** A block with the Merkle root of another one. */
function wrongBlock(node: NetNode): Block {
  const block = node.make();
  const header = { ...block.header, merkleRoot: hash(1) };
  return { ...block, header, hash: blockHash(header) };
}

test('invalid blocks, transactions, versions and messages are answered with reject', async (t) => {
  const { node, peer } = await scene(t, true);
  const block = wrongBlock(node);
  peer.send(blockMessage(node, block));
  await peer.sync();
  assert.deepEqual(peer.last('reject'), { message: 'block', code: 16, reason: 'bad-txnmrklroot', data: Buffer.from(block.hash) });
  const [funds] = node.mine(1);
  assert.ok(funds?.transactions[0]);
  const tx = node.pay([output(funds.transactions[0])], [-1n]);
  peer.send({ command: 'tx', payload: tx });
  await peer.sync();
  const { data, ...rest } = peer.last('reject') ?? {};
  assert.deepEqual([rest, data], [{ message: 'tx', code: 16, reason: 'bad-txns-vout-negative' }, Buffer.from(tx.txid)]);
  peer.send({ command: 'version', payload: testVersion });
  await peer.sync();
  assert.equal(peer.last('reject')?.reason, 'Duplicate version message');
  const old = await RawPeer.connect(node.port);
  old.send({ command: 'version', payload: { ...testVersion, version: 70022 } });
  await old.waitClosed();
  assert.deepEqual([old.last('reject')?.code, old.last('reject')?.reason], [17, 'Version must be 70023 or greater']);
  peer.sendFrame('inv', Uint8Array.of(1, 2, 3));
  await peer.sync();
  assert.deepEqual([peer.last('reject')?.message, peer.last('reject')?.code], ['inv', 1]);
});

test('without -enablebip61 no reject is sent', async (t) => {
  const { node, peer } = await scene(t, false);
  peer.send(blockMessage(node, wrongBlock(node)));
  peer.send({ command: 'version', payload: testVersion });
  await peer.sync();
  assert.equal(peer.has('reject'), false);
});

test('reject codes of invalid blocks', () => {
  const codeOf = (error: BlockInvalid) => rejectBlock(hash(1), error)?.code;
  assert.equal(codeOf(new BlockInvalid('bad-cb-missing')), RejectCode.INVALID);
  assert.equal(codeOf(new BlockInvalid('bad-version(0x00000002)', 'header')), RejectCode.OBSOLETE);
  assert.equal(codeOf(new BlockInvalid('bad-fork-prior-to-checkpoint', 'checkpoint')), RejectCode.CHECKPOINT);
  assert.equal(codeOf(new BlockInvalid('bad-custom-tx')), RejectCode.CUSTOM_TX);
  assert.equal(codeOf(new BlockInvalid('non-mandatory-script-verify-flag (Non-canonical DER signature)')), RejectCode.NON_STANDARD);
  assert.equal(codeOf(new BlockInvalid('duplicate', 'cached')), undefined);
  assert.equal(codeOf(new BlockInvalid('prev-blk-not-found', 'missing-parent')), undefined);
});

test('internal reject codes are not sent to peers', () => {
  assert.equal(rejectTransaction(hash(1), { code: RejectCode.HIGH_FEE, reason: 'absurdly-high-fee' }), undefined);
  assert.equal(rejectTransaction(hash(1), { code: RejectCode.INSUFFICIENT_FEE, reason: 'mempool full' })?.code, 66);
});
