import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oceanNode } from './ask.js';
import { digits } from './loan-scene.js';

const FUND = digits('f1');

/** Proposal as operations show it. */
function proposal(id: string, more = ''): string {
  return `{"proposalId":"${id}","creationHeight":103,"title":"Title","context":"url","contextHash":"","status":"Voting",
    "type":"VoteOfConfidence","currentCycle":1,"totalCycles":2,"cycleEndHeight":210,"proposalEndHeight":280,"votingPeriod":70,
    "quorum":"1.00%","approvalThreshold":"66.67%","fee":5.00000000${more}}`;
}

const DETAILS = `,"amount":100.00000000,"payoutAddress":"2NA1MGBKA3RQa9n19exRuUCSkEechvGLs9K","votesPossible":4,"votesPresent":3,
  "votesPresentPct":"75.00%","votesYes":2,"votesYesPct":"66.67%","votesNo":1,"votesNeutral":0,"votesInvalid":0,
  "feeRedistributionPerVote":3.33333333,"feeRedistributionTotal":9.99999999,"options":["emergency"]`;

test('A proposal has its amount as text and its fees as numbers', async () => {
  const ask = oceanNode({ getgovproposal: proposal(FUND, DETAILS) });
  assert.deepEqual((await ask(`governance/proposals/${FUND}`)).body.data, {
    proposalId: FUND,
    creationHeight: 103,
    title: 'Title',
    context: 'url',
    contextHash: '',
    status: 'Voting',
    type: 'VoteOfConfidence',
    currentCycle: 1,
    totalCycles: 2,
    cycleEndHeight: 210,
    proposalEndHeight: 280,
    votingPeriod: 70,
    quorum: '1.00%',
    approvalThreshold: '66.67%',
    fee: 5,
    amount: '100.00000000',
    payoutAddress: '2NA1MGBKA3RQa9n19exRuUCSkEechvGLs9K',
    votesPossible: 4,
    votesPresent: 3,
    votesPresentPct: '75.00%',
    votesYes: 2,
    votesYesPct: '66.67%',
    votesNo: 1,
    votesNeutral: 0,
    votesInvalid: 0,
    feeRedistributionPerVote: 3.33333333,
    feeRedistributionTotal: 9.99999999,
    options: ['emergency'],
  });
});

test('A proposal without an amount has no such member', async () => {
  const { data } = (await oceanNode({ getgovproposal: proposal(FUND) })(`governance/proposals/${FUND}`)).body;
  assert.equal(Object.hasOwn(data as object, 'amount'), false);
});

test('An unknown proposal is not found, nor one whose id is none', async () => {
  const unknown = { code: -8, message: `Proposal <${FUND}> does not exist` };
  const ask = oceanNode({
    getgovproposal: unknown,
    // The votes of a past cycle are looked for without the proposal.
    listgovproposalvotes: (params) => (params.includes('"cycle":0') ? unknown : '[]'),
  });
  for (const path of [FUND, '999', digits('00'), `${FUND}/votes`, `${FUND}/votes?cycle=-1`, '999/votes', `${digits('00')}/votes`]) {
    const { status, body } = await ask(`governance/proposals/${path}`);
    assert.deepEqual([status, body.error?.message], [404, 'Unable to find proposal']);
  }
});

/** Ids in wire order: the last digits count first. */
const LISTED = [`${'f'.repeat(62)}01`, `${'0'.repeat(62)}02`, `${'5'.repeat(62)}a0`];

function listing() {
  const asked: string[] = [];
  const ask = oceanNode({
    listgovproposals: (params) => {
      asked.push(params);
      return `[${LISTED.map((id) => proposal(id)).join(',')}]`;
    },
  });
  const page = async (query: string) => {
    const { body } = await ask(`governance/proposals${query}`);
    return [(body.data as { proposalId: string }[] | undefined)?.map(({ proposalId }) => proposalId.slice(-2)), body.page?.next.slice(-2)];
  };
  return { asked, ask, page };
}

test('A page of proposals begins behind an id in wire order, even of a proposal that is not listed any more', async () => {
  const { page, ask } = listing();
  assert.deepEqual(await page('?size=2'), [['01', '02'], '02']);
  assert.deepEqual(await page(`?size=2&next=${LISTED[1]}`), [['a0'], undefined]);
  assert.deepEqual(await page(`?size=2&next=${'0'.repeat(62)}01`), [['01', '02'], '02']);
  assert.deepEqual(await page(`?next=${'9'.repeat(62)}03`), [['a0'], undefined]);
  assert.equal((await ask('governance/proposals?next=02')).body.error?.message, 'Invalid next token');
});

test('A page of proposals has at most 30, and all of them have no cursor', async () => {
  const many = Array.from({ length: 31 }, (_, i) => proposal(`${digits('0').slice(0, 62)}${i + 10}`));
  const ask = oceanNode({ listgovproposals: `[${many.join(',')}]` });
  const { data, page } = (await ask('governance/proposals?size=200')).body;
  assert.equal((data as unknown[]).length, 30);
  assert.equal(page?.next.slice(-2), '39');
  const all = (await ask('governance/proposals?size=1&all=true')).body;
  assert.deepEqual([(all.data as unknown[]).length, all.page], [31, undefined]);
  assert.equal(((await ask('governance/proposals?size=1&all=false')).body.data as unknown[]).length, 1);
});

test('Proposals are selected by status, type and cycle', async () => {
  const { ask, asked } = listing();
  await ask('governance/proposals?status=voting&type=cfp&cycle=-1');
  await ask('governance/proposals');
  assert.deepEqual(asked, [
    '[{"type":"cfp","status":"voting","cycle":-1,"pagination":{"limit":0}}]',
    '[{"type":"all","status":"all","cycle":0,"pagination":{"limit":0}}]',
  ]);
  const messages = ['?status=open', '?type=xyz', '?cycle=now'].map(
    async (query) => (await ask(`governance/proposals${query}`)).body.error?.message,
  );
  assert.deepEqual(await Promise.all(messages), [
    'Invalid query parameter value for status. See the acceptable values: voting, rejected, completed, all',
    'Invalid query parameter value for type. See the acceptable values: cfp, voc, all',
    'Validation failed (numeric string is expected)',
  ]);
});

/** A node with five votes, of which `listgovproposalvotes` shows as many as it is asked for. */
function voting() {
  const asked: string[] = [];
  const vote = (n: number, cast: string) =>
    `{"proposalId":"${FUND}","masternodeId":"${digits(`0${n}`)}","cycle":1,"vote":"${cast}","valid":true}`;
  const votes = ['YES', 'NO', 'NEUTRAL', 'Unknown', 'YES'].map((cast, n) => vote(n, cast));
  const ask = oceanNode({
    listgovproposalvotes: (params) => {
      asked.push(params);
      const [{ pagination }] = JSON.parse(params) as [{ pagination: { limit: number } }];
      return `[${votes.slice(0, pagination.limit || votes.length).join(',')}]`;
    },
  });
  return { asked, ask: async (query: string) => (await ask(`governance/proposals/${FUND}/votes${query}`)).body };
}

test('Votes have their masternode and their choice in upper case', async () => {
  const { ask, asked } = voting();
  const { data } = await ask('');
  const [first, , , unknown] = data as { vote: string }[];
  assert.deepEqual(first, { proposalId: FUND, masternodeId: digits('00'), cycle: 1, vote: 'YES', valid: true });
  assert.equal(unknown?.vote, 'UNKNOWN');
  assert.deepEqual(asked, [`[{"proposalId":"${FUND}","masternode":"mine","cycle":0,"pagination":{"limit":30}}]`]);
});

test('The cursor after votes is the place of its last vote', async () => {
  const { ask, asked } = voting();
  const votesOf = ({ data, page }: Awaited<ReturnType<typeof ask>>) => [
    (data as { masternodeId: string }[]).map(({ masternodeId }) => masternodeId.slice(0, 2)),
    page?.next,
  ];
  assert.deepEqual(votesOf(await ask('?size=2&masternode=all&cycle=-1')), [['00', '01'], '1']);
  assert.deepEqual(votesOf(await ask('?size=2&next=1')), [['02', '03'], '3']);
  assert.deepEqual(votesOf(await ask('?size=2&next=3')), [['04'], undefined]);
  assert.deepEqual(votesOf(await ask('?size=2&all=true')), [['00', '01', '02', '03', '04'], undefined]);
  for (const next of ['x', '2147483647']) assert.equal((await ask(`?next=${next}`)).error?.message, 'Invalid next token');
  const limits = asked.map((params) => JSON.parse(params) as [{ pagination: unknown; masternode: string; cycle: number }]);
  assert.deepEqual(
    limits.map(([{ pagination }]) => pagination),
    [{ limit: 2 }, { limit: 4 }, { limit: 6 }, { limit: 0 }],
  );
  assert.deepEqual([limits[0]?.[0].masternode, limits[0]?.[0].cycle], ['all', -1]);
});

test('A proposal without votes has an empty list', async () => {
  const ask = oceanNode({ getgovproposal: proposal(FUND), listgovproposalvotes: '[]' });
  assert.deepEqual((await ask(`governance/proposals/${FUND}/votes`)).body, { data: [] });
});

test('A masternode that is none is refused as by the operation', async () => {
  const ask = oceanNode({
    getgovproposal: proposal(FUND),
    listgovproposalvotes: { code: -8, message: 'masternode must be of length 64' },
  });
  const { status, body } = await ask(`governance/proposals/${FUND}/votes?masternode=x`);
  assert.equal(status, 400);
  assert.equal(body.error?.message, "RpcApiError: 'masternode must be of length 64', code: -8, method: listgovproposalvotes");
});
