import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountBalances, materialisedHeights } from '../../../../src/dfi/accounts/columns.js';
import type { Balances } from '../../../../src/dfi/kernel/amounts.js';
import { chooseAccounts } from '../../../../src/services/accounts/transfers/account-choice.js';
import { firstPayer, richestAccount } from '../../../../src/services/wallet/spend/richest-account.js';
import { Overlay } from '../../../../src/storage/overlay.js';
import type { WritableView } from '../../../../src/storage/view.js';
import { equalBytes } from '../../../../src/util/bytes.js';
import { withValue } from '../../../../src/util/slicer.js';
import { Ownership } from '../../../../src/wallet/keys/ownership.js';
import type { Wallet } from '../../../../src/wallet/wallet.js';
import { turnsOf } from '../../../event-loop-turns.js';
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
  const snapshot = () => Object.assign(new Overlay(view), { close: () => {} });
  return { deps: { chain: { state: view, snapshot, tip: { height: 100 }, params } }, ownershipOf } as never;
}

const wanting = (...amounts: bigint[]): Balances => amounts.map((amount, tokenId) => ({ tokenId, amount }));

const { signal } = new AbortController();
const richest = async (wallet: Wallet, wanted: Balances) => richestAccount(wallet, wanted, signal);

test('richestAccount: the account of the wallet with the highest balance, if it has enough', async () => {
  assert.deepEqual(await richest(start(), wanting(4n)), SECOND);
  await assert.rejects(richest(start(), wanting(8n)), LACKING);
  await assert.rejects(richest(start(), []), LACKING);
});

test('richestAccount: of several tokens it must have the most of each', async () => {
  await assert.rejects(richest(start(), wanting(4n, 2n)), LACKING, 'both accounts have enough');
  assert.deepEqual(await richest(start(), [{ tokenId: 1, amount: 9n }]), FIRST);
});

test('accounts to pay from are searched in slices, however many accounts the network has', async () => {
  const wallet = start();
  const view = wallet.deps.chain.state as WritableView;
  for (let n = 0; n < 1_000; n++) {
    const stranger = Uint8Array.from([0x51, n & 0xff, n >> 8]);
    view.put(materialisedHeights, stranger, 100);
    view.put(accountBalances, { owner: stranger, tokenId: 0 }, 1n);
  }
  const foreign = { ...wallet, ownershipOf: (owner: Uint8Array) => (owner[0] === 0x51 ? Ownership.None : wallet.ownershipOf(owner)) };
  const searches = {
    richest: () => richestAccount(foreign as Wallet, wanting(4n), signal),
    first: () => firstPayer(foreign as Wallet, wanting(9n), signal),
    chosen: () => withValue(chooseAccounts(foreign as Wallet, wanting(4n), 'pie', signal), ([payer]) => payer?.owner),
  };
  const expected = { richest: SECOND, first: FIRST, chosen: SECOND };
  for (const [name, search] of Object.entries(searches)) {
    let found: Uint8Array | undefined;
    const turns = await turnsOf(async () => {
      found = await search();
    });
    assert.deepEqual(found, expected[name as keyof typeof expected], name);
    assert.ok(turns >= 50, `${name}: ${turns} turns`);
  }
});
