import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountToAccount } from '../../../../src/dfi/accounts/transactions.js';
import type { AnyCustomTx } from '../../../../src/dfi/context/custom-tx.js';
import { hintReads } from '../../../../src/dfi/execution/read-hints.js';
import { depositToVault } from '../../../../src/dfi/vaults/collateral-transactions.js';
import { encode } from '../../../../src/primitives/codec.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { Overlay } from '../../../../src/storage/overlay.js';
import { EMPTY_BYTES } from '../../../../src/util/bytes.js';
import { DfiFixture, dataScript, heights, script } from '../fixture.js';

class HintedStore extends MemoryStore {
  readonly hinted = new Map<string, number>();

  override hint(column: string, keys: readonly string[]): void {
    this.hinted.set(column, (this.hinted.get(column) ?? 0) + keys.length);
  }
}

const [from, to] = [script(1), script(2)];
const amount = { tokenId: 0, amount: 1n };
const fixture = new DfiFixture(heights({}));
const message = ({ type }: AnyCustomTx, body: Uint8Array) => fixture.transaction(dataScript(type, body));
const transfer = encode(accountToAccount.codec as NonNullable<typeof accountToAccount.codec>, {
  from,
  to: [{ owner: to, balances: [amount] }],
});
const deposit = encode(depositToVault.codec as NonNullable<typeof depositToVault.codec>, { vaultId: Buffer.alloc(32, 7), from, amount });

function hintsFor(transactions: Parameters<typeof hintReads>[0], keepsHistory: boolean): Readonly<Record<string, number>> {
  const store = new HintedStore();
  hintReads(transactions, new Overlay(store), { keepsHistory });
  return Object.fromEntries([...store.hinted].filter(([, rows]) => rows > 0));
}

test('a transfer names two accounts, a deposit one and its vault', () => {
  const transactions = [message(accountToAccount, transfer), message(depositToVault, deposit)];
  const vault = { 'dfi/vault': 1, 'dfi/vault-collateral': 1, 'dfi/loan': 1, 'dfi/vault-alarm': 1 };
  const accounts = { 'dfi/balance-height': 3, 'dfi/balance': 3 };
  assert.deepEqual(hintsFor(transactions, false), { ...accounts, ...vault });
  assert.deepEqual(hintsFor(transactions, true), { ...accounts, ...vault, 'history/count': 3 });
});

test('payments and messages that do not decode name nothing', () => {
  const transactions = [
    fixture.transaction(script(3)),
    message(accountToAccount, EMPTY_BYTES),
    message(depositToVault, deposit.subarray(0, 20)),
  ];
  assert.deepEqual(hintsFor(transactions, true), {});
});
