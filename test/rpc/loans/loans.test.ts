import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setCollateralToken, setLoanToken, updateLoanToken } from '../../../src/dfi/loan-tokens/transactions.js';
import { paybackLoan, paybackLoanV2 } from '../../../src/dfi/loans/payback-transactions.js';
import { takeLoan } from '../../../src/dfi/loans/transactions.js';
import { COIN } from '../../../src/primitives/amount.js';
import { GRAND_CENTRAL } from '../../unit/dfi/fixture.js';
import { type RefusalRow, scriptHex, sentTx, testLocked, testRefusals, tried } from '../custom-tx.js';
import { type LoanNode, startLoanNode } from './loan-node.js';

const FOREIGN = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';
const UNKNOWN = 'ab'.repeat(32);
const NOBODY = 'recipient (nobody) does not refer to any valid address';
const needs = (name: string, verb = 'must not be null') => `-8 Invalid parameters, argument "${name}" ${verb}`;

let node: LoanNode;
/** A vault with 100 DFI, and an empty one. */
let [vault, empty] = ['', ''];

before(async () => {
  node = await startLoanNode();
  const { confirm, rich } = node;
  vault = await confirm('createvault', [rich, 'LOAN150']);
  empty = await confirm('createvault', [rich]);
  await confirm('deposittovault', [vault, rich, '100@DFI']);
});
after(() => node.end());

const loanToken = async (token: string): Promise<unknown> => {
  const { fixedIntervalPriceId, interest, mintable } = (await node.call('getloantoken', [token])) as Record<string, unknown>;
  return { fixedIntervalPriceId, interest, mintable };
};

describe('loan tokens', () => {
  const pair = { token: 'TSLA', currency: 'USD' };

  test('setloantoken: mintable and without interest by default; a founder gets the collateral and the change', async () => {
    const args = [{ symbol: ' GOOGL ', fixedIntervalPriceId: 'TSLA/USD' }];
    const sent = sentTx(node, await node.call('setloantoken', args), setLoanToken);
    assert.deepEqual(sent.body, { symbol: 'GOOGL', name: '', pair, mintable: true, interest: 0n });
    assert.deepEqual([sent.outputs, sent.change], [['0.00000000 message', `0.00000549 ${node.founder}`], node.founder]);
    await node.mint(1, node.founder);
    assert.deepEqual(await loanToken('GOOGL'), { fixedIntervalPriceId: 'TSLA/USD', interest: 0, mintable: true });
  });

  const changes = [
    { change: { mintable: false }, fields: { mintable: false }, shown: { interest: 0, mintable: false } },
    {
      change: { interest: -1.5, name: 'g' },
      fields: { name: 'g', mintable: false, interest: -150_000_000n },
      shown: { interest: -1.5, mintable: false },
    },
    {
      change: { mintable: true, fixedIntervalPriceId: 'DUSD/USD' },
      fields: { name: 'g', mintable: true, interest: -150_000_000n, pair: { token: 'DUSD', currency: 'USD' } },
      shown: { interest: -1.5, mintable: true, fixedIntervalPriceId: 'DUSD/USD' },
    },
    // Any value but a boolean counts as false.
    {
      change: { mintable: 'true', symbol: 'GOO', interest: '2', fixedIntervalPriceId: 'TSLA/USD' },
      fields: { symbol: 'GOO', name: 'g', mintable: false, interest: 200_000_000n },
      shown: { interest: 2, mintable: false },
    },
  ];
  for (const { change, fields, shown } of changes) {
    test(`updateloantoken ${JSON.stringify(change)}: other members stay`, async () => {
      const sent = sentTx(node, await node.call('updateloantoken', ['GOOGL', change]), updateLoanToken);
      const { tokenTx, ...said } = sent.body as { readonly tokenTx: string };
      assert.deepEqual(said, { symbol: 'GOOGL', name: '', pair, interest: 0n, ...fields });
      assert.match(tokenTx, /^[0-9a-f]{64}$/);
      assert.deepEqual([sent.outputs, sent.change], [['0.00000000 message'], node.founder]);
      await node.mint(1, node.founder);
      const key = 'symbol' in change ? change.symbol : 'GOOGL';
      assert.deepEqual(await loanToken(String(key)), { fixedIntervalPriceId: 'TSLA/USD', ...shown });
    });
  }

  test('setcollateraltoken: by symbol, with a factor', async () => {
    const args = [{ token: 'TSLA', factor: '0.75', fixedIntervalPriceId: 'TSLA/USD', activateAfterBlock: 7 }];
    const sent = sentTx(node, await node.call('setcollateraltoken', args), setCollateralToken);
    assert.deepEqual(sent.body, { tokenId: 2, factor: 75_000_000n, pair, activateAfterBlock: 7 });
    assert.deepEqual([sent.outputs, sent.change], [['0.00000000 message'], node.founder]);
    await node.mint(1, node.founder);
    assert.equal(((await node.call('getcollateraltoken', ['TSLA'])) as { factor: number }).factor, 0.75);
  });
});

describe('loans', () => {
  test('takeloan: the owner of the vault authorises and gets the change, and the tokens unless another recipient is named', async () => {
    const script = await scriptHex(node, FOREIGN);
    const vaultId = vault;
    const own = sentTx(node, await node.call('takeloan', [{ vaultId, amounts: ['10@TSLA', '20@DUSD'] }]), takeLoan);
    const amounts = [
      { tokenId: 1, amount: 20n * COIN },
      { tokenId: 2, amount: 10n * COIN },
    ];
    assert.deepEqual([own.body, own.outputs, own.change], [{ vaultId, to: '', amounts }, ['0.00000000 message'], node.rich]);
    await node.mint(1, node.founder);
    const foreign = sentTx(node, await node.call('takeloan', [{ vaultId, amounts: '1@TSLA', to: FOREIGN }]), takeLoan);
    assert.deepEqual(foreign.body, { vaultId, to: script, amounts: [{ tokenId: 2, amount: COIN }] });
    await node.mint(1, node.founder);
    assert.deepEqual(await node.call('getaccount', [node.rich]), ['100.00000000@DFI', '20.00000000@DUSD', '10.00000000@TSLA']);
    assert.deepEqual(await node.call('getaccount', [FOREIGN]), ['1.00000000@TSLA']);
  });

  test('getinterest and getloaninfo sum up the debts', async () => {
    const [dollars, shares] = (await node.call('getinterest', ['LOAN150'])) as {
      token: string;
      interestPerBlock: number;
      totalInterest: number;
    }[];
    // 6 % of 20 DUSD and 7 % of 11 TSLA by 52 560 blocks of a year, rounded up.
    assert.deepEqual([dollars?.token, dollars?.interestPerBlock], ['DUSD', 0.00002284]);
    assert.deepEqual([shares?.token, shares?.interestPerBlock], ['TSLA', 0.00001465]);
    assert.deepEqual(await node.call('getinterest', ['LOAN150', 'TSLA']), [shares]);
    assert.deepEqual(await node.call('getinterest', ['LOAN200']), []);
    assert.equal(await node.call('getinterest', ['NOPE']), '-8 Cannot find existing loan scheme with id NOPE');
    assert.equal(await node.call('getinterest', ['']), '-8 id cannot be empty or more than 8 chars long');
    assert.equal(await node.call('getinterest', ['LOAN150', 'NOPE']), '-8 Token NOPE does not exist!');
    const { defaults, totals } = (await node.call('getloaninfo')) as { defaults: unknown; totals: Record<string, number> };
    assert.deepEqual(defaults, { scheme: 'LOAN150', maxPriceDeviationPct: 30, minOraclesPerPrice: 1, fixedIntervalBlocks: 5 });
    const { loanValue = 0, ...rest } = totals;
    assert.deepEqual(rest, { schemes: 2, collateralTokens: 3, collateralValue: 500, loanTokens: 3, openVaults: 2, openAuctions: 0 });
    assert.ok(loanValue > 130 && loanValue < 130.001, String(loanValue));
  });

  test('paybackloan: the payer authorises; with amounts', async () => {
    const from = await scriptHex(node, node.rich);
    const sent = sentTx(node, await node.call('paybackloan', [{ vaultId: vault, from: node.rich, amounts: '4@TSLA' }]), paybackLoan);
    assert.deepEqual(sent.body, { vaultId: vault, from, amounts: [{ tokenId: 2, amount: 4n * COIN }] });
    assert.deepEqual([sent.outputs, sent.change], [['0.00000000 message'], node.rich]);
    await node.mint(1, node.founder);
    assert.ok(((await node.call('getaccount', [node.rich])) as string[]).includes('6.00000000@TSLA'));
  });

  test('paybackloan: with amounts, the account of * must have the most of each token', async () => {
    // The founder has more DUSD.
    assert.equal(
      await node.call('paybackloan', [{ vaultId: vault, from: '*', amounts: ['2@TSLA', '5@DUSD'] }]),
      '-32600 Not enough tokens on account, call sendtokenstoaddress to increase it.\n',
    );
  });

  test('paybackloan: with loans by token', async () => {
    const loans = [
      { dToken: 'TSLA', amounts: ['1@TSLA'] },
      { dToken: '1', amounts: '5@DUSD' },
      // The last entry of a token counts.
      { dToken: 'TSLA', amounts: '2@TSLA' },
    ];
    const sent = sentTx(node, await node.call('paybackloan', [{ vaultId: vault, from: node.rich, loans }]), paybackLoanV2);
    assert.deepEqual(sent.body, {
      vaultId: vault,
      from: await scriptHex(node, node.rich),
      loans: [
        { loanToken: 1, paid: [{ tokenId: 1, amount: 5n * COIN }] },
        { loanToken: 2, paid: [{ tokenId: 2, amount: 2n * COIN }] },
      ],
    });
    await node.mint(1, node.founder);
    assert.deepEqual(await node.call('getaccount', [node.rich]), ['100.00000000@DFI', '15.00000000@DUSD', '4.00000000@TSLA']);
  });

  test('paybackloan: with loans, the account of * is the first by script of those that would pay a part', async () => {
    // A script of 22 bytes, before those of 25.
    const first = String(await node.call('getnewaddress', ['', 'bech32']));
    await node.confirm('accounttoaccount', [node.rich, { [first]: ['3@TSLA', '1@DUSD'] }]);
    const loans = [
      { dToken: 'TSLA', amounts: '1@TSLA' },
      // The founder has more DUSD.
      { dToken: 'DUSD', amounts: '1@DUSD' },
    ];
    const sent = sentTx(node, await node.call('paybackloan', [{ vaultId: vault, from: '*', loans }]), paybackLoanV2);
    assert.equal((sent.body as { readonly from: string }).from, await scriptHex(node, first));
    await node.call('clearmempool');
    await node.confirm('accounttoaccount', [first, { [node.rich]: ['3@TSLA', '1@DUSD'] }]);
    const tooMany = [{ dToken: 'TSLA', amounts: '1000@TSLA' }];
    assert.equal(
      await node.call('paybackloan', [{ vaultId: vault, from: '*', loans: tooMany }]),
      '-32600 Not enough tokens on account, call sendtokenstoaddress to increase it.\n',
    );
  });
});

describe('refusals of loan operations', () => {
  const collateral = (change: object) => [{ token: 'DFI', factor: 1, fixedIntervalPriceId: 'DFI/USD', ...change }];
  const loan = (change: object) => [{ symbol: 'NEW', fixedIntervalPriceId: 'TSLA/USD', ...change }];
  const take = (change: object) => () => [{ vaultId: vault, amounts: '1@TSLA', ...change }];
  const pay = (change: object) => () => [{ vaultId: vault, from: node.rich, amounts: '1@TSLA', ...change }];
  const paysBoth = () => [{ vaultId: vault, from: node.rich, amounts: '1@TSLA', loans: [] }];
  const pays = (loans: unknown) => () => [{ vaultId: vault, from: node.rich, loans }];
  const payTsla = (amounts: unknown) => pays([{ dToken: 'TSLA', amounts }]);
  const foundation = 'tx not from foundation member!';
  const ratio = (have: number) => `Vault does not have enough collateralization ratio defined by loan scheme - ${have} < 150`;
  const rows: readonly RefusalRow[] = [
    ['setcollateraltoken', [], '-1 usage'],
    ['setcollateraltoken', [null], '-3 Expected type object, got null'],
    ['setcollateraltoken', [{}], needs('token')],
    ['setcollateraltoken', [{ token: 'DFI' }], needs('factor')],
    ['setcollateraltoken', [{ token: 'DFI', factor: 1 }], needs('fixedIntervalPriceId', 'must be non-null')],
    ['setcollateraltoken', collateral({ fixedIntervalPriceId: '' }), needs('fixedIntervalPriceId', 'must be non-null')],
    ['setcollateraltoken', collateral({ fixedIntervalPriceId: 'DFI' }), '-8 price feed not in valid format - token/currency!'],
    ['setcollateraltoken', collateral({ fixedIntervalPriceId: '/USD' }), '-8 token/currency contains empty string'],
    ['setcollateraltoken', collateral({ token: 'NOPE' }), '-8 Token NOPE does not exist!'],
    ['setcollateraltoken', collateral({ factor: 'x' }), '-3 Invalid amount'],
    ['setcollateraltoken', collateral({ factor: -1 }), '-3 Amount out of range'],
    ['setcollateraltoken', collateral({ factor: true }), '-3 Amount is not a number or string'],
    ['setcollateraltoken', collateral({}), tried('SetLoanCollateralToken', foundation), 'stranger'],
    ['setloantoken', [], '-1 usage'],
    ['setloantoken', [{}], needs('symbol')],
    ['setloantoken', [{ symbol: 'NEW' }], needs('fixedIntervalPriceId', 'must be non-null')],
    ['setloantoken', loan({ interest: 'x' }), '-3 Invalid amount'],
    ['setloantoken', loan({ symbol: 'TSLA' }), tried('SetLoanToken', "token 'TSLA' already exists!")],
    ['setloantoken', loan({ symbol: '' }), tried('SetLoanToken', 'token symbol should be non-empty and starts with a letter')],
    ['setloantoken', loan({}), tried('SetLoanToken', foundation), 'stranger'],
    ['updateloantoken', ['TSLA'], '-1 usage'],
    ['updateloantoken', ['NOPE', null], '-1 JSON value is not an object as expected'],
    ['updateloantoken', ['NOPE', {}], '-8 Token NOPE does not exist!'],
    ['updateloantoken', ['DFI', {}], "-8 Token DFI is not a loan token! Can't alter other tokens with this tx!"],
    ['updateloantoken', ['TSLA', { fixedIntervalPriceId: 'X' }], '-8 price feed not in valid format - token/currency!'],
    ['updateloantoken', ['TSLA', { interest: true }], '-3 Amount is not a number or string'],
    ['updateloantoken', ['TSLA', {}], tried('UpdateLoanToken', foundation), 'stranger'],
    ['takeloan', [], '-1 usage'],
    ['takeloan', [null], '-3 Expected type object, got null'],
    ['takeloan', [{}], needs('vaultId', 'must be non-null')],
    ['takeloan', [{ vaultId: UNKNOWN }], needs('amounts')],
    ['takeloan', [{ vaultId: UNKNOWN, amounts: '1@TSLA' }], `-8 Vault <${UNKNOWN}> not found`],
    ['takeloan', take({ to: 'nobody' }), `-5 ${NOBODY}`],
    ['takeloan', take({ amounts: '1@NOPE' }), '0 : Invalid Defi token: NOPE'],
    ['takeloan', take({ amounts: 'x@TSLA' }), '-3 : Invalid amount'],
    ['takeloan', take({ amounts: '0@TSLA' }), '-3 : Amount out of range'],
    ['takeloan', take({ amounts: '1@DFI' }), tried('TakeLoan', 'Loan token with id (0) does not exist!')],
    [
      'takeloan',
      take({ amounts: '1@GOO' }),
      tried('TakeLoan', 'Loan cannot be taken on token with id (5) as "mintable" is currently false'),
    ],
    ['takeloan', take({ amounts: '50@TSLA' }), tried('TakeLoan', ratio(88))],
    ['takeloan', () => [{ vaultId: empty, amounts: '1@TSLA' }], () => tried('TakeLoan', `Vault with id ${empty} has no collaterals`)],
    ['takeloan', take({}), () => `-5 Incorrect authorization for ${node.rich}`, 'stranger'],
    ['paybackloan', [], '-1 usage'],
    ['paybackloan', [{}], needs('vaultId', 'must be non-null')],
    ['paybackloan', () => [{ vaultId: vault, from: node.rich, loans: -0.5 }], '-8 JSON value is not an array as expected'],
    ['paybackloan', payTsla('0@TSLA'), '-3 : Amount out of range'],
    ['paybackloan', payTsla('1@NOPE'), '0 : Invalid Defi token: NOPE'],
    ['paybackloan', payTsla(true), '-8 JSON value is not a string as expected'],
    ['paybackloan', [{ vaultId: UNKNOWN }], needs('from')],
    ['paybackloan', () => [{ vaultId: vault, from: 'nobody' }], needs('amounts" and "loans', 'cannot be empty at the same time')],
    ['paybackloan', paysBoth, needs('amounts" and "loans', 'cannot be set at the same time')],
    ['paybackloan', pay({ from: 'nobody' }), `-5 ${NOBODY}`],
    ['paybackloan', pay({ from: FOREIGN }), `-8 Address (${FOREIGN}) is not owned by the wallet`],
    [
      'paybackloan',
      pay({ from: '*', amounts: '1000@TSLA' }),
      '-32600 Not enough tokens on account, call sendtokenstoaddress to increase it.\n',
    ],
    ['paybackloan', pay({ vaultId: UNKNOWN }), tried('PaybackLoan', `Cannot find existing vault with id ${UNKNOWN}`)],
    [
      'paybackloan',
      () => [{ vaultId: empty, from: node.rich, amounts: '1@TSLA' }],
      () => tried('PaybackLoan', `Vault with id ${empty} has no collaterals`),
    ],
    [
      'paybackloan',
      pay({ amounts: '5@TSLA' }),
      /^-32600 Test PaybackLoanTx execution failed:\namount 4.00000000 is less than 4.9999\d{4}$/,
    ],
    ['paybackloan', pay({ amounts: '1@NOPE' }), '0 : Invalid Defi token: NOPE'],
    ['paybackloan', pays([{ dToken: 'TSLA' }]), '-8 JSON value is not a string as expected'],
    ['paybackloan', pays([{ dToken: 'NOPE', amounts: '1@TSLA' }]), '-8 Token NOPE does not exist!'],
    ['paybackloan', pays([{ dToken: 'DFI', amounts: '1@TSLA' }]), '-8 Token DFI is not a loan token!'],
    ['paybackloan', pays([{ dToken: 'TSLA', amounts: '1@NOPE' }]), '0 : Invalid Defi token: NOPE'],
    ['paybackloan', pays([{ dToken: 'GOO', amounts: '1@TSLA' }]), /^-32600 Test PaybackLoanTx execution failed:\n/],
  ];
  testRefusals(() => node, rows);
});

testLocked(
  () => node,
  [
    ['setcollateraltoken', [{ token: 'DFI', factor: 0.9, fixedIntervalPriceId: 'DFI/USD' }]],
    ['setloantoken', [{ symbol: 'NEW', fixedIntervalPriceId: 'TSLA/USD' }]],
    ['updateloantoken', ['TSLA', { interest: 3 }]],
    ['takeloan', () => [{ vaultId: vault, amounts: '1@TSLA' }]],
    ['paybackloan', () => [{ vaultId: vault, from: node.rich, amounts: '1@TSLA' }]],
  ],
);

describe('updateloantoken before the conversion to attributes', () => {
  let loans: LoanNode;

  before(async () => {
    loans = await startLoanNode({ ...GRAND_CENTRAL, fortCanningCrunch: 10_000 });
  });
  after(() => loans.end());

  test('names that are left out are those of the creating message, whatever the token is called since', async () => {
    await loans.confirm('updateloantoken', ['TSLA', { symbol: 'TSL', name: 'New' }]);
    const sent = sentTx(loans, await loans.call('updateloantoken', ['TSL', { mintable: false }]), updateLoanToken);
    const { symbol, name, mintable } = sent.body as { readonly symbol: string; readonly name: string; readonly mintable: boolean };
    assert.deepEqual([symbol, name, mintable], ['TSLA', 'tsla', false]);
  });
});

for (const [name, upgrades, collaterals, spendable] of [
  ['before Eunos Paya, where two outputs are allowed', { eunosPaya: 10_000 }, 0, []],
  ['from Eunos Paya on', {}, 1, [2]],
  ['without Eunos Paya, from Metachain on', { eunosPaya: 10_000, grandCentralEpilogue: 0, metachain: 0 }, 1, [2]],
] as const) {
  describe(`the collateral of a loan token ${name}`, () => {
    let loans: LoanNode;

    before(async () => {
      loans = await startLoanNode({ ...GRAND_CENTRAL, ...upgrades });
    });
    after(() => loans.end());

    test('is locked and as small as possible, so that the change can be spent; also with inputs that the client names', async () => {
      interface Coin {
        readonly txid: string;
        readonly vout: number;
      }
      const coins = async (...args: readonly unknown[]) => (await loans.call('listunspent', args)) as readonly Coin[];
      for (const [symbol, named] of [
        ['GOOGL', 0],
        ['META', 1],
      ] as const) {
        const inputs = (await coins(1, 9999, [loans.founder])).slice(0, named).map(({ txid, vout }) => ({ txid, vout }));
        const id = String(await loans.call('setloantoken', [{ symbol, fixedIntervalPriceId: 'TSLA/USD' }, inputs]));
        const sent = sentTx(loans, id, setLoanToken);
        assert.deepEqual(sent.outputs, ['0.00000000 message', ...Array(collaterals).fill(`0.00000549 ${loans.founder}`)]);
        await loans.mint(1, loans.founder);
        assert.deepEqual(
          (await coins()).filter(({ txid }) => txid === id).map(({ vout }) => vout),
          spendable,
        );
      }
    });
  });
}
