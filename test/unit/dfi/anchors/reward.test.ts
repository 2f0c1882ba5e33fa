import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TxInvalid } from '../../../../src/consensus/errors.js';
import { publicKeyOf, signCompact } from '../../../../src/crypto/ecdsa.js';
import { hash160, sha256d } from '../../../../src/crypto/hash.js';
import { communityBalance, setCommunityBalance } from '../../../../src/dfi/accounts/community-columns.js';
import { anchorConfirms, anchorRewards, anchorTeams, asTeam, currentTeams, type Team, team } from '../../../../src/dfi/anchors/columns.js';
import { makeReward, paidAnchor, payAnchorReward } from '../../../../src/dfi/anchors/reward.js';
import { confirmTeamAt, currentTeam, nextTeam, updateTeams } from '../../../../src/dfi/anchors/teams.js';
import { dfiColumns } from '../../../../src/dfi/execution/all-columns.js';
import { masternodes } from '../../../../src/dfi/masternodes/columns.js';
import { networkParams } from '../../../../src/params/index.js';
import { ByteWriter, compactSize, encode, u8, u32, varBytes } from '../../../../src/primitives/codec.js';
import { NULL_HASH } from '../../../../src/primitives/hash.js';
import { NULL_OUTPOINT } from '../../../../src/primitives/outpoint.js';
import { makeTransaction, type Transaction } from '../../../../src/primitives/transaction.js';
import { scriptOf } from '../../../../src/script/address.js';
import { Op } from '../../../../src/script/opcodes.js';
import { buildScript } from '../../../../src/script/script.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { Overlay } from '../../../../src/storage/overlay.js';
import { concatBytes, toHex } from '../../../../src/util/bytes.js';

const params = networkParams({ network: 'regtest', upgradeHeights: { amk: 0, dakota: 1 }, anchorQuorum: 2 });
const secrets = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte));
const keyIds = secrets.map((secret) => hash160(publicKeyOf(secret)));
const stranger = new Uint8Array(32).fill(9);
const hashOf = (byte: number) => new Uint8Array(32).fill(byte);
const HEIGHT = 31;
const BALANCE = 12_345n;
const receiver = new Uint8Array(20).fill(7);

const at = {
  height: HEIGHT,
  parentModifier: NULL_HASH,
  params,
  blockHash: (height: number) => (height < HEIGHT ? hashOf(height) : undefined),
};

interface Reward {
  readonly signers?: readonly Uint8Array[];
  readonly anchorHeight?: number;
  readonly blockHash?: Uint8Array;
  readonly value?: bigint;
  readonly tokenId?: number;
  readonly paid?: Uint8Array;
  readonly marker?: string;
  readonly keyType?: number;
}

function rewardTx({
  signers = secrets.slice(0, 2),
  anchorHeight = 15,
  blockHash = hashOf(15),
  value = BALANCE,
  tokenId = 0,
  paid = scriptOf({ type: 'wpkh', hash: receiver }),
  marker = 'DfAP',
  keyType = 4,
}: Reward = {}): Transaction {
  const w = new ByteWriter();
  w.bytes(hashOf(0xaa));
  u32.write(w, anchorHeight);
  u32.write(w, 0);
  w.bytes(receiver);
  u8.write(w, keyType);
  w.bytes(blockHash);
  u32.write(w, 700_000);
  const signed = w.finish();
  const tail = new ByteWriter();
  compactSize.write(tail, signers.length);
  for (const secret of signers) varBytes.write(tail, signCompact(sha256d(signed), secret));
  const payload = concatBytes(Buffer.from(marker, 'latin1'), signed, tail.finish());
  return makeTransaction(
    {
      version: 4,
      vin: [{ prevout: NULL_OUTPOINT, scriptSig: new Uint8Array(0), sequence: 0xffffffff, witness: [] }],
      vout: [
        { value: 0n, scriptPubKey: buildScript(Op.RETURN, payload), tokenId: 0 },
        { value, scriptPubKey: paid, tokenId },
      ],
      lockTime: 0,
    },
    params.txFormat,
  );
}

function stateWithTeam(): Overlay {
  const view = new Overlay(new MemoryStore());
  view.put(anchorTeams, 30, { auth: [], confirm: asTeam(keyIds) });
  setCommunityBalance(view, 'anchor', BALANCE);
  return view;
}

test('a reward pays the community balance for anchors, once', () => {
  const view = stateWithTeam();
  const tx = rewardTx();
  payAnchorReward(tx, view, at);
  assert.equal(communityBalance(view, 'anchor'), 0n);
  const paid = [...view.entries(anchorConfirms)].map(([id, { anchorHeight, btcTxHeight }]) => [toHex(id), anchorHeight, btcTxHeight]);
  assert.deepEqual(paid, [['aa'.repeat(32), 15, 700_000]], 'the anchor is stored for operations');
  assert.equal(toHex(view.get(anchorRewards, hashOf(0xaa)) ?? new Uint8Array()), toHex(tx.txid));
  assert.throws(() => payAnchorReward(rewardTx({ value: 0n }), view, at), { reason: 'bad-ar-exists' });
});

const wrong: readonly { readonly name: string; readonly reward: Reward; readonly reason: string; readonly debug: RegExp }[] = [
  {
    name: 'a signer from outside the team',
    reward: { signers: [secrets[0] as Uint8Array, stranger] },
    reason: 'bad-ar-sigs',
    debug: /incorrect/,
  },
  { name: 'no signature', reward: { signers: [] }, reason: 'bad-ar-sigs', debug: /incorrect/ },
  { name: 'too few signatures', reward: { signers: secrets.slice(0, 1) }, reason: '', debug: /anchor sigs \(1\) < min quorum \(2\)/ },
  {
    name: 'one signer twice',
    reward: { signers: [secrets[0] as Uint8Array, secrets[0] as Uint8Array] },
    reason: '',
    debug: /unique keys \(1\) < min quorum \(2\)/,
  },
  { name: 'a block that is not in the chain', reward: { anchorHeight: 31 }, reason: '', debug: /does not contain block height 31/ },
  { name: 'another block at that height', reward: { blockHash: hashOf(1) }, reason: '', debug: /mismatch at height 15/ },
  { name: 'another token', reward: { tokenId: 1 }, reason: '', debug: /DFI only/ },
  { name: 'a satoshi too little', reward: { value: BALANCE - 1n }, reason: '', debug: /actual=12344 vs expected=12345/ },
  { name: 'another destination', reward: { paid: Uint8Array.of(0x51) }, reason: '', debug: /destination/ },
  { name: 'the layout used before Dakota', reward: { marker: 'DfAf' }, reason: '', debug: /Old anchor TX type after Dakota fork/ },
];

for (const { name, reward, reason, debug } of wrong) {
  test(`no reward for ${name}`, () => {
    const view = stateWithTeam();
    assert.throws(
      () => payAnchorReward(rewardTx(reward), view, at),
      (error: unknown) => error instanceof TxInvalid && error.reason === reason && debug.test(error.debug),
    );
    assert.equal(communityBalance(view, 'anchor'), BALANCE);
  });
}

test('a reward key of an unknown type counts as one of P2WPKH below Metachain, and has no address from there on', () => {
  const late = networkParams({ network: 'regtest', upgradeHeights: { amk: 0, dakota: 1, metachain: 20 }, anchorQuorum: 2 });
  const script = scriptOf({ type: 'sh', hash: receiver });
  payAnchorReward(rewardTx({ keyType: 3 }), stateWithTeam(), at);
  assert.throws(() => payAnchorReward(rewardTx({ keyType: 2, paid: script }), stateWithTeam(), at), { reason: '', debug: /destination/ });
  assert.throws(() => payAnchorReward(rewardTx({ keyType: 3 }), stateWithTeam(), { ...at, params: late }), { reason: 'bad-ar-dest' });
  payAnchorReward(rewardTx({ keyType: 2, paid: script }), stateWithTeam(), { ...at, params: late });
});

test('a minter makes no reward that no block may pay', () => {
  const late = networkParams({ network: 'regtest', upgradeHeights: { amk: 0, dakota: 1, metachain: 20 }, anchorQuorum: 2 });
  const made = (rewardKeyType: number, height: number) => {
    const { anchor } = paidAnchor(rewardTx()) ?? assert.fail();
    return makeReward({ ...anchor, rewardKeyType }, [], { amount: BALANCE, height, params: late });
  };
  assert.deepEqual(
    [1, 2, 4].map((keyType) => made(keyType, 20)?.vout[1]?.scriptPubKey),
    (['pkh', 'sh', 'wpkh'] as const).map((type) => scriptOf({ type, hash: receiver })),
  );
  assert.deepEqual([made(3, 20), made(0, 20)], [undefined, undefined]);
  assert.deepEqual(made(3, 19)?.vout[1]?.scriptPubKey, scriptOf({ type: 'wpkh', hash: receiver }));
});

test('no reward without a team, before Dakota, or for truncated bytes; other coinbase transactions are ignored', () => {
  const view = stateWithTeam();
  assert.throws(() => payAnchorReward(rewardTx(), view, { ...at, height: 30 }), { reason: 'bad-ar-sigs' });
  const early = { ...at, params: networkParams({ network: 'regtest', upgradeHeights: { amk: 0, dakota: 100 } }) };
  assert.throws(() => payAnchorReward(rewardTx(), view, early), /before Dakota/);
  const tx = rewardTx();
  const [first, second] = tx.vout;
  assert.ok(first && second);
  const cut = makeTransaction(
    { ...tx, vout: [{ ...first, scriptPubKey: buildScript(Op.RETURN, Buffer.from('DfAP1')) }, second] },
    params.txFormat,
  );
  assert.throws(() => payAnchorReward(cut, view, at), TxInvalid);
  payAnchorReward(makeTransaction({ ...tx, vout: [second] }, params.txFormat), view, at);
  assert.equal(communityBalance(view, 'anchor'), BALANCE);
});

describe('before Dakota', () => {
  const early = { ...at, params: networkParams({ network: 'regtest', upgradeHeights: { amk: HEIGHT + 1, dakota: 100 }, anchorQuorum: 2 }) };
  const funded = { ...early, params: networkParams({ network: 'regtest', upgradeHeights: { amk: HEIGHT, dakota: 100 }, anchorQuorum: 2 }) };
  const members = asTeam(keyIds);

  interface Vote {
    readonly current?: Team;
    readonly next?: Team;
    readonly value?: bigint;
    readonly tokenId?: number;
    readonly anchorHeight?: number;
  }

  /** The reason for which a reward is refused; undefined if it is paid, and with it the new team is stored. */
  function reasonOf(context: typeof at, { current = members, next, value = 0n, tokenId = 0, anchorHeight = 15 }: Vote = {}): unknown {
    const view = new Overlay(new MemoryStore());
    view.put(currentTeams, 0, members);
    setCommunityBalance(view, 'anchor', BALANCE);
    const following = nextTeam(view, HEIGHT, NULL_HASH, context.params);
    const w = new ByteWriter();
    w.bytes(hashOf(0xaa));
    for (const height of [anchorHeight, 0]) u32.write(w, height);
    w.bytes(receiver);
    u8.write(w, 4);
    const signed = w.finish();
    const signatures = secrets.slice(0, 2).map((secret) => encode(varBytes, signCompact(sha256d(signed), secret)));
    const teams = [next ?? following, current].map((each) => encode(team, each));
    const payload = concatBytes(Buffer.from('DfAf'), signed, ...teams, encode(compactSize, signatures.length), ...signatures);
    const vout = [
      { value: 0n, scriptPubKey: buildScript(Op.RETURN, payload), tokenId: 0 },
      { value, scriptPubKey: scriptOf({ type: 'wpkh', hash: receiver }), tokenId },
    ];
    const { version, vin, lockTime } = rewardTx();
    try {
      payAnchorReward(makeTransaction({ version, vin, vout, lockTime }, params.txFormat), view, context);
    } catch (error) {
      return (error as TxInvalid).reason;
    }
    assert.deepEqual(currentTeam(view, context.params).map(toHex), following.map(toHex));
    return undefined;
  }

  test('the reward names the teams, and from AMK on pays the community balance', () => {
    assert.equal(reasonOf(funded, { value: BALANCE }), undefined);
    assert.equal(reasonOf(funded, { value: BALANCE - 1n }), 'bad-ar-amount');
    assert.equal(reasonOf(funded, { value: BALANCE, tokenId: 1 }), 'bad-ar-wrong-tokens');
    assert.equal(reasonOf(funded, { value: BALANCE, next: members }), 'bad-ar-nextteam');
    assert.equal(reasonOf(funded, { value: BALANCE, current: asTeam(keyIds.slice(0, 2)) }), 'bad-ar-curteam');
  });

  test('before AMK the outputs in DFI are limited, those of other tokens are not', () => {
    const limit = 5n * 100_000_000n;
    assert.equal(reasonOf(early, { value: limit, anchorHeight: 60 }), undefined);
    assert.equal(reasonOf(early, { value: limit + 1n, anchorHeight: 60 }), 'bad-ar-amount');
    assert.equal(reasonOf(early, { value: 1n, anchorHeight: 59 }), 'bad-ar-amount');
    assert.equal(reasonOf(early, { value: 1n, tokenId: 1 }), undefined);
  });
});

test('teams are selected at every multiple of the change period, from masternodes that minted within a week', () => {
  const view = new Overlay(new MemoryStore());
  const blank = { mintedBlocks: 0, ownerType: 1, operatorType: 1, creationHeight: 0, resignHeight: -1, version: -1, rewardType: 0 };
  keyIds.forEach((operatorKey, i) => {
    const keys = { ownerKey: operatorKey, operatorKey, rewardKey: new Uint8Array(20) };
    view.put(masternodes, hashOf(i + 1), { ...blank, ...keys, resignTx: NULL_HASH, collateralTx: NULL_HASH });
  });
  const change = params.anchor.teamChange;
  const week = 7 * params.blocksPerDay;
  const start = Math.ceil(week / change) * change;
  updateTeams(view, { height: start - week, stakeModifier: hashOf(5), minter: () => keyIds[0] }, params);
  updateTeams(view, { height: start - week + 1, stakeModifier: hashOf(5), minter: () => keyIds[1] }, params);
  updateTeams(view, { height: start - 1, stakeModifier: hashOf(5), minter: () => undefined }, params);
  assert.equal(confirmTeamAt(view, start - 1, params)?.length ?? 0, confirmTeamAt(view, start - change, params)?.length ?? 0);
  updateTeams(view, { height: start, stakeModifier: hashOf(5), minter: () => keyIds[2] }, params);
  const members = confirmTeamAt(view, start + change - 1, params)?.map(toHex);
  assert.deepEqual(members, [keyIds[1], keyIds[2]].map((key) => toHex(key as Uint8Array)).sort());
});

test('minters are recorded from a week before Dakota, not earlier', () => {
  const week = 7 * params.blocksPerDay;
  const late = networkParams({ network: 'regtest', upgradeHeights: { dakota: week + 10 } });
  const view = new Overlay(new MemoryStore());
  const asked: number[] = [];
  for (const height of [9, 10]) {
    updateTeams(view, { height, stakeModifier: hashOf(5), minter: () => void asked.push(height) }, late);
  }
  assert.deepEqual(asked, [10]);
});

test('the columns of anchors are registered', () => {
  assert.ok(dfiColumns.includes(anchorTeams));
});
