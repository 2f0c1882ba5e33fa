import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oceanNode } from './ask.js';
import { loanWorld } from './loan-scene.js';

/** Member of a consortium as `getgov` shows it. */
function member(name: string, backingId: string, limit = '10.00000000'): string {
  return `{"name":"${name}","ownerAddress":"","backingId":"${backingId}","mintLimit":${limit},"mintLimitDaily":1.00000000,"status":0}`;
}

const ATTRIBUTES = `{"ATTRIBUTES":{
  "v0/consortium/2/members":{"01":${member('alpha', 'abc, def ,ghi')},"02":${member('beta', '')}},
  "v0/consortium/2/mint_limit":"1000.5",
  "v0/consortium/2/mint_limit_daily":"50",
  "v0/consortium/4/members":{"01":${member('alpha', 'xyz', '7.00000000')}},
  "v0/consortium/5/members":{},
  "v0/consortium/99/members":{"03":${member('gamma', '')}},
  "v0/live/economy/consortium/2/minted":6.00000000,
  "v0/live/economy/consortium_members/2/01/minted":4.00000000,
  "v0/live/economy/consortium_members/2/01/daily_minted":"576/0.25000000",
  "v0/live/economy/consortium_members/2/01/burnt":1.50000000,
  "v0/live/economy/consortium_members/2/02/minted":2.00000000,
  "v0/live/economy/consortium_members/2/02/daily_minted":"576/0.50000000",
  "v0/live/economy/consortium_members/20/01/daily_minted":"576/9.00000000"}}`;

const ask = oceanNode({ ...loanWorld, getgov: (params) => (params === '["ATTRIBUTES"]' ? ATTRIBUTES : assert.fail()) });

test('The members of each token are listed with what they minted and burned', async () => {
  assert.deepEqual((await ask('consortium/assetbreakdown')).body, {
    data: [
      {
        tokenSymbol: 'BTC',
        tokenDisplaySymbol: 'dBTC',
        memberInfo: [
          { id: '01', name: 'alpha', tokenId: '2', minted: '4.00000000', burned: '1.50000000', backingAddresses: ['abc', 'def', 'ghi'] },
          { id: '02', name: 'beta', tokenId: '2', minted: '2.00000000', burned: '0.00000000', backingAddresses: [] },
        ],
      },
      {
        tokenSymbol: 'TSLA',
        tokenDisplaySymbol: 'dTSLA',
        memberInfo: [{ id: '01', name: 'alpha', tokenId: '4', minted: '0.00000000', burned: '0.00000000', backingAddresses: ['xyz'] }],
      },
    ],
  });
});

test('A network without consortiums has an empty list', async () => {
  const empty = oceanNode({ ...loanWorld, getgov: '{"ATTRIBUTES":{"v0/token/2/loan_collateral_factor":"1"}}' });
  assert.deepEqual((await empty('consortium/assetbreakdown')).body, { data: [] });
});

test('Figures of a member are those of the tokens with a limit, next to the figures of all members', async () => {
  assert.deepEqual((await ask('consortium/stats/01')).body.data, {
    memberId: '01',
    memberName: 'alpha',
    mintTokens: [
      {
        tokenSymbol: 'BTC',
        tokenDisplaySymbol: 'dBTC',
        tokenId: '2',
        member: { minted: '4.00000000', mintedDaily: '0.25000000', mintLimit: '10.00000000', mintDailyLimit: '1.00000000' },
        token: { minted: '6.00000000', mintedDaily: '0.75000000', mintLimit: '1000.50000000', mintDailyLimit: '50.00000000' },
      },
    ],
  });
});

test('A member of no consortium, or of that of an unknown token, is not found', async () => {
  for (const id of ['03', '1']) {
    const { status, body } = await ask(`consortium/stats/${id}`);
    assert.deepEqual([status, body.error?.message], [404, 'Consortium member not found']);
  }
});
