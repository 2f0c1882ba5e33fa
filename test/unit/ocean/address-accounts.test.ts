import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FakeOperations, oceanNode } from './ask.js';
import { digits, loanChain, loanWorld } from './loan-scene.js';

const ADDRESS = 'mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU';
const NO_ADDRESS = { code: -5, message: 'Invalid owner address' };

/** A node that notes the arguments of calls. */
function noting(answers: Readonly<Record<string, string>>) {
  const asked: string[] = [];
  const noted = Object.entries(answers).map(([method, answer]) => [
    method,
    (params: string) => {
      asked.push(params);
      return answer;
    },
  ]);
  return { asked, ask: oceanNode({ ...loanWorld, ...Object.fromEntries(noted) } as FakeOperations, { chain: loanChain }) };
}

function idsOf(data: unknown): string[] {
  return (data as { id: string }[]).map(({ id }) => id);
}

test('Balances of an account are shown with their tokens', async () => {
  const { ask, asked } = noting({ getaccount: '{"0":1.50000000,"4":0.00000001}' });
  assert.deepEqual((await ask(`address/${ADDRESS}/tokens`)).body, {
    data: [
      {
        id: '0',
        amount: '1.50000000',
        symbol: 'DFI',
        displaySymbol: 'DFI',
        symbolKey: 'DFI',
        name: 'Default Defi token',
        isDAT: true,
        isLPS: false,
        isLoanToken: false,
      },
      {
        id: '4',
        amount: '0.00000001',
        symbol: 'TSLA',
        displaySymbol: 'dTSLA',
        symbolKey: 'TSLA',
        name: 'Tesla',
        isDAT: true,
        isLPS: false,
        isLoanToken: true,
      },
    ],
  });
  assert.deepEqual(asked, [`["${ADDRESS}",{"start":0,"including_start":true,"limit":30},true]`]);
});

test('A page of balances begins behind a token id, and repeats no DFI of an EVM address', async () => {
  const { ask, asked } = noting({ getaccount: '{"0":1.00000000,"4":2.00000000,"5":3.00000000}' });
  const { data, page } = (await ask(`address/${ADDRESS}/tokens?size=2&next=2`)).body;
  assert.deepEqual([idsOf(data), page], [['4', '5'], { next: '5' }]);
  assert.deepEqual(asked, [`["${ADDRESS}",{"start":2,"including_start":false,"limit":2},true]`]);
  const first = (await ask(`address/${ADDRESS}/tokens?size=2`)).body;
  assert.deepEqual([idsOf(first.data), first.page], [['0', '4'], { next: '4' }]);
  for (const next of ['DFI', '2147483648'])
    assert.equal((await ask(`address/${ADDRESS}/tokens?next=${next}`)).body.error?.message, 'Invalid next token');
});

test('An account without balances has an empty list', async () => {
  assert.deepEqual((await noting({ getaccount: '{}' }).ask(`address/${ADDRESS}/tokens`)).body, { data: [] });
});

test('Vaults of an address are those that the operation lists for it', async () => {
  const vault = `{"vaultId":"${digits('a1')}","loanSchemeId":"MIN150","ownerAddress":"${ADDRESS}","state":"active","collateralAmounts":[],
    "loanAmounts":[],"interestAmounts":[],"collateralValue":0,"loanValue":0,"interestValue":0,"informativeRatio":-1.00000000,"collateralRatio":-1}`;
  const { ask, asked } = noting({ listvaults: `[${vault}]` });
  const { data, page } = (await ask(`address/${ADDRESS}/vaults?size=1`)).body;
  assert.deepEqual(page, { next: digits('a1') });
  assert.deepEqual(data, [
    {
      vaultId: digits('a1'),
      loanScheme: { id: 'MIN150', minColRatio: '150', interestRate: '5' },
      ownerAddress: ADDRESS,
      state: 'ACTIVE',
      informativeRatio: '-1',
      collateralRatio: '-1',
      collateralValue: '0',
      loanValue: '0',
      interestValue: '0',
      collateralAmounts: [],
      loanAmounts: [],
      interestAmounts: [],
    },
  ]);
  assert.deepEqual(asked, [`[{"ownerAddress":"${ADDRESS}","verbose":true},{"limit":1}]`]);
});

test('A text that is no address is refused; other refusals are those of the operation', async () => {
  const ask = oceanNode({ getaccount: NO_ADDRESS, listvaults: NO_ADDRESS });
  for (const path of ['address/mine/tokens', 'address/mine/vaults']) {
    const { status, body } = await ask(path);
    assert.deepEqual([status, body.error?.message], [400, 'InvalidDefiAddress']);
  }
  const busy = oceanNode({ getaccount: { code: -8, message: 'busy' } });
  assert.equal((await busy(`address/${ADDRESS}/tokens`)).body.error?.message, "RpcApiError: 'busy', code: -8, method: getaccount");
});
