import assert from 'node:assert/strict';
import { makeAnchorTransaction } from '../../../src/anchors/anchor-transaction.js';
import { type AnchorAuth, anchorDataHash } from '../../../src/anchors/auth-message.js';
import { teamData } from '../../../src/anchors/team-data.js';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import { signCompact } from '../../../src/crypto/ecdsa.js';
import { teamsAt } from '../../../src/dfi/anchors/teams.js';
import { P2PKH } from '../../../src/dfi/masternodes/columns.js';
import { NULL_HASH } from '../../../src/primitives/hash.js';
import { equalBytes, toHex } from '../../../src/util/bytes.js';
import { bytesOf } from '../../chains/block-builder.js';
import { type AnchorNode, anchorParams, operators } from './fixture.js';

/** Indexes of all masternodes of genesis. */
export const ALL = operators.map((_, index) => index);
/** Key that gets rewards. */
export const REWARD = { rewardKeyId: new Uint8Array(20).fill(7), rewardKeyType: P2PKH };
/** Key that pays for anchors. */
export const KEY = { secret: new Uint8Array(32).fill(9), compressed: true };

/** Block of the active chain. */
export function entry(node: AnchorNode, height: number): BlockIndexEntry {
  const found = node.chain.entryAt(height);
  assert.ok(found);
  return found;
}

/** Data of the anchor of a height, made at a creation height. */
export function dataOf(node: AnchorNode, height: number, creation: number) {
  const nextTeam = teamData(creation, entry(node, creation).hash);
  return { previousAnchor: NULL_HASH, height, blockHash: entry(node, height).hash, nextTeam };
}

/** The signature of a masternode. */
export function signed(data: ReturnType<typeof dataOf>, index: number): AnchorAuth {
  const { key } = operators[index] as (typeof operators)[number];
  return { ...data, signature: signCompact(anchorDataHash(data), key.secret, key.compressed) };
}

/** Indexes of the masternodes of a team. */
export function memberIndexes(node: AnchorNode, height: number, team: 'auth' | 'confirm'): number[] {
  const members = teamsAt(node.chain.state, height, anchorParams)?.[team] ?? [];
  return ALL.filter((index) => members.some((member) => equalBytes(member, operators[index]?.id as Uint8Array)));
}

/** Copies the blocks of a node to another. */
export function copyBlocks(from: AnchorNode, to: AnchorNode, last = from.chain.tip.height): void {
  to.clock.set(from.clock.seconds());
  for (let height = to.chain.tip.height + 1; height <= last; height++) {
    const block = from.chain.block(entry(from, height));
    assert.ok(block);
    assert.deepEqual(to.chain.submitBlock(bytesOf(to.chain, block)), { status: 'accepted' });
  }
}

/** Sends the best anchor in a transaction to the Bitcoin chain, and makes it an anchor. */
export async function sendAnchor(node: AnchorNode, tag = 1): Promise<Uint8Array> {
  const best = node.anchors.best(REWARD);
  assert.ok(best && node.bitcoin);
  const inputs = [{ prevout: { txid: new Uint8Array(32).fill(tag), vout: 0 }, value: 1_000_000n, key: KEY }];
  const { tx } = makeAnchorTransaction(best, inputs, 1_000n, anchorParams);
  node.bitcoin.send(tx);
  await node.mint();
  return tx.txid;
}

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Another valid signature of the same hash by the same key: the negative of s, and the other recovery id. */
export function mirrored(signature: Uint8Array): Uint8Array {
  const s = (ORDER - BigInt(`0x${toHex(signature.subarray(33))}`)).toString(16).padStart(64, '0');
  return Uint8Array.from([((signature[0] as number) - 27) ^ 1, ...signature.subarray(1, 33), ...Buffer.from(s, 'hex')]).map((byte, i) =>
    i === 0 ? byte + 27 : byte,
  );
}
