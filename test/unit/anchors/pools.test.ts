import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anchorDataHash } from '../../../src/anchors/auth-message.js';
import { AuthPool, type CollectedAuth, readAuth } from '../../../src/anchors/auth-pool.js';
import { type CollectedConfirm, ConfirmPool, readConfirm } from '../../../src/anchors/confirm-pool.js';
import { teamData } from '../../../src/anchors/team-data.js';
import { signCompact } from '../../../src/crypto/ecdsa.js';
import { confirmHash } from '../../../src/dfi/anchors/columns.js';
import { P2PKH } from '../../../src/dfi/masternodes/columns.js';
import { compareBytes } from '../../../src/util/bytes.js';
import { operators } from './fixture.js';

function auth(height: number, signer: number, tag = 0): CollectedAuth {
  const blockHash = new Uint8Array(32).fill(tag);
  const data = { previousAnchor: new Uint8Array(32), height, blockHash, nextTeam: teamData(height + 30, blockHash) };
  const { key } = operators[signer] as (typeof operators)[number];
  const collected = readAuth({ ...data, signature: signCompact(anchorDataHash(data), key.secret, key.compressed) });
  assert.ok(collected);
  return collected;
}

function confirm(btcTxHeight: number, tag: number, signer: number, rewarded = 0): CollectedConfirm {
  const data = {
    btcTxHash: new Uint8Array(32).fill(tag),
    anchorHeight: 30,
    previousAnchorHeight: 0,
    rewardKeyId: new Uint8Array(20).fill(rewarded),
    rewardKeyType: P2PKH,
    blockHash: new Uint8Array(32),
    btcTxHeight,
  };
  const { key } = operators[signer] as (typeof operators)[number];
  const collected = readConfirm({ ...data, signature: signCompact(confirmHash(data), key.secret, key.compressed) });
  assert.ok(collected);
  return collected;
}

const team = (...indexes: number[]) => indexes.map((index) => (operators[index] as (typeof operators)[number]).id);

test('auths are grouped by what they sign, the highest block first', () => {
  const pool = new AuthPool();
  const all = [auth(15, 0), auth(30, 0), auth(30, 1), auth(15, 1), auth(30, 0, 1), auth(30, 0)];
  for (const each of all) pool.add(each);
  const groups = pool.groups();
  assert.deepEqual(groups.map((group) => [group[0]?.auth.height, group.length]).sort(), [
    [15, 2],
    [30, 1],
    [30, 2],
  ]);
  assert.deepEqual(groups.at(-1), [all[0], all[3]]);
  assert.ok(compareBytes(groups[0]?.[0]?.signed as Uint8Array, groups[1]?.[0]?.signed as Uint8Array) > 0);
  assert.equal(pool.find(all[1]?.id as Uint8Array), all[1]);
});

test('pruned auths can be added again', () => {
  const pool = new AuthPool();
  const low = auth(15, 0);
  for (const each of [low, auth(30, 0)]) pool.add(each);
  pool.prune(16);
  assert.deepEqual(
    pool.groups().map((group) => group[0]?.auth.height),
    [30],
  );
  assert.deepEqual([pool.find(low.id), pool.hasVote(low.signed, low.signer)], [undefined, false]);
  pool.add(low);
  assert.equal(pool.find(low.id), low);
});

test('one masternode cannot fill the pool of auths: its own lowest block, else its newest signature, is evicted', () => {
  const pool = new AuthPool();
  const other = { ...auth(15, 1), id: hashOf(9_999) };
  pool.add(other);
  const add = (number: number, height: number) => {
    const isAdded = pool.add({ auth: { ...auth0.auth, height }, signer: auth0.signer, id: hashOf(number), signed: hashOf(number) });
    assert.equal(pool.find(hashOf(number)) !== undefined, isAdded);
    return isAdded;
  };
  for (let number = 0; number < 400; number++) assert.ok(add(number, number === 7 ? 14 : 15));
  assert.equal(add(400, 15), true);
  assert.equal(pool.find(hashOf(7)), undefined);
  assert.equal(add(401, 15), false, 'of the same block as all others');
  assert.equal(add(402, 16), true);
  assert.equal(pool.groups().length, 401);
  assert.equal(pool.find(other.id), other);
  pool.prune(16);
  for (let number = 500; number < 899; number++) assert.ok(add(number, 17), 'room after pruning');
});

test('the pool of auths is bounded, and keeps the highest blocks', () => {
  const pool = new AuthPool();
  for (let height = 1; height <= 2_005; height++) {
    const message = { ...auth0.auth, height };
    const signer = hashOf(height % 6).subarray(0, 20);
    pool.add({ auth: message, signer, id: hashOf(height), signed: hashOf(height) });
  }
  assert.equal(pool.groups().length, 2_000);
  assert.deepEqual([pool.groups()[0]?.[0]?.auth.height, pool.groups().at(-1)?.[0]?.auth.height], [2_005, 6]);
});

const auth0 = auth(15, 0);

function hashOf(number: number): Uint8Array {
  const hash = new Uint8Array(32);
  new DataView(hash.buffer).setUint32(0, number);
  return hash;
}

test('a masternode confirms an anchor once', () => {
  const pool = new ConfirmPool();
  const first = confirm(1, 1, 0);
  assert.equal(pool.add(first), true);
  assert.equal(pool.add(confirm(1, 1, 0)), false);
  assert.equal(pool.add(confirm(2, 1, 0)), true, 'of another Bitcoin block');
  assert.equal(pool.add(confirm(1, 1, 1)), true);
  assert.deepEqual([pool.size, pool.find(first.id)], [3, first]);
  pool.clear();
  assert.deepEqual([pool.size, pool.find(first.id)], [0, undefined]);
});

test('a confirm is found without a look at the others', () => {
  const pool = new ConfirmPool();
  let looks = 0;
  for (let number = 0; number < 40; number++) {
    const { id, ...others } = confirm(number, 1, 0);
    const counted = { ...others };
    const look = () => {
      looks += 1;
      return id;
    };
    Object.defineProperty(counted, 'id', { get: look });
    pool.add(counted as CollectedConfirm);
  }
  const before = looks;
  assert.equal(pool.find(hashOf(1)), undefined);
  assert.equal(looks, before);
});

test('one masternode cannot fill the pool of confirms', () => {
  const pool = new ConfirmPool();
  const { confirm: message, id, signed, signer } = confirm(1, 1, 0);
  const add = (btcTxHeight: number) => pool.add({ confirm: { ...message, btcTxHeight }, id, signed, signer });
  for (let height = 0; height < 50; height++) assert.ok(add(height));
  assert.equal(add(50), false);
  assert.equal(pool.add(confirm(50, 1, 1)), true);
  pool.clear();
  assert.equal(add(50), true);
});

test('the pool of confirms is bounded', () => {
  const pool = new ConfirmPool();
  const { confirm: message, id, signed } = confirm(1, 1, 0);
  const signerOf = (number: number) => hashOf(number).subarray(0, 20);
  for (let number = 0; number < 500; number++) assert.ok(pool.add({ confirm: message, id, signed, signer: signerOf(number) }));
  assert.equal(pool.add({ confirm: message, id, signed, signer: signerOf(500) }), false);
  assert.equal(pool.size, 500);
});

test('a quorum is of members of the team, for the lowest Bitcoin block that has one', () => {
  const pool = new ConfirmPool();
  for (const each of [confirm(3, 1, 0), confirm(3, 1, 1), confirm(2, 2, 0), confirm(2, 2, 1), confirm(2, 2, 2), confirm(1, 3, 0)])
    pool.add(each);
  const tags = (chosen: readonly CollectedConfirm[]) => chosen.map((each) => each.confirm.btcTxHash[0]);
  assert.deepEqual(tags(pool.quorumOf(team(0, 1), 2)), [2, 2]);
  assert.deepEqual(tags(pool.quorumOf(team(0, 1, 2), 3)), [2, 2, 2]);
  assert.deepEqual(tags(pool.quorumOf(team(0, 1), 1)), [3]);
  assert.deepEqual(tags(pool.quorumOf(team(3), 1)), []);
  assert.deepEqual(tags(pool.quorumOf(team(0, 1, 2), 4)), []);
  const signers = pool.quorumOf(team(1, 2), 2).map(({ signer }) => signer);
  assert.deepEqual(signers, team(1, 2).sort(compareBytes));
});

test('signatures of different rewards of one anchor are no quorum', () => {
  const pool = new ConfirmPool();
  const [lowest, ...others] = [0, 1, 2].sort((a, b) => compareBytes(...(team(a, b) as [Uint8Array, Uint8Array])));
  const wrong = confirm(1, 1, lowest as number, 9);
  pool.add(wrong);
  for (const signer of others.slice(0, 1)) pool.add(confirm(1, 1, signer));
  assert.deepEqual(pool.quorumOf(team(0, 1, 2), 2), []);
  for (const signer of others.slice(1)) pool.add(confirm(1, 1, signer));
  const chosen = pool.quorumOf(team(0, 1, 2), 2);
  assert.deepEqual([chosen.length, chosen.includes(wrong)], [2, false]);
});
