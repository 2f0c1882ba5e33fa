import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { materialisedHeights } from '../../../../src/dfi/accounts/columns.js';
import {
  accountToAccount,
  accountToUtxos,
  anyAccountsToAccounts,
  firstMintedOutput,
  utxosToAccount,
} from '../../../../src/dfi/accounts/transactions.js';
import { encode } from '../../../../src/primitives/codec.js';
import { Op } from '../../../../src/script/opcodes.js';
import { DfiFixture, dataScript, dfi, heights, script } from '../fixture.js';

const [me, you, third] = [script(1), script(2), script(3)];
const params = heights({ amk: 0, bayfrontGardens: 0 });
const COIN = 100_000_000n;
const of = (owner: Uint8Array, ...amounts: (readonly [number, bigint])[]) => ({
  owner,
  balances: amounts.map(([tokenId, amount]) => ({ tokenId, amount })),
});

describe('UtxosToAccount', () => {
  test('converts the tokens of data outputs to balances without authorisation', () => {
    const fixture = new DfiFixture(params);
    const more = dfi(COIN, Uint8Array.of(Op.RETURN));
    assert.equal(
      fixture.failure(utxosToAccount, { to: [of(me, [0, COIN]), of(you, [0, COIN])] }, { from: [third], value: COIN, outputs: [more] }),
      undefined,
    );
    assert.deepEqual([fixture.balance(me), fixture.balance(you)], [COIN, COIN]);
  });

  test('rejects a sum that differs from the burnt outputs by one satoshi', () => {
    const fixture = new DfiFixture(params);
    assert.equal(
      fixture.failure(utxosToAccount, { to: [of(me, [0, COIN])] }, { value: COIN + 1n }),
      'UtxosToAccountTx: transfer tokens mismatch burnt tokens: (1.00000000@0) != (1.00000001@0)',
    );
    assert.equal(
      fixture.failure(utxosToAccount, { to: [of(me, [128, COIN])] }, { value: COIN }),
      'UtxosToAccountTx: transfer tokens mismatch burnt tokens: (1.00000000@128) != (1.00000000@0)',
    );
    assert.equal(fixture.balance(me), 0n);
  });

  test('adds the recipient to the list of accounts', () => {
    const fixture = new DfiFixture(params, 77);
    fixture.send(utxosToAccount, { to: [of(me, [0, 1n])] }, { value: 1n });
    assert.equal(fixture.view.get(materialisedHeights, me), 77);
    assert.equal(fixture.view.get(materialisedHeights, you), undefined);
  });
});

describe('AccountToUtxos', () => {
  const body = { from: me, balances: [{ tokenId: 0, amount: 5n }], mintingOutputsStart: 1 };

  test('pays the outputs from the account', () => {
    const fixture = new DfiFixture(params);
    fixture.give(me, 0, 5n);
    assert.equal(fixture.failure(accountToUtxos, body, { outputs: [dfi(2n, you), dfi(3n, third)] }), undefined);
    assert.equal(fixture.balance(me), 0n);
  });

  test('rejects a sum that differs from the outputs', () => {
    const fixture = new DfiFixture(params);
    fixture.give(me, 0, 9n);
    assert.equal(
      fixture.failure(accountToUtxos, body, { outputs: [dfi(4n, you)] }),
      'AccountToUtxosTx: amount of minted tokens in UTXOs and metadata do not match: (0.00000004@0) != (0.00000005@0)',
    );
    assert.equal(
      fixture.failure(accountToUtxos, { ...body, mintingOutputsStart: 9 }),
      'AccountToUtxosTx: amount of minted tokens in UTXOs and metadata do not match: () != (0.00000005@0)',
    );
  });

  test('is limited to DFI and needs the owner', () => {
    const fixture = new DfiFixture(params);
    const token = { ...body, balances: [{ tokenId: 1, amount: 5n }] };
    const outputs = [{ value: 5n, scriptPubKey: you, tokenId: 1 }];
    assert.equal(fixture.failure(accountToUtxos, token, { outputs }), 'AccountToUtxosTx: only available for DFI transactions');
    assert.equal(
      fixture.failure(accountToUtxos, body, { from: [you], outputs: [dfi(5n, you)] }),
      'AccountToUtxosTx: tx must have at least one input from account owner',
    );
  });

  test('identifies the outputs that need no inputs', () => {
    const fixture = new DfiFixture(params);
    const codec = accountToUtxos.codec;
    assert.ok(codec);
    const minted = (start: number) =>
      firstMintedOutput(
        fixture.transaction(dataScript('b', encode(codec, { ...body, mintingOutputsStart: start })), { outputs: [dfi(1n, you)] }),
      );
    assert.deepEqual([minted(1), minted(2), minted(200)], [1, 2, 2]);
    assert.equal(firstMintedOutput(fixture.transaction(dataScript('b', Uint8Array.of(1)), { outputs: [dfi(1n, you)] })), 2);
  });
});

describe('AccountToAccount', () => {
  test('moves tokens, also to the sending account', () => {
    const fixture = new DfiFixture(params);
    fixture.give(me, 1, 10n);
    assert.equal(fixture.failure(accountToAccount, { from: me, to: [of(me, [1, 4n]), of(you, [1, 6n])] }), undefined);
    assert.deepEqual([fixture.balance(me, 1), fixture.balance(you, 1)], [4n, 6n]);
  });

  test('moves the whole balance, and rejects one satoshi more', () => {
    const fixture = new DfiFixture(params);
    fixture.give(me, 0, 10n);
    assert.equal(
      fixture.failure(accountToAccount, { from: me, to: [of(you, [0, 11n])] }),
      'AccountToAccountTx: amount 0.00000010 is less than 0.00000011',
    );
    assert.equal(fixture.failure(accountToAccount, { from: me, to: [of(you, [0, 10n])] }), undefined);
  });

  test('rejects a negative amount when it is credited', () => {
    const fixture = new DfiFixture(params);
    assert.equal(
      fixture.failure(accountToAccount, { from: me, to: [of(you, [0, -1n])] }),
      'AccountToAccountTx: negative amount: -0.00000001',
    );
  });

  test('needs the owner; another script of the same key is not enough', () => {
    const fixture = new DfiFixture(params);
    fixture.give(me, 0, 10n);
    assert.equal(
      fixture.failure(accountToAccount, { from: me, to: [of(you, [0, 1n])] }, { from: [you, third] }),
      'AccountToAccountTx: tx must have at least one input from account owner',
    );
    assert.equal(fixture.failure(accountToAccount, { from: me, to: [of(you, [0, 1n])] }, { from: [you, me] }), undefined);
  });
});

describe('AnyAccountsToAccounts', () => {
  test('moves tokens from several accounts to several others', () => {
    const fixture = new DfiFixture(params);
    fixture.give(me, 0, 1n);
    fixture.give(you, 0, 2n);
    const body = { from: [of(me, [0, 1n]), of(you, [0, 2n])], to: [of(third, [0, 3n])] };
    assert.equal(fixture.failure(anyAccountsToAccounts, body, { from: [me, you] }), undefined);
    assert.deepEqual([fixture.balance(me), fixture.balance(you), fixture.balance(third)], [0n, 0n, 3n]);
  });

  test('needs every sender', () => {
    const fixture = new DfiFixture(params);
    const body = { from: [of(me, [0, 1n]), of(you, [0, 2n])], to: [of(third, [0, 3n])] };
    assert.equal(
      fixture.failure(anyAccountsToAccounts, body, { from: [me] }),
      'AnyAccountsToAccountsTx: tx must have at least one input from account owner',
    );
  });

  test('rejects sums that differ', () => {
    const fixture = new DfiFixture(params);
    fixture.give(me, 0, 9n);
    assert.equal(
      fixture.failure(anyAccountsToAccounts, { from: [of(me, [0, 2n])], to: [of(you, [0, 3n])] }),
      'AnyAccountsToAccountsTx: sum of inputs (from) != sum of outputs (to)',
    );
  });
});
