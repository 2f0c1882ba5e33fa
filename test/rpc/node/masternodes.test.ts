import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createMasternode, resignMasternode } from '../../../src/dfi/masternodes/transactions.js';
import { updateMasternode } from '../../../src/dfi/masternodes/updates.js';
import { assertRefused, type RefusalRow, scriptHex, sentTx, testLocked, testRefusals, tried } from '../custom-tx.js';
import { type FounderNode, startFounderNode } from '../founder-node.js';

const FOREIGN = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';
/** Address of a script hash. */
const SCRIPT = '2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc';
const UNKNOWN = 'ab'.repeat(32);

interface Shown {
  readonly ownerAuthAddress: string;
  readonly operatorAuthAddress: string;
  readonly rewardAddress: string;
  readonly state: string;
  readonly timelock?: string;
}

describe('masternodes', () => {
  let node: FounderNode;
  let [owner, operator, next, spare, stranger] = ['', '', '', '', ''];
  /** Masternodes: of the owner; with a timelock; of the founder, in the genesis block. */
  let [own, locked, genesis] = ['', '', ''];

  const masternode = async (id: string): Promise<Shown | undefined> =>
    ((await node.call('getmasternode', [id])) as Record<string, Shown>)[id];
  /** Key hash of a single-key address, in hex. */
  const keyOf = async (address: string): Promise<string> => /14([0-9a-f]{40})/.exec(await scriptHex(node, address))?.[1] ?? '';

  before(async () => {
    node = await startFounderNode(undefined, ['stranger']);
    const { call, confirm } = node;
    [owner, next] = [String(await call('getnewaddress', ['', 'legacy'])), String(await call('getnewaddress', ['', 'bech32']))];
    operator = String(await call('getnewaddress', ['', 'bech32']));
    spare = String(await call('getnewaddress', ['', 'legacy']));
    stranger = String(await call('getnewaddress', ['', 'legacy'], 'stranger'));
    for (const to of [owner, next, spare, stranger]) await call('sendtoaddress', [to, 20]);
    genesis = Object.entries((await call('listmasternodes')) as Record<string, Shown>).find(
      ([, { ownerAuthAddress }]) => ownerAuthAddress === node.founder,
    )?.[0] as string;
    const features = ['owner', 'operator', 'reward'].map((what) => [`v0/params/feature/mn-set${what}address`, 'true']);
    await confirm('setgov', [{ ATTRIBUTES: Object.fromEntries(features) }]);
  });
  after(() => node.end());

  describe('createmasternode', () => {
    test('the fee is burnt in output 0, the collateral is output 1, the owner authorises and gets the change', async () => {
      own = String(await node.call('createmasternode', [owner, operator]));
      const sent = sentTx(node, own, createMasternode);
      assert.deepEqual(sent.body, { operatorType: 4, operatorKey: await keyOf(operator), timelock: 0 });
      assert.deepEqual([sent.outputs, sent.change], [['1.00000000 message', `2.00000000 ${owner}`], owner]);
      await node.mint(1, node.founder);
      const { ownerAuthAddress, operatorAuthAddress, state, timelock } = (await masternode(own)) ?? {};
      assert.deepEqual([ownerAuthAddress, operatorAuthAddress, state, timelock], [owner, operator, 'PRE_ENABLED', undefined]);
    });

    test('the owner is the operator by default, and a timelock is in weeks', async () => {
      locked = String(await node.call('createmasternode', [next, '', [], 'FIVEYEARTIMELOCK']));
      assert.deepEqual(sentTx(node, locked, createMasternode).body, { operatorType: 4, operatorKey: await keyOf(next), timelock: 260 });
      await node.mint(1, node.founder);
      const { operatorAuthAddress, timelock } = (await masternode(locked)) ?? {};
      assert.deepEqual([operatorAuthAddress, timelock], [next, '5 years']);
    });
  });

  const mine =
    (...more: readonly unknown[]) =>
    () => [owner, ...more];
  const taken = 'bad owner and|or operator address (should be P2PKH or P2WPKH only) or node with those addresses exists';
  const rows: readonly RefusalRow[] = [
    ['resignmasternode', [null], '-8 The masternode  does not exist'],
    ['updatemasternode', [null, {}], '-8 The masternode  does not exist'],
    ['createmasternode', [null], '-8 Invalid parameters, at least argument 1 must be non-null'],
    ['createmasternode', ['nobody'], '-8 operatorAddress (nobody) does not refer to a P2PKH or P2WPKH address'],
    ['createmasternode', [FOREIGN], `-8 Address (${FOREIGN}) is not owned by the wallet`],
    ['createmasternode', () => ['nobody', owner], '-8 Address () is not owned by the wallet'],
    ['createmasternode', mine('nobody'), '-8 operatorAddress (nobody) does not refer to a P2PKH or P2WPKH address'],
    ['createmasternode', mine(SCRIPT), `-8 operatorAddress (${SCRIPT}) does not refer to a P2PKH or P2WPKH address`],
    ['createmasternode', mine(), tried('CreateMasternode', taken)],
    ['createmasternode', () => [owner, '', [{ txid: UNKNOWN, vout: 0 }]], '-4 Insufficient funds'],
    ['createmasternode', () => [owner, ''], () => `-8 Address (${owner}) is not owned by the wallet`, 'stranger'],
    ['resignmasternode', [UNKNOWN], `-8 The masternode ${UNKNOWN} does not exist`],
    ['resignmasternode', ['ab'], '-8 The masternode ab does not exist'],
    ['resignmasternode', () => [own], () => `-5 Incorrect authorization for ${owner}`, 'stranger'],
    ['resignmasternode', () => [own], () => tried('ResignMasternode', `node ${own} state is not 'ENABLED'`)],
    // Of an id the leading hex digits count, as in other hashes that are read leniently.
    ['resignmasternode', () => [` 0x${own}!`], () => tried('ResignMasternode', `node ${own} state is not 'ENABLED'`)],
    ['updatemasternode', [UNKNOWN, {}], `-8 The masternode ${UNKNOWN} does not exist`],
    ['updatemasternode', () => [genesis, {}], tried('UpdateMasternode', 'No update arguments provided')],
    [
      'updatemasternode',
      () => [genesis, { ownerAddress: 'nobody' }],
      '-8 ownerAddress (nobody) does not refer to a P2PKH or P2WPKH address',
    ],
    [
      'updatemasternode',
      () => [genesis, { operatorAddress: SCRIPT }],
      `-8 operatorAddress (${SCRIPT}) does not refer to a P2PKH or P2WPKH address`,
    ],
    // From Metachain on, an address of a script hash is allowed.
    [
      'updatemasternode',
      () => [genesis, { rewardAddress: SCRIPT }],
      `-8 rewardAddress (${SCRIPT}) does not refer to a P2PKH or P2WPKH address`,
    ],
    ['updatemasternode', () => [genesis, { rewardAddress: stranger }], () => `-5 Incorrect authorization for ${node.founder}`, 'stranger'],
    [
      'updatemasternode',
      () => [genesis, { ownerAddress: owner }],
      tried('UpdateMasternode', 'Masternode with collateral address as operator or owner already exists'),
    ],
    [
      'updatemasternode',
      () => [genesis, { operatorAddress: operator }],
      tried('UpdateMasternode', 'Masternode with that operator address already exists'),
    ],
    [
      'updatemasternode',
      () => [own, { rewardAddress: '' }],
      () => tried('UpdateMasternode', `Masternode ${own} is not in 'ENABLED' state`),
    ],
    ['updatemasternode', () => [genesis, 'x'], '-3 Expected type object, got string'],
  ];
  testRefusals(() => node, rows);

  describe('updatemasternode', () => {
    test('operator and reward address: both as typed keys', async () => {
      await node.mint(20, node.founder);
      const [newOperator, reward] = [await node.call('getnewaddress', ['', 'legacy']), await node.call('getnewaddress', ['', 'bech32'])];
      const args = [own, { rewardAddress: reward, operatorAddress: newOperator }];
      const sent = sentTx(node, await node.call('updatemasternode', args), updateMasternode);
      assert.deepEqual(sent.body, {
        nodeId: own,
        updates: [
          { updateType: 2, addressType: 1, address: await keyOf(String(newOperator)) },
          { updateType: 3, addressType: 4, address: await keyOf(String(reward)) },
        ],
      });
      assert.deepEqual([sent.outputs, sent.change], [['0.00000000 message'], owner]);
      assert.ok(!sent.spent.includes(`${own}:1`), 'the collateral stays');
      await node.mint(1, node.founder);
      const { operatorAuthAddress, rewardAddress } = (await masternode(own)) ?? {};
      assert.deepEqual([operatorAuthAddress, rewardAddress], [newOperator, reward]);
    });

    test('an empty reward address removes it', async () => {
      await node.mint(41, node.founder);
      const sent = sentTx(node, await node.call('updatemasternode', [own, { rewardAddress: '' }]), updateMasternode);
      assert.deepEqual(sent.body, { nodeId: own, updates: [{ updateType: 4, addressType: 0, address: '' }] });
      await node.mint(1, node.founder);
      assert.equal((await masternode(own))?.rewardAddress, '');
    });

    test('a new owner: the old collateral is spent, the new one is output 1', async () => {
      await node.mint(41, node.founder);
      const to = String(await node.call('getnewaddress', ['', 'legacy']));
      const sent = sentTx(node, await node.call('updatemasternode', [own, { ownerAddress: to }]), updateMasternode);
      assert.deepEqual(sent.body, { nodeId: own, updates: [{ updateType: 1, addressType: 0, address: '' }] });
      assert.deepEqual([sent.outputs, sent.change], [['0.00000000 message', `2.00000000 ${to}`], owner]);
      assert.equal(sent.spent[1], `${own}:1`, 'after the input that authorises the owner');
      await node.mint(1, node.founder);
      assert.equal((await masternode(own))?.state, 'TRANSFERRING');
    });
  });

  describe('resignmasternode', () => {
    test('the owner resigns, and gets the change', async () => {
      const id = String(await node.call('getnewaddress', ['', 'legacy']));
      await node.call('sendtoaddress', [id, 5]);
      await node.mint(1, node.founder);
      const created = await node.confirm('createmasternode', [id]);
      await node.mint(20, node.founder);
      const sent = sentTx(node, await node.call('resignmasternode', [created]), resignMasternode);
      assert.deepEqual([sent.body, sent.outputs, sent.change], [{ nodeId: created }, ['0.00000000 message'], id]);
      await node.mint(1, node.founder);
      assert.equal((await masternode(created))?.state, 'PRE_RESIGNED');
      const again = tried('ResignMasternode', `node ${created} state is not 'ENABLED'`);
      await assertRefused(node, { method: 'resignmasternode', args: [created], answer: again });
    });

    test('not before the timelock is over', async () => {
      const answer = tried('ResignMasternode', 'Trying to resign masternode before timelock expiration.');
      await assertRefused(node, { method: 'resignmasternode', args: [locked], answer });
    });
  });

  testLocked(
    () => node,
    [
      ['createmasternode', () => [spare]],
      ['resignmasternode', () => [genesis]],
      ['updatemasternode', () => [genesis, { rewardAddress: '' }]],
    ],
  );
});
