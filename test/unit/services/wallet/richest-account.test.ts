import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountBalances, materialisedHeights } from '../../../../src/dfi/accounts/columns.js';
import type { Balances } from '../../../../src/dfi/kernel/amounts.js';
import { richestAccount } from '../../../../src/services/wallet/spend/richest-account.js';
import { equalBytes } from '../../../../src/util/bytes.js';
import { Ownership } from '../../../../src/wallet/keys/ownership.js';
import type { Wallet } from '../../../../src/wallet/wallet.js';
import { DfiFixture, heights, script } from '../../dfi/fixture.js';

const [FIRST, SECOND, FOREIGN] = [script(1), script(2), script(3)] as const;
const LACKING = { message: 'Not enough tokens on account, call sendtokenstoaddress to increase it.\n' };

/** Wallet with the first two accounts. */
function start(): Wallet {
  const { view, params } = new DfiFixture(heights());
  const balances = [
    [FIRST, [5n, 9n]],
    [SECOND, [7n, 3n]],
    [FOREIGN, [99n, 99n]],
  ] as const;
  for (const [owner, amounts] of balances) {
    view.put(materialisedHeights, owner, 100);
    amounts.forEach((amount, tokenId) => {
      view.put(accountBalances, { owner, tokenId }, amount);
    });
  }
  const ownershipOf = (owner: Uint8Array) => (equalBytes(owner, FOREIGN) ? Ownership.None : Ownership.Spendable);
  return { deps: { chain: { state: view, tip: { height: 100 }, params } }, ownershipOf } as never;
}

const wanting = (...amounts: bigint[]): Balances => amounts.map((amount, tokenId) => ({ tokenId, amount }));

test('richestAccount: the account of the wallet with the highest balance, if it has enough', () => {
  assert.deepEqual(richestAccount(start(), wanting(4n)), SECOND);
  assert.throws(() => richestAccount(start(), wanting(8n)), LACKING);
  assert.throws(() => richestAccount(start(), []), LACKING);
});

test('richestAccount: of several tokens it must have the most of each', () => {
  assert.throws(() => richestAccount(start(), wanting(4n, 2n)), LACKING, 'both accounts have enough');
  const wallet = start();
  assert.deepEqual(richestAccount(wallet, [{ tokenId: 1, amount: 9n }]), FIRST);
});
