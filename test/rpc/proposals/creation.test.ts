import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createCfp, createVoc, type VoteBody, vote } from '../../../src/dfi/proposals/transactions.js';
import { COIN } from '../../../src/primitives/amount.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { until } from '../../until.js';
import { type RefusalRow, scriptHex, sentTx, testLocked, testRefusals, tried } from '../custom-tx.js';
import { type FounderNode, startFounderNode } from '../founder-node.js';

const FOREIGN = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';
const OPERATOR = 'mswsMVsyGMj1FzDMbbxw2QW3KvQAv2FKiy';
/** Address of a script hash. */
const SCRIPT = '2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc';
const UNKNOWN = 'ab'.repeat(32);

let node: FounderNode;
/** Recipient of a community fund proposal; has a coin. */
let payee = '';
/** Masternodes: of the founder, which mints, and of another owner. */
let [own, foreign] = ['', ''];
let [fund, question] = ['', ''];

interface Shown {
  readonly title: string;
  readonly status: string;
  readonly type: string;
  readonly fee: number;
  readonly amount?: number;
  readonly payoutAddress?: string;
  readonly totalCycles: number;
  readonly options?: readonly string[];
}

const proposal = async (id: string): Promise<Shown> => (await node.call('getgovproposal', [id])) as Shown;

before(async () => {
  node = await startFounderNode(undefined, ['stranger']);
  const { call, confirm, founder, mint } = node;
  await mint(10, founder);
  payee = String(await call('getnewaddress', ['', 'legacy']));
  await call('sendtoaddress', [payee, 2]);
  await call('sendtoaddress', [await call('getnewaddress', [], 'stranger'), 20]);
  const nodes = Object.entries((await call('listmasternodes')) as Record<string, { ownerAuthAddress: string }>);
  const idOf = (owner: string): string => nodes.find(([, { ownerAuthAddress }]) => ownerAuthAddress === owner)?.[0] ?? '';
  [own, foreign] = [idOf(founder), idOf(FOREIGN)];
  await confirm('setgov', [{ ATTRIBUTES: { 'v0/params/feature/gov': 'true', 'v0/gov/proposals/voc_emergency_fee': '20' } }]);
});
after(() => node.end());

describe('proposals', () => {
  const texts = { title: 'A title', context: 'https://example.org', contextHash: '' };

  test('creategovcfp: the fee is burnt in output 0; the payee authorises and gets the change', async () => {
    const request = { title: 'A title', context: 'https://example.org', amount: '100.5', payoutAddress: payee, cycles: 2 };
    fund = String(await node.call('creategovcfp', [request]));
    const sent = sentTx(node, fund, createCfp);
    const terms = { type: 1, address: await scriptHex(node, payee), amount: (1005n * COIN) / 10n, cycles: 2, options: 0 };
    assert.deepEqual(sent.body, { ...texts, ...terms });
    assert.deepEqual([sent.outputs, sent.change], [['10.00000000 message'], payee]);
    await node.mint(1, node.founder);
    const { title, status, type, fee, amount, payoutAddress, totalCycles } = await proposal(fund);
    assert.deepEqual([title, status, type, fee], ['A title', 'Voting', 'CommunityFundProposal', 10]);
    assert.deepEqual([amount, payoutAddress, totalCycles], [100.5, payee, 2]);
  });

  const kinds = [
    { name: 'usual', more: { contextHash: 'x' }, contextHash: 'x', options: 0, fee: 5, shown: undefined },
    { name: 'urgent', more: { emergency: true }, contextHash: '', options: 1, fee: 20, shown: ['emergency'] },
    { name: 'urgent by another name', more: { special: true }, contextHash: '', options: 1, fee: 20, shown: ['emergency'] },
  ];
  for (const { name, more, contextHash, options, fee, shown } of kinds) {
    test(`creategovvoc, ${name}: the fee is burnt in output 0, and no signer is required`, async () => {
      const id = String(await node.call('creategovvoc', [{ title: 'A title', context: 'https://example.org', ...more }]));
      const sent = sentTx(node, id, createVoc);
      const terms = { type: 2, address: '', amount: 0n, cycles: 1, options };
      assert.deepEqual(sent.body, { ...texts, contextHash, ...terms });
      assert.deepEqual(sent.outputs, [`${fee}.00000000 message`]);
      await node.mint(1, node.founder);
      const found = await proposal(id);
      assert.deepEqual([found.type, found.fee, found.options], ['VoteOfConfidence', fee, shown]);
      question = id;
    });
  }

  const votes = async (id: string): Promise<unknown> =>
    ((await node.call('listgovproposalvotes', [id, 'all'])) as { masternodeId: string; vote: string }[]).map(
      ({ masternodeId, vote: said }) => [masternodeId, said],
    );

  const ways = [
    { name: 'its id', masternode: () => own, decision: 'yes', code: 1, shown: 'YES' },
    { name: 'its owner', masternode: () => node.founder, decision: 'No', code: 2, shown: 'NO' },
    { name: 'its operator', masternode: () => OPERATOR, decision: 'YES', code: 1, shown: 'YES' },
  ];
  for (const { name, masternode, decision, code, shown } of ways) {
    test(`votegov by ${name}: the owner authorises and gets the change; the last vote counts`, async () => {
      const sent = sentTx(node, await node.call('votegov', [fund, masternode(), decision]), vote);
      assert.deepEqual(sent.body, { proposalId: fund, masternodeId: own, vote: code });
      assert.deepEqual([sent.outputs, sent.change], [['0.00000000 message'], node.founder]);
      await node.mint(1, node.founder);
      assert.deepEqual(await votes(fund), [[own, shown]]);
    });
  }

  test('votegovbatch: one transaction for each vote', async () => {
    const list = [
      [fund, own, 'no'],
      [question, node.founder, 'yes'],
    ];
    const txids = (await node.call('votegovbatch', [list, 1])) as readonly string[];
    const bodies = txids.map((txid) => sentTx(node, txid, vote).body);
    assert.deepEqual(bodies, [
      { proposalId: fund, masternodeId: own, vote: 2 },
      { proposalId: question, masternodeId: own, vote: 1 },
    ]);
    await node.mint(1, node.founder);
    assert.deepEqual([await votes(fund), await votes(question)], [[[own, 'NO']], [[own, 'YES']]]);
    for (const pause of [[], [null]]) assert.deepEqual(await node.call('votegovbatch', [[], ...pause]), []);
  });
});

describe('votegovbatch that is interrupted', () => {
  const text = (pauseMs: number) =>
    JSON.stringify([
      [
        [fund, own, 'yes'],
        [question, own, 'no'],
      ],
      pauseMs,
    ]);

  test('all votes are sent if the caller disconnects', async () => {
    const caller = new AbortController();
    const { pool } = node.modules.mempool;
    const known = new Set(pool.entries());
    const sent = () => [...pool.entries()].filter((entry) => !known.has(entry)).map(({ tx }) => formatHash(tx.txid));
    const answer = node.ask('votegovbatch', text(100), { wallet: '', signal: caller.signal });
    await until(() => sent().length === 1, 'the first vote');
    caller.abort();
    assert.equal(await answer, '-1 the call was cancelled');
    await until(() => sent().length === 2, 'the second vote');
    const votes = sent().map((id) => (sentTx(node, id, vote).body as VoteBody).vote);
    assert.deepEqual(votes.sort(), [1, 2]);
  });

  test('a stop of the node ends it; the answer has the number of votes that were sent', async () => {
    const answer = node.ask('votegovbatch', text(600_000), { wallet: '' });
    node.stopping.abort();
    assert.equal(await answer, '-9 the node is stopping: 1 of 2 votes were sent');
  });
});

describe('refusals of proposal operations', () => {
  const asks = (change: object) => () => [{ title: 'T', context: 'C', amount: 1, payoutAddress: payee, ...change }];
  const wonders = (change: object) => [{ title: 'T', context: 'C', ...change }];
  const cfp = (why: string) => tried('CreateCfp', why);
  const voc = (why: string) => tried('CreateVoc', why);
  const neutral =
    '-8 Decision supports yes or no. Neutral is currently disabled because of issue https://github.com/DeFiCh/ain/issues/1704';
  const items = (count: number) =>
    `-8 Incorrect number of items, three expected, proposal ID, masternode ID and vote expected. ${count} entries provided.`;
  const rows: readonly RefusalRow[] = [
    ['creategovcfp', [], '-1 JSON value is not an object as expected'],
    ['creategovcfp', [null], '-1 JSON value is not an object as expected'],
    ['creategovcfp', ['T'], '-3 Expected type object, got string'],
    ['creategovcfp', [{}], '-8 <title> is required'],
    ['creategovcfp', asks({ title: 1, context: 1 }), '-3 Expected type string for context, got number'],
    ['creategovcfp', asks({ title: 1 }), '-3 Expected type string for title, got number'],
    ['creategovcfp', asks({ unknown: 1 }), '-3 Unexpected key unknown'],
    ['creategovcfp', asks({ context: null }), '-8 <context> is required'],
    ['creategovcfp', asks({ amount: null }), '-8 <amount> is required'],
    ['creategovcfp', asks({ payoutAddress: null }), '-8 <payoutAddress> is required'],
    ['creategovcfp', asks({ payoutAddress: 'nobody' }), '-8 Address (nobody) is of an unknown type'],
    ['creategovcfp', asks({ payoutAddress: FOREIGN }), `-5 Incorrect authorization for ${FOREIGN}`],
    ['creategovcfp', asks({ amount: 'x' }), '-3 Invalid amount'],
    ['creategovcfp', asks({ amount: -1 }), '-3 Amount out of range'],
    ['creategovcfp', asks({ amount: {} }), '-3 Amount is not a number or string'],
    ['creategovcfp', asks({ cycles: 0 }), cfp('proposal cycles can be between 1 and 100')],
    ['creategovcfp', asks({ cycles: 101 }), cfp('proposal cycles can be between 1 and 100')],
    ['creategovcfp', asks({ title: '' }), cfp('proposal title must not be empty')],
    ['creategovcfp', asks({ title: 't'.repeat(129) }), cfp('proposal title cannot be more than 128 bytes')],
    ['creategovcfp', asks({ context: '' }), cfp('proposal context must not be empty')],
    ['creategovcfp', asks({ context: 'c'.repeat(513) }), cfp('proposal context cannot be more than 512 bytes')],
    ['creategovcfp', asks({ contextHash: 'c'.repeat(513) }), cfp('proposal context hash cannot be more than 512 bytes')],
    // The fee is a hundredth of it.
    ['creategovcfp', asks({ amount: 1_000_000 }), '-4 Insufficient funds'],
    ['creategovvoc', [], '-1 JSON value is not an object as expected'],
    ['creategovvoc', [{}], '-8 <title> is required'],
    ['creategovvoc', wonders({ context: null }), '-8 <context> is required'],
    ['creategovvoc', wonders({ emergency: 1 }), '-3 Expected type bool for emergency, got number'],
    ['creategovvoc', wonders({ amount: 1 }), '-3 Unexpected key amount'],
    ['creategovvoc', wonders({ title: '' }), voc('proposal title must not be empty')],
    ['creategovvoc', wonders({ context: '' }), voc('proposal context must not be empty')],
    ['creategovvoc', wonders({ emergency: true }), '-4 Insufficient funds', 'stranger'],
    ['votegov', [], '-1 usage'],
    ['votegov', ['ab', UNKNOWN, 'yes'], "-8 proposalId must be of length 64 (not 2, for 'ab')"],
    ['votegov', [UNKNOWN, UNKNOWN, 'yes'], `-8 Proposal <${UNKNOWN}> does not exist`],
    ['votegov', [UNKNOWN, UNKNOWN, 'neutral'], neutral],
    ['votegov', [UNKNOWN, UNKNOWN, 'perhaps'], neutral],
    ['votegov', () => [fund, 'nobody', 'yes'], '-8 The masternode id or address is not valid: nobody'],
    ['votegov', () => [fund, SCRIPT, 'yes'], `-8 ${SCRIPT} does not refer to a P2PKH or P2WPKH address`],
    ['votegov', () => [fund, UNKNOWN, 'yes'], `-8 The masternode does not exist or the address doesn't own a masternode: ${UNKNOWN}`],
    ['votegov', () => [fund, payee, 'yes'], () => `-8 The masternode does not exist or the address doesn't own a masternode: ${payee}`],
    ['votegov', () => [fund, 'x'.repeat(64), 'yes'], `-8 masternodeId must be hexadecimal string (not '${'x'.repeat(64)}')`],
    // 64 bytes in 32 letters.
    ['votegov', () => [fund, 'é'.repeat(32), 'yes'], `-8 masternodeId must be hexadecimal string (not '${'é'.repeat(32)}')`],
    ['votegov', () => [fund, 'é'.repeat(64), 'yes'], `-8 The masternode id or address is not valid: ${'é'.repeat(64)}`],
    ['votegov', () => [fund, foreign, 'yes'], `-5 Incorrect authorization for ${FOREIGN}`],
    ['votegov', () => [fund, own, 'yes'], () => `-5 Incorrect authorization for ${node.founder}`, 'stranger'],
    ['votegovbatch', [], '-1 usage'],
    ['votegovbatch', [[[UNKNOWN, UNKNOWN, 'yes']]], `-8 Proposal <${UNKNOWN}> does not exist`],
    ['votegovbatch', [['x'], 'y'], '-1 JSON value is not an integer as expected'],
    ['votegovbatch', [[], 3_000_000_000], '-1 JSON integer out of range'],
    ['votegovbatch', [null], '-3 Expected type array, got null'],
    ['votegovbatch', [[[UNKNOWN, UNKNOWN]], null], items(2)],
    ['votegovbatch', [[[]], 1], items(0)],
    ['votegovbatch', [['x'], 1], '-1 JSON value is not an array as expected'],
    ['votegovbatch', [[[1, 2, 3]], 1], '-1 JSON value is not a string as expected'],
    ['votegovbatch', [[[UNKNOWN, 2, 3]], 1], `-8 Proposal <${UNKNOWN}> does not exist`],
    ['votegovbatch', ['x'], '-3 Expected type array, got string'],
    ['votegovbatch', [[[UNKNOWN, UNKNOWN, 'yes']], null], `-8 Proposal <${UNKNOWN}> does not exist`],
    // All votes are read before the first one is sent.
    [
      'votegovbatch',
      () => [
        [
          [fund, own, 'yes'],
          [fund, own, 'perhaps'],
        ],
        null,
      ],
      neutral,
    ],
  ];
  testRefusals(() => node, rows);

  test('a masternode that never minted has no vote', async () => {
    await node.call('importprivkey', ['cPjeCNka7omVbKKfywPVQyBig9eopBHy6eJqLzrdJqMP4DXApkcb']);
    await node.call('sendtoaddress', [FOREIGN, 1]);
    await node.mint(1, node.founder);
    const answer = tried('Vote', `masternode <${foreign}> does not mine at least one block`);
    assert.equal(await node.call('votegov', [fund, foreign, 'yes']), answer);
  });

  testLocked(
    () => node,
    [
      ['creategovcfp', asks({})],
      ['creategovvoc', wonders({})],
      ['votegov', () => [fund, own, 'yes']],
      ['votegovbatch', () => [[[fund, own, 'yes']], null]],
    ],
  );
});
