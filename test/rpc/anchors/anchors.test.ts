import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { BITCOIN_FORMAT } from '../../../src/bitcoin/regtest-bitcoin.js';
import { anchorRewards } from '../../../src/dfi/anchors/columns.js';
import { decode } from '../../../src/primitives/codec.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { makeTransaction, transaction } from '../../../src/primitives/transaction.js';
import { anchorsHandlers } from '../../../src/services/anchors/index.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { AnchorNode, anchorParams, operators } from '../../unit/anchors/fixture.js';
import { asker } from '../state-asker.js';

const ADDRESS = 'mgsE1SqrcfUhvuYuRjqy6rQCKmcCVKNhMu';
const INPUT = {
  txid: 'a0d5a294be3cde6a8bddab5815b8c4cb1b2ebf2c2b8a4018205d6f8c576e8963',
  vout: 3,
  amount: 2_262_303,
  privkey: 'cStbpreCo2P4nbehPXZAAM3gXXY1sAphRfEhj7ADaLx8i2BmxvEP',
};
const ZEROS = '0'.repeat(64);

interface Node {
  readonly node: AnchorNode;
  readonly ask: (method: string, params?: readonly unknown[] | object) => Promise<string>;
  /** Result as a JSON value. */
  readonly read: (method: string, params?: readonly unknown[]) => Promise<unknown>;
}

async function start(height: number): Promise<Node> {
  const node = new AnchorNode({ signs: operators.map((_, index) => index) });
  await node.mintTo(height);
  const ask = asker(anchorsHandlers, node);
  return { node, ask, read: async (method, params) => JSON.parse(await ask(method, params)) };
}

test('an anchor from its signatures to its reward', async () => {
  const { node, ask, read } = await start(60);
  const auths = (await read('spv_listanchorauths')) as { signees: string[] }[];
  const hash = (height: number) => formatHash(node.chain.entryAt(height)?.hash as Uint8Array);
  assert.deepEqual(
    auths.map(({ signees, ...auth }) => [auth, signees.length]),
    [
      [{ previousAnchor: ZEROS, blockHeight: 30, blockHash: hash(30), creationHeight: 60, signers: 3 }, 3],
      [{ previousAnchor: ZEROS, blockHeight: 15, blockHash: hash(15), creationHeight: 45, signers: 3 }, 3],
    ],
  );
  const addresses = anchorParams.masternode.genesis.map(({ operatorAddress }) => operatorAddress);
  assert.ok(auths.every(({ signees }) => signees.every((signee) => addresses.includes(signee))));

  assert.equal(await ask('spv_setlastheight', [1]), 'null');
  assert.equal(await ask('spv_syncstatus'), '{"connected":true,"current":1,"estimated":1}');
  const made = (await read('spv_createanchor', [[INPUT], ADDRESS])) as Record<string, unknown>;
  const { txHex, txHash, ...others } = made;
  assert.deepEqual(others, {
    defiHash: hash(30),
    defiHeight: 30,
    estimatedReward: 0,
    cost: 3_102,
    sendResult: 0,
    sendMessage: '',
  });
  assert.match(String(txHex), /^01000000016389/);
  const anchor = {
    btcBlockHeight: 1,
    btcBlockHash: '0000000000000001000000000000000100000000000000010000000000000001',
    btcTxHash: txHash,
    previousAnchor: ZEROS,
    defiBlockHeight: 30,
    defiBlockHash: hash(30),
    rewardAddress: ADDRESS,
    confirmations: 1,
    signatures: 2,
    anchorCreationHeight: 60,
  };
  assert.deepEqual(await read('spv_listanchorspending'), [anchor]);
  assert.equal(await ask('spv_gettxconfirmations', [txHash]), '-1');
  await node.mint();
  assert.deepEqual(await read('spv_listanchorspending'), []);
  assert.deepEqual(await read('spv_listanchors'), [{ ...anchor, active: false }]);

  await ask('spv_setlastheight', [6]);
  assert.equal(await ask('spv_gettxconfirmations', [txHash]), '6');
  assert.deepEqual(await read('spv_listanchors'), [{ ...anchor, confirmations: 6, active: true }]);
  assert.deepEqual(await read('spv_listanchorsunrewarded'), [{ ...anchor, confirmations: 6 }]);
  const [confirm] = (await read('spv_listanchorrewardconfirms')) as Record<string, unknown>[];
  assert.ok(confirm);
  assert.match(String(confirm.confirmSignHash), /^[0-9a-f]{64}$/);
  assert.deepEqual(
    { ...confirm, confirmSignHash: '' },
    {
      btcTxHeight: 1,
      btcTxHash: txHash,
      anchorHeight: 30,
      dfiBlockHash: hash(30),
      prevAnchorHeight: 0,
      rewardAddress: ADDRESS,
      confirmSignHash: '',
      signers: 3,
    },
  );
  assert.deepEqual(await read('spv_listanchorrewards'), []);
  await node.mint();
  const [[txid, reward] = []] = [...node.chain.state.entries(anchorRewards)];
  assert.ok(txid && reward);
  assert.deepEqual(await read('spv_listanchorrewards'), [{ AnchorTxHash: txHash, RewardTxHash: formatHash(reward) }]);
  assert.deepEqual([await read('spv_listanchorrewardconfirms'), await read('spv_listanchorsunrewarded')], [[], []]);
});

test('the list of anchors is limited by Bitcoin height, confirmations and number', async () => {
  const { node, ask, read } = await start(60);
  for (const [index, height] of [1, 3, 3].entries()) {
    await ask('spv_setlastheight', [height]);
    await ask('spv_createanchor', [[{ ...INPUT, vout: index }], ADDRESS]);
  }
  await node.mint();
  await ask('spv_setlastheight', [9]);
  const heights = async (...params: number[]) =>
    ((await read('spv_listanchors', params)) as { btcBlockHeight: number }[]).map(({ btcBlockHeight }) => btcBlockHeight);
  assert.deepEqual(await heights(), [3, 3, 1]);
  assert.deepEqual([await heights(2), await heights(3), await heights(4)], [[3, 3], [3, 3], []]);
  assert.deepEqual([await heights(-1, 2), await heights(-1, 1), await heights(-1, 0), await heights(2, 2)], [[1], [1], [], []]);
  assert.deepEqual([await heights(-1, -1, 8), await heights(-1, -1, 9), await heights(-1, -1, 10)], [[1], [1], []]);
  assert.deepEqual([await heights(-1, -1, -1, 8), await heights(-1, -1, -1, 7), await heights(-1, -1, -1, 0)], [[3, 3], [3, 3], []]);
  assert.deepEqual(
    [await heights(-1, -1, -1, -1, 2), await heights(-1, -1, -1, -1, 3)],
    [
      [3, 3],
      [3, 3],
    ],
  );
  assert.deepEqual([await heights(-1, -1, -1, -1, 1), await heights(-1, -1, -1, -1, -1, 1)], [[3, 3, 1], [3]]);
});

test('anchors of the confirmed chain are active, and the next is made on the last of them', async () => {
  const { node, ask, read } = await start(60);
  await ask('spv_setlastheight', [1]);
  for (const vout of [0, 1]) await ask('spv_createanchor', [[{ ...INPUT, vout }], ADDRESS]);
  await node.mint();
  await ask('spv_setlastheight', [6]);
  await node.mintTo(180);
  const { estimatedReward, defiHeight } = (await read('spv_createanchor', [[{ ...INPUT, vout: 2 }], ADDRESS])) as Record<string, unknown>;
  assert.deepEqual([defiHeight, estimatedReward], [150, 10], 'five coins for each sixty blocks');
  await node.mint();
  await ask('spv_setlastheight', [11]);
  const anchors = (await read('spv_listanchors')) as { defiBlockHeight: number; active: boolean }[];
  assert.deepEqual(anchors.map(({ defiBlockHeight, active }) => [defiBlockHeight, active]).sort(), [
    [150, true],
    [30, false],
    [30, true],
  ]);
  const confirms = (await read('spv_listanchorrewardconfirms')) as { prevAnchorHeight: number }[];
  assert.deepEqual(
    confirms.map(({ prevAnchorHeight }) => prevAnchorHeight),
    [30],
  );
});

test('a template and an estimate need no inputs', async () => {
  const { ask, read } = await start(60);
  const template = (await read('spv_createanchortemplate', [ADDRESS])) as Record<string, unknown>;
  assert.match(
    String(template.txHex),
    /^02000000000822020000000000001976a914dd498f33a1847d0a281607f35feffe5325cbc76588ac0000000000000000536a4c50444641/,
  );
  assert.deepEqual([template.defiHeight, template.anchorAddress], [30, 'n1h1kShnyiw3qRR6MM1FnwShaNVoVwBTnF']);
  assert.equal(await ask('spv_estimateanchorcost'), '3102');
  assert.equal(await ask('spv_estimateanchorcost', [2_000]), '3678');
});

test('errors name the first fault', async () => {
  const { node, ask } = await start(30);
  const create = (change: object, address: unknown = ADDRESS, ...others: unknown[]) =>
    ask('spv_createanchor', [[{ ...INPUT, ...change }], address, ...others]);
  assert.equal(await create({}), '-25 Min anchor quorum was not reached!');
  assert.equal(await ask('spv_estimateanchorcost'), "-25 No potential anchor, can't estimate!");
  await node.mintTo(60);
  assert.equal(await ask('spv_createanchor', [[], ADDRESS]), '-8 Transaction input cannot be empty');
  assert.equal(await ask('spv_createanchor', [{}, ADDRESS]), '-3 Expected type array, got object');
  assert.equal(await create({ txid: 'aa' }), "-8 txid must be of length 64 (not 2, for 'aa')");
  assert.equal(await create({ vout: 'aa' }), '-1 JSON value is not an integer as expected');
  assert.equal(await create({}, 'x'), '-8 rewardAddress (x) does not refer to a P2PKH or P2WPKH address');
  assert.equal(await create({}, ADDRESS, false, 0), '-8 Feerate should be > 0!');
  assert.equal(await create({ amount: 1_000 }), '-1 Not enough money to create anchor: 1000 (need 3068)');
  assert.equal(await create({ privkey: '1_x' }), "-1 spv: Can't parse WIF privkey", 'the key is not repeated');
  assert.equal(await ask('spv_sendrawtx', ['zz']), "-8 rawtx must be hexadecimal string (not 'zz')");
  assert.equal(await ask('spv_sendrawtx', ['00']), "-32600 Can't parse transaction");
  assert.equal(await ask('spv_gettxconfirmations', ['x']), '-1', 'no error, but the answer for an unknown anchor');
  mock.method(node.chain, 'isInitialDownload', () => true);
  assert.equal(await create({}), '-10 Cannot create anchor while still in Initial Block Download');
});

test('a transaction that is sent reaches the Bitcoin chain of another node, signed or not', async () => {
  const first = await start(60);
  const { txHex } = (await first.read('spv_createanchor', [[INPUT], ADDRESS, false])) as { txHex: string };
  assert.deepEqual(await first.read('spv_listanchorspending'), []);
  const tx = decode(transaction(BITCOIN_FORMAT), fromHex(txHex));
  const vin = tx.vin.map((input) => ({ ...input, scriptSig: new Uint8Array() }));
  for (const raw of [txHex, toHex(makeTransaction({ ...tx, vin }, BITCOIN_FORMAT).raw)]) {
    const other = await start(60);
    assert.equal(await other.ask('spv_sendrawtx', [raw]), '""');
    assert.equal(((await other.read('spv_listanchorspending')) as unknown[]).length, 1);
  }
});

test('without a view of the Bitcoin chain, operations that need it are disabled', async () => {
  const node = new AnchorNode({ signs: [0], seesBitcoin: false });
  await node.mintTo(60);
  const ask = asker(anchorsHandlers, node);
  const disabled = '-32600 spv module disabled';
  for (const method of ['spv_syncstatus', 'spv_listanchors', 'spv_listanchorspending']) assert.equal(await ask(method), disabled, method);
  assert.equal(await ask('spv_createanchor', [[INPUT], ADDRESS]), disabled);
  assert.equal(await ask('spv_createanchortemplate', [ADDRESS]), disabled);
  assert.equal(await ask('spv_sendrawtx', ['00']), disabled);
  assert.equal(await ask('spv_setlastheight', [1]), '-32600 command disabled');
  assert.equal(await ask('spv_gettxconfirmations', [ZEROS]), '-1');
  for (const method of ['spv_listanchorsunrewarded', 'spv_listanchorauths', 'spv_listanchorrewardconfirms', 'spv_listanchorrewards']) {
    assert.equal(await ask(method), '[]', method);
  }
});
