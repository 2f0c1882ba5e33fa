import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { selectAccounts } from '../../../../src/wallet/custom-tx/account-selection.js';

const owner = (n: number): Uint8Array => Uint8Array.of(n);
const account = (n: number, ...amounts: readonly (readonly [number, bigint])[]) => ({
  owner: owner(n),
  balances: amounts.map(([tokenId, amount]) => ({ tokenId, amount })),
});
const accounts = [account(1, [0, 5n], [1, 1n]), account(2, [0, 9n]), account(3, [0, 2n], [1, 7n])];
const dfi = (amount: bigint) => [{ tokenId: 0, amount }];

describe('selection of the accounts that pay', () => {
  for (const [mode, expected] of [
    ['forward', [account(1, [0, 5n]), account(2, [0, 5n])]],
    ['pie', [account(1, [0, 1n]), account(2, [0, 9n])]],
    ['crumbs', [account(1, [0, 5n]), account(2, [0, 3n]), account(3, [0, 2n])]],
  ] as const) {
    test(mode, () => assert.deepEqual(selectAccounts(accounts, dfi(10n), mode), expected));
  }

  test('an account with a sufficient balance pays alone', () =>
    assert.deepEqual(selectAccounts(accounts, dfi(9n), 'pie'), [account(2, [0, 9n])]));

  test('each token is selected separately', () => {
    const wanted = [...dfi(9n), { tokenId: 1, amount: 8n }];
    assert.deepEqual(selectAccounts(accounts, wanted, 'pie'), [account(1, [1, 1n]), account(2, [0, 9n]), account(3, [1, 7n])]);
  });

  test('accounts without a token stay where the sort for the token before left them, between those that have it', () => {
    const held = [account(1, [0, 3n], [1, 9n]), account(2, [0, 1n]), account(3, [0, 2n], [1, 4n])];
    const wanted = [...dfi(1n), { tokenId: 1, amount: 1n }];
    // Ascending by the first token they are 2, 3, 1. The order by the second compares 3 with 2 and 1 with 3.
    assert.deepEqual(selectAccounts(held, wanted, 'crumbs'), [account(2, [0, 1n]), account(3, [1, 1n])]);
    const between = [account(1, [0, 1n], [1, 9n]), account(2, [0, 2n]), account(3, [0, 3n], [1, 4n])];
    // 3 has less than the very first, so it goes to the front, past 2, which cannot be compared.
    assert.deepEqual(selectAccounts(between, wanted, 'crumbs'), [account(1, [0, 1n]), account(3, [1, 1n])]);
    // 4 has less than 2 but not than the very first, so it stays behind 3, which cannot be compared, and 2 pays although it has more.
    const blocked = [account(1, [0, 1n]), account(2, [0, 2n], [1, 9n]), account(3, [0, 3n]), account(4, [0, 4n], [1, 4n])];
    assert.deepEqual(selectAccounts(blocked, wanted, 'crumbs'), [account(1, [0, 1n]), account(2, [1, 1n])]);
  });

  test('of accounts with equal balances the first pays', () => {
    const equal = [account(1, [0, 2n]), account(2, [0, 2n])];
    for (const mode of ['pie', 'crumbs'] as const) assert.deepEqual(selectAccounts(equal, dfi(1n), mode), [account(1, [0, 1n])]);
  });

  test('no account is selected if the sum of all balances is too small', () => {
    assert.equal(selectAccounts(accounts, dfi(17n), 'crumbs'), undefined);
    assert.deepEqual(selectAccounts(accounts, dfi(16n), 'crumbs')?.length, 3);
    assert.equal(selectAccounts(accounts, [{ tokenId: 2, amount: 1n }], 'pie'), undefined);
  });
});
