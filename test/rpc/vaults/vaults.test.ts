import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { auctionBid } from '../../../src/dfi/auctions/transactions.js';
import { paybackWithCollateral } from '../../../src/dfi/loans/payback-transactions.js';
import { depositToVault, withdrawFromVault } from '../../../src/dfi/vaults/collateral-transactions.js';
import { closeVault, createVault, updateVault } from '../../../src/dfi/vaults/transactions.js';
import { COIN } from '../../../src/primitives/amount.js';
import { type RefusalRow, scriptHex, sentTx, testLocked, testRefusals, tried } from '../custom-tx.js';
import { type LoanNode, startLoanNode } from '../loans/loan-node.js';

const FOREIGN = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';
const UNKNOWN = 'ab'.repeat(32);
const NOBODY = '-5 recipient (nobody) does not refer to any valid address';

let node: LoanNode;
/** Vaults: with 20 DFI and a loan of 1 TSLA; with 10 DFI and a loan of 3 TSLA; empty; to be closed. */
let [safe, risky, empty, short] = ['', '', '', ''];
let own = '';

const shown = async (id: string): Promise<Readonly<Record<string, unknown>>> =>
  (await node.call('getvault', [id])) as Readonly<Record<string, unknown>>;
const account = async (owner: string): Promise<unknown> => node.call('getaccount', [owner]);

before(async () => {
  node = await startLoanNode();
  own = await scriptHex(node, node.rich);
  const { confirm, rich } = node;
  safe = await confirm('createvault', [rich]);
  risky = await confirm('createvault', [rich]);
  empty = await confirm('createvault', [rich]);
});
after(() => node.end());

describe('vaults', () => {
  test('createvault burns half of the fee in output 0; no signer is required', async () => {
    for (const [scheme, expected] of [
      [undefined, 'LOAN150'],
      ['LOAN200', 'LOAN200'],
    ]) {
      const args = scheme === undefined ? [FOREIGN] : [node.rich, scheme];
      short = String(await node.call('createvault', args));
      const sent = sentTx(node, short, createVault);
      assert.deepEqual(sent.body, { owner: await scriptHex(node, String(args[0])), scheme: scheme ?? '' });
      assert.deepEqual(sent.outputs, ['1.00000000 message']);
      await node.mint(1, node.founder);
      const { ownerAddress, loanSchemeId, state } = await shown(short);
      assert.deepEqual([ownerAddress, loanSchemeId, state], [args[0], expected, 'active']);
    }
  });

  test('deposittovault: the payer authorises and gets the change', async () => {
    for (const [vaultId, amount] of [
      [safe, 20n],
      [risky, 10n],
    ] as const) {
      const sent = sentTx(node, await node.call('deposittovault', [vaultId, node.rich, `${amount}@DFI`]), depositToVault);
      assert.deepEqual(sent.body, { vaultId, from: own, amount: { tokenId: 0, amount: amount * COIN } });
      assert.deepEqual([sent.outputs, sent.change], [['0.00000000 message'], node.rich]);
      await node.mint(1, node.founder);
      assert.deepEqual((await shown(vaultId)).collateralAmounts, [`${amount}.00000000@DFI`]);
    }
    assert.deepEqual(await account(node.rich), ['170.00000000@DFI']);
  });

  test('withdrawfromvault: the owner authorises and gets the change, whatever the recipient', async () => {
    const sent = sentTx(node, await node.call('withdrawfromvault', [safe, FOREIGN, '0.5@DFI']), withdrawFromVault);
    const to = await scriptHex(node, FOREIGN);
    assert.deepEqual(sent.body, { vaultId: safe, to, amount: { tokenId: 0, amount: COIN / 2n } });
    assert.deepEqual([sent.outputs, sent.change], [['0.00000000 message'], node.rich]);
    await node.mint(1, node.founder);
    assert.deepEqual([(await shown(safe)).collateralAmounts, await account(FOREIGN)], [['19.50000000@DFI'], ['0.50000000@DFI']]);
  });

  describe('updatevault', () => {
    const rows = [
      { name: 'scheme', change: { loanSchemeId: 'LOAN150' }, scheme: 'LOAN150' },
      { name: 'owner', change: { ownerAddress: FOREIGN }, scheme: 'LOAN150' },
    ];
    for (const { name, change, scheme } of rows) {
      test(`${name}: other members stay`, async () => {
        const vaultId = name === 'owner' ? await node.confirm('createvault', [node.rich, scheme]) : short;
        const sent = sentTx(node, await node.call('updatevault', [vaultId, change]), updateVault);
        const owner = change.ownerAddress ?? node.rich;
        assert.deepEqual(sent.body, { vaultId, owner: await scriptHex(node, owner), scheme });
        assert.deepEqual([sent.outputs, sent.change], [['0.00000000 message'], node.rich]);
        await node.mint(1, node.founder);
        const { ownerAddress, loanSchemeId } = await shown(vaultId);
        assert.deepEqual([ownerAddress, loanSchemeId], [owner, scheme]);
      });
    }
  });

  test('closevault: the collateral and half of the fee go to the named recipient', async () => {
    const to = String(await node.call('getnewaddress'));
    await node.confirm('deposittovault', [short, node.rich, '2@DFI']);
    const sent = sentTx(node, await node.call('closevault', [short, to]), closeVault);
    assert.deepEqual(sent.body, { vaultId: short, to: await scriptHex(node, to) });
    assert.deepEqual([sent.outputs, sent.change], [['0.00000000 message'], node.rich]);
    await node.mint(1, node.founder);
    assert.deepEqual(await account(to), ['2.50000000@DFI']);
    assert.equal(await node.call('getvault', [short]), `-20 Vault <${short}> not found`);
  });

  test('paybackwithcollateral pays the DUSD loan with the DUSD collateral', async () => {
    const { confirm, founder } = node;
    const id = String(await confirm('createvault', [founder, 'LOAN150']));
    await confirm('setgov', [{ ATTRIBUTES: { 'v0/token/1/loan_payback_collateral': 'true' } }]);
    await confirm('utxostoaccount', [{ [founder]: '20@DFI' }]);
    await confirm('deposittovault', [id, founder, '20@DFI']);
    await confirm('deposittovault', [id, founder, '50@DUSD']);
    await confirm('takeloan', [{ vaultId: id, amounts: '30@DUSD' }]);
    const sent = sentTx(node, await node.call('paybackwithcollateral', [id]), paybackWithCollateral);
    assert.deepEqual([sent.body, sent.outputs, sent.change], [{ vaultId: id }, ['0.00000000 message'], founder]);
    await node.mint(1, founder);
    const { loanAmounts, collateralAmounts } = await shown(id);
    assert.deepEqual(loanAmounts, []);
    assert.match(String(collateralAmounts), /^20\.00000000@DFI,19\.9999\d{4}@DUSD$/);
  });

  test('estimates by prices', async () => {
    const { call } = node;
    await node.confirm('takeloan', [{ vaultId: safe, amounts: '2@TSLA' }]);
    await node.confirm('takeloan', [{ vaultId: risky, amounts: '3@TSLA' }]);
    // 97.5 USD, which at 150 % allow a loan of 65.
    assert.deepEqual(await call('estimateloan', [safe, { TSLA: 0.5, DUSD: 0.5 }]), ['32.50000000@DUSD', '3.25000000@TSLA']);
    assert.deepEqual(await call('estimateloan', [safe, { TSLA: 1 }, 300]), ['3.25000000@TSLA']);
    assert.deepEqual(await call('estimatecollateral', ['10@TSLA', 200]), ['40.00000000@DFI']);
    // An amount that cannot be added leaves a zero.
    assert.deepEqual(await call('estimatecollateral', ['10@TSLA', -200]), ['0.00000000@DFI']);
    assert.equal(await call('estimatecollateral', ['10@TSLA', -200, { DFI: 0.5, DUSD: 'x' }]), '-3 Invalid amount');
    assert.deepEqual(await call('estimatecollateral', [['10@TSLA', '100@DUSD'], 150, { DFI: 0.5, DUSD: '0.5' }]), [
      '30.00000000@DFI',
      '150.00000000@DUSD',
    ]);
    const estimate = { collateralValue: 500, loanValue: 200, informativeRatio: 250, collateralRatio: 250 };
    assert.deepEqual(await call('estimatevault', [['50@DFI', '250@DUSD'], '20@TSLA']), estimate);
  });
});

describe('refusals of vault operations', () => {
  const vaultOf = (method: string, ...args: readonly unknown[]) => [method, () => [safe, ...args]] as const;
  const odd = "-8 vaultId must be of length 64 (not 2, for 'ab')";
  const strange = () => `-5 Incorrect authorization for ${node.rich}`;
  const rows: readonly RefusalRow[] = [
    ['createvault', [], '-1 usage'],
    ['createvault', [null], '-5 recipient () does not refer to any valid address'],
    ['createvault', [5], '-3 Expected type string, got number'],
    ['createvault', ['nobody'], NOBODY],
    // The type of the inputs is not checked: other values than lists and objects mean none.
    ['createvault', ['nobody', '', 'x'], NOBODY],
    ['createvault', [FOREIGN, 'NOPE', 5], tried('Vault', 'Cannot find existing loan scheme with id NOPE')],
    ['createvault', [FOREIGN, '', { a: 1 }], '-1 JSON value is not an object as expected'],
    ['createvault', [FOREIGN, '', { a: { txid: UNKNOWN, vout: 0 } }], '-4 Insufficient funds'],
    ['createvault', [FOREIGN, '', [{ txid: 1, vout: 'x' }]], '-1 JSON value is not a string as expected'],
    ['createvault', [FOREIGN, '', [{ txid: UNKNOWN, vout: 'x' }]], '-8 Invalid parameter, missing vout key'],
    ['closevault', [UNKNOWN, FOREIGN, 'x'], `-5 Vault <${UNKNOWN}> not found`],
    ['closevault', [UNKNOWN, FOREIGN, null], `-5 Vault <${UNKNOWN}> not found`],
    // All arguments of the estimates are checked first, then each share after the loans and the tokens before it.
    ['estimateloan', [UNKNOWN, 'x'], '-3 Expected type object, got string'],
    ['estimateloan', [UNKNOWN, null], '-3 Expected type object, got null'],
    ['estimateloan', [UNKNOWN, -0.5, { x: 1 }], '-3 Expected type object, got number'],
    ['estimatecollateral', ['1@DFI', 150, ''], '-3 Expected type object, got string'],
    ['estimatecollateral', ['1@DFI', 150, { DFI: [] }], '-8 Token with id (0) is not a loan token!'],
    ['estimatecollateral', [[], 150, { B: [], A: 1 }], '-20 Token A does not exist!'],
    ['estimatecollateral', [[], 150, {}], '-1 total split between collateral tokens = 0.00000000 vs expected 1.00000000'],
    ['createvault', [FOREIGN, 'NOPE'], tried('Vault', 'Cannot find existing loan scheme with id NOPE')],
    ['createvault', [FOREIGN, '', [{ txid: UNKNOWN, vout: 0 }]], '-4 Insufficient funds'],
    ['updatevault', ['ab', {}], odd],
    ['updatevault', [UNKNOWN, {}], `-5 Vault <${UNKNOWN}> not found`],
    [...vaultOf('updatevault'), '-1 usage'],
    [...vaultOf('updatevault', {}), '-8 At least ownerAddress OR loanSchemeId must be set'],
    [...vaultOf('updatevault', null), '-3 Expected type object, got null'],
    [...vaultOf('updatevault', { ownerAddress: 'nobody' }), '-5 Error: Invalid owner address'],
    [...vaultOf('updatevault', { loanSchemeId: 'NOPE' }), tried('UpdateVault', 'Cannot find existing loan scheme with id NOPE')],
    [...vaultOf('updatevault', { loanSchemeId: 'LOAN200' }), strange, 'stranger'],
    ['closevault', ['ab', FOREIGN], odd],
    ['closevault', [UNKNOWN, FOREIGN], `-5 Vault <${UNKNOWN}> not found`],
    [...vaultOf('closevault', 'nobody'), NOBODY],
    [...vaultOf('closevault', FOREIGN), () => tried('CloseVault', `Vault <${safe}> has loans`)],
    [...vaultOf('closevault', FOREIGN), strange, 'stranger'],
    ['deposittovault', ['ab', FOREIGN, '1@DFI'], odd],
    ['deposittovault', () => [UNKNOWN, node.rich, '1@DFI'], tried('DepositToVault', `Vault <${UNKNOWN}> not found`)],
    [...vaultOf('deposittovault', null, '1@DFI'), '-3 Expected type string, got null'],
    [...vaultOf('deposittovault', 'nobody', '1@DFI'), NOBODY],
    [...vaultOf('deposittovault', FOREIGN, '1@DFI'), `-5 Incorrect authorization for ${FOREIGN}`],
    ['deposittovault', () => [safe, node.rich, '1@NOPE'], '0 amount: Invalid Defi token: NOPE'],
    ['deposittovault', () => [safe, node.rich, '0@DFI'], '-3 amount: Amount out of range'],
    ['deposittovault', () => [safe, node.rich, 'x'], '-3 amount: Invalid amount'],
    [
      'deposittovault',
      () => [safe, node.rich, '1000@DFI'],
      () =>
        '-32600 Test DepositToVaultTx execution failed:\n' +
        `Insufficient funds: can't subtract balance of ${node.rich}: amount 168.00000000 is less than 1000.00000000\n`,
    ],
    ['deposittovault', () => [safe, node.rich, '1@TSLA'], tried('DepositToVault', 'Collateral token with id (2) does not exist!')],
    ['withdrawfromvault', ['ab', FOREIGN, '1@DFI'], odd],
    ['withdrawfromvault', [UNKNOWN, FOREIGN, '1@DFI'], `-5 Vault <${UNKNOWN}> not found`],
    [...vaultOf('withdrawfromvault', 'nobody', '1@DFI'), NOBODY],
    [...vaultOf('withdrawfromvault', FOREIGN, '-1@DFI'), '-3 amount: Amount out of range'],
    [...vaultOf('withdrawfromvault', FOREIGN, '1@DFI'), strange, 'stranger'],
    [
      ...vaultOf('withdrawfromvault', FOREIGN, '15@DFI'),
      tried('WithdrawFromVault', 'Vault does not have enough collateralization ratio defined by loan scheme - 112 < 150'),
    ],
    [
      ...vaultOf('withdrawfromvault', FOREIGN, '19.5@DFI'),
      tried('WithdrawFromVault', 'Cannot withdraw all collaterals as there are still active loans in this vault'),
    ],
    ['withdrawfromvault', () => [empty, FOREIGN, '1@DFI'], () => tried('WithdrawFromVault', `Collateral for vault <${empty}> not found`)],
    ['paybackwithcollateral', ['ab'], odd],
    ['paybackwithcollateral', [UNKNOWN], `-5 Vault <${UNKNOWN}> not found`],
    ['paybackwithcollateral', () => [empty], tried('PaybackWithCollateral', 'Vault has no collaterals')],
    [...vaultOf('paybackwithcollateral'), tried('PaybackWithCollateral', 'Vault does not have any DUSD collaterals')],
    [...vaultOf('paybackwithcollateral'), strange, 'stranger'],
    ['placeauctionbid', ['ab', 0, FOREIGN, '1@TSLA'], odd],
    [...vaultOf('placeauctionbid', '0', FOREIGN, '1@TSLA'), '-3 Expected type number, got string'],
    [...vaultOf('placeauctionbid', 0, 'nobody', '1@TSLA'), NOBODY],
    [...vaultOf('placeauctionbid', 0, FOREIGN, '1@TSLA'), `-5 Incorrect authorization for ${FOREIGN}`],
    [...vaultOf('placeauctionbid', 0, '*', '1@TSLA'), tried('AuctionBid', 'Cannot bid to vault which is not under liquidation')],
    [...vaultOf('placeauctionbid', 0, '*', '99@TSLA'), '-32600 Not enough tokens on account, call sendtokenstoaddress to increase it.\n'],
    ['estimateloan', [UNKNOWN, { TSLA: 1 }], `-20 Vault <${UNKNOWN}> not found.`],
    ['estimateloan', () => [empty, { TSLA: 1 }], '-1 Cannot estimate loan without collaterals.'],
    [...vaultOf('estimateloan', { NOPE: 1 }), '-20 Token NOPE does not exist!'],
    [...vaultOf('estimateloan', { DFI: 1 }), '-20 (DFI) is not a loan token!'],
    [...vaultOf('estimateloan', { TSLA: 0.9 }), '-1 total split between loan tokens = 0.90000000 vs expected 1.00000000'],
    [...vaultOf('estimateloan', { TSLA: 'x' }), '-3 Invalid amount'],
    ['estimatecollateral', ['1@DFI', 150], '-8 Token with id (0) is not a loan token!'],
    ['estimatecollateral', ['1@TSLA', 150, { TSLA: 1 }], '-20 (TSLA) is not a valid collateral!'],
    ['estimatecollateral', ['1@TSLA', 150, { DFI: 2 }], '-1 total split between collateral tokens = 2.00000000 vs expected 1.00000000'],
    ['estimatevault', ['1@TSLA', '1@TSLA'], '-20 Token with id (2) is not a valid collateral!'],
    ['estimatevault', ['1@DFI', '1@DFI'], '-8 Token with id (0) is not a loan token!'],
    ['estimatevault', ['1@DFI', '1@NOPE'], '0 : Invalid Defi token: NOPE'],
  ];
  testRefusals(() => node, rows);
});

describe('auctions', () => {
  before(async () => {
    await node.price({ DFI: 4, DUSD: 1, TSLA: 10 });
  });

  const bid = (index: number, amount: string) => () => [risky, index, node.rich, amount];
  const auction = 'Vault is under liquidation.';
  const refused: readonly RefusalRow[] = [
    ['updatevault', () => [risky, { loanSchemeId: 'LOAN200' }], `-26 ${auction}`],
    ['closevault', () => [risky, FOREIGN], `-26 ${auction}`],
    ['deposittovault', () => [risky, node.rich, '1@DFI'], tried('DepositToVault', 'Cannot deposit to vault under liquidation')],
    ['withdrawfromvault', () => [risky, FOREIGN, '1@DFI'], tried('WithdrawFromVault', 'Cannot withdraw from vault under liquidation')],
    ['takeloan', () => [{ vaultId: risky, amounts: '1@TSLA' }], tried('TakeLoan', 'Cannot take loan on vault under liquidation')],
    [
      'paybackloan',
      () => [{ vaultId: risky, from: node.rich, amounts: '1@TSLA' }],
      tried('PaybackLoan', 'Cannot payback loan on vault under liquidation'),
    ],
    [
      'paybackwithcollateral',
      () => [risky],
      tried('PaybackWithCollateral', "Cannot payback vault with collateral while vault's under liquidation"),
    ],
    ['estimateloan', () => [risky, { TSLA: 1 }], () => `-1 Vault <${risky}> is in liquidation.`],
    ['placeauctionbid', bid(0, '1@DFI'), tried('AuctionBid', 'Bid token does not match auction one')],
    ['placeauctionbid', bid(7, '4@TSLA'), () => tried('AuctionBid', `No batch to vault/index ${risky}/7`)],
    ['placeauctionbid', bid(0, '3.1@TSLA'), tried('AuctionBid', 'First bid should include liquidation penalty of 5%')],
    ['placeauctionbid', bid(0, '9@TSLA'), tried('AuctionBid', 'amount 5.00000000 is less than 9.00000000')],
  ];
  testRefusals(() => node, refused);

  test('placeauctionbid: the bidder authorises and gets the change', async () => {
    const sent = sentTx(node, await node.call('placeauctionbid', [risky, 0, '*', '4@TSLA']), auctionBid);
    assert.deepEqual(sent.body, { vaultId: risky, index: 0, from: own, amount: { tokenId: 2, amount: 4n * COIN } });
    assert.deepEqual([sent.outputs, sent.change], [['0.00000000 message'], node.rich]);
    await node.mint(1, node.founder);
    const [first] = (await node.call('listauctions')) as { vaultId: string; batches: { highestBid?: unknown }[] }[];
    assert.deepEqual([first?.vaultId, first?.batches[0]?.highestBid], [risky, { owner: node.rich, amount: '4.00000000@TSLA' }]);
    assert.deepEqual(await account(node.rich), ['168.00000000@DFI', '1.00000000@TSLA']);
  });

  testRefusals(
    () => node,
    [['placeauctionbid', bid(0, '4.03@TSLA'), tried('AuctionBid', 'Bid override should be at least 1% higher than current one')]],
  );
});

testLocked(
  () => node,
  [
    ['createvault', [FOREIGN]],
    ['updatevault', () => [empty, { loanSchemeId: 'LOAN200' }]],
    ['closevault', () => [empty, FOREIGN]],
    ['deposittovault', () => [empty, node.rich, '1@DFI']],
    ['withdrawfromvault', () => [safe, FOREIGN, '0.1@DFI']],
    ['placeauctionbid', () => [risky, 0, node.rich, '4.5@TSLA']],
  ],
);
