import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { destroyLoanScheme, setDefaultLoanScheme, setLoanScheme } from '../../../src/dfi/loans/scheme-transactions.js';
import { type RefusalRow, sentTx, testLocked, testRefusals, tried } from '../custom-tx.js';
import { type FounderNode, startFounderNode } from '../founder-node.js';

/** Height that means an immediate change. */
const NOW = 0xffff_ffff_ffff_ffffn;

describe('loan schemes', () => {
  let node: FounderNode;

  before(async () => {
    node = await startFounderNode(undefined, ['stranger']);
    await node.call('sendtoaddress', [await node.call('getnewaddress', [], 'stranger'), 5]);
    await node.mint(1, node.founder);
  });
  after(() => node.end());

  const schemes = async (): Promise<readonly string[]> => {
    const list = (await node.call('listloanschemes')) as readonly {
      id: string;
      mincolratio: number;
      interestrate: number;
      default: boolean;
    }[];
    return list.map(
      ({ id, mincolratio, interestrate, default: isDefault }) => `${id} ${mincolratio} ${interestrate}${isDefault ? ' default' : ''}`,
    );
  };

  /** Steps that build on each other. A height that is a function counts from the tip. */
  const steps = [
    {
      call: 'createloanscheme',
      args: () => [150, 5, 'LOAN150'],
      definition: setLoanScheme,
      body: () => ({ ratio: 150, rate: 500_000_000n, id: 'LOAN150', updateHeight: 0n }),
      after: ['LOAN150 150 5 default'],
    },
    {
      call: 'createloanscheme',
      args: () => [200, '2.5', 'LOAN200'],
      definition: setLoanScheme,
      body: () => ({ ratio: 200, rate: 250_000_000n, id: 'LOAN200', updateHeight: 0n }),
      after: ['LOAN150 150 5 default', 'LOAN200 200 2.5'],
    },
    {
      call: 'updateloanscheme',
      args: () => [175, 4, 'LOAN150'],
      definition: setLoanScheme,
      body: () => ({ ratio: 175, rate: 400_000_000n, id: 'LOAN150', updateHeight: NOW }),
      after: ['LOAN150 175 4 default', 'LOAN200 200 2.5'],
    },
    {
      call: 'updateloanscheme',
      args: (height: number) => [300, 1, 'LOAN200', height + 3],
      definition: setLoanScheme,
      body: (height: number) => ({ ratio: 300, rate: 100_000_000n, id: 'LOAN200', updateHeight: BigInt(height + 3) }),
      after: ['LOAN150 175 4 default', 'LOAN200 200 2.5'],
      later: ['LOAN150 175 4 default', 'LOAN200 300 1'],
    },
    {
      call: 'setdefaultloanscheme',
      args: () => ['LOAN200'],
      definition: setDefaultLoanScheme,
      body: () => ({ id: 'LOAN200' }),
      after: ['LOAN150 175 4', 'LOAN200 300 1 default'],
    },
    {
      call: 'destroyloanscheme',
      args: (height: number) => ['LOAN150', height + 3],
      definition: destroyLoanScheme,
      body: (height: number) => ({ id: 'LOAN150', destroyHeight: BigInt(height + 3) }),
      after: ['LOAN150 175 4', 'LOAN200 300 1 default'],
      later: ['LOAN200 300 1 default'],
    },
    {
      call: 'createloanscheme',
      args: () => [100, 0.01, 'LEAST'],
      definition: setLoanScheme,
      body: () => ({ ratio: 100, rate: 1_000_000n, id: 'LEAST', updateHeight: 0n }),
      after: ['LEAST 100 0.01', 'LOAN200 300 1 default'],
    },
  ];
  for (const { call, args, definition, body, after: expected, later } of steps) {
    test(`${call} ${JSON.stringify(args(0))}: a founder authorises and gets the change`, async () => {
      const { height } = node.chain.tip;
      const sent = sentTx(node, await node.call(call, args(height)), definition as typeof setLoanScheme);
      assert.deepEqual([sent.body, sent.outputs, sent.change], [body(height), ['0.00000000 message'], node.founder]);
      await node.mint(1, node.founder);
      assert.deepEqual(await schemes(), expected);
      if (!later) return;
      await node.mint(3, node.founder);
      assert.deepEqual(await schemes(), later);
    });
  }

  const made = (why: string) => tried('LoanScheme', why);
  const twin = 'with same interestrate and mincolratio';
  const tooLong = 'id cannot be empty or more than 8 chars long';
  const rows: readonly RefusalRow[] = [
    ['getloanscheme', [null], '-8 Invalid parameter id, argument must be non-null'],
    ['getloanscheme', [-1], '-8 Cannot find existing loan scheme with id -1'],
    ['getloanscheme', [{}], '-8 id cannot be empty or more than 8 chars long'],
    ['createloanscheme', [150, 1, 'A', { a: 1 }], '-1 JSON value is not an object as expected'],
    ['createloanscheme', [99, 1, 'A'], made('minimum collateral ratio cannot be less than 100')],
    ['createloanscheme', [150, 0.009, 'A'], made('interest rate cannot be less than 0.01')],
    ['createloanscheme', [150, 1, ''], made(tooLong)],
    ['createloanscheme', [150, 1, 'A'.repeat(9)], made(tooLong)],
    ['createloanscheme', [300, 1, 'A'], made(`Loan scheme LOAN200 ${twin} already exists`)],
    ['createloanscheme', [150, 1, 'LEAST'], made('Loan scheme already exist with id LEAST')],
    ['createloanscheme', [150, -1, 'A'], '-3 Amount out of range'],
    ['createloanscheme', [150, 'x', 'A'], '-3 Invalid amount'],
    ['createloanscheme', ['150', 1, 'A'], '-1 JSON value is not an integer as expected'],
    ['createloanscheme', [150, 1, 1], '-1 JSON value is not a string as expected'],
    ['createloanscheme', [150, 1, 'A'], made('tx not from foundation member!'), 'stranger'],
    ['updateloanscheme', [150, 1, 'NOPE'], made('Cannot find existing loan scheme with id NOPE')],
    ['updateloanscheme', [150, 1, 'LEAST', 5], made('Update height below current block height, set future height')],
    ['updateloanscheme', [150, 1, 'LEAST'], made('tx not from foundation member!'), 'stranger'],
    ['setdefaultloanscheme', ['NOPE'], tried('DefaultLoanScheme', 'Cannot find existing loan scheme with id NOPE')],
    ['setdefaultloanscheme', [''], tried('DefaultLoanScheme', tooLong)],
    ['setdefaultloanscheme', ['LOAN200'], tried('DefaultLoanScheme', 'Loan scheme with id LOAN200 is already set as default')],
    ['setdefaultloanscheme', ['LEAST'], tried('DefaultLoanScheme', 'tx not from foundation member!'), 'stranger'],
    ['destroyloanscheme', ['NOPE'], tried('DestroyLoanScheme', 'Cannot find existing loan scheme with id NOPE')],
    ['destroyloanscheme', ['LOAN200'], tried('DestroyLoanScheme', 'Cannot destroy default loan scheme, set new default first')],
    ['destroyloanscheme', ['LEAST', 5], tried('DestroyLoanScheme', 'Destruction height below current block height, set future height')],
    ['destroyloanscheme', ['LEAST'], tried('DestroyLoanScheme', 'tx not from foundation member!'), 'stranger'],
  ];
  testRefusals(() => node, rows);

  testLocked(
    () => node,
    [
      ['createloanscheme', [150, 1, 'A']],
      ['updateloanscheme', [150, 1, 'LEAST']],
      ['setdefaultloanscheme', ['LEAST']],
      ['destroyloanscheme', ['LEAST']],
    ],
  );
});
