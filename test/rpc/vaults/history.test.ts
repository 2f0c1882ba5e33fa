import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemeHistory, vaultSchemeHistory } from '../../../src/dfi/vaults/history-columns.js';
import { formatHash, type Hash256 } from '../../../src/primitives/hash.js';
import { listVaultHistory } from '../../../src/services/vaults/history.js';
import { DfiFixture, GRAND_CENTRAL, heights } from '../../unit/dfi/fixture.js';
import { asker } from '../state-asker.js';

const id = (n: number): Hash256 => new Uint8Array(32).fill(n);
const VAULT = id(1);
/** Type bytes of `LoanScheme`, `Vault` and `UpdateVault`. */
const [LOAN_SCHEME, CREATED, UPDATED] = [76, 86, 118];

/** Schemes A and B, changed at some heights. The vault has A at 20, B at 40 and A again at 60. */
function history(): (options: object) => Promise<readonly (readonly [height: number, rate: number])[]> {
  const { view, params } = new DfiFixture(heights(GRAND_CENTRAL));
  const change = (name: string, creationTx: Hash256, height: number) => {
    const scheme = { ratio: 150, rate: BigInt(height) };
    view.put(schemeHistory, { height, txn: 1, creationTx }, { id: name, scheme, category: LOAN_SCHEME, txid: id(height) });
  };
  for (const height of [10, 25, 30, 65, 70]) change('A', id(10), height);
  for (const height of [11, 45, 50]) change('B', id(11), height);
  const assign = (scheme: string, height: number) => {
    const category = height === 20 ? CREATED : UPDATED;
    view.put(vaultSchemeHistory, { vaultId: VAULT, height }, { category, txid: id(height), scheme, txn: 2 });
  };
  assign('A', 20);
  assign('B', 40);
  assign('A', 60);
  const chain = { params, state: view, tip: { height: 100 }, entryAt: () => undefined };
  const ask = asker({ listVaultHistory }, { chain: chain as never, keepsVaultHistory: true });
  return async (options) => {
    const records = JSON.parse(await ask('listvaulthistory', [formatHash(VAULT), options])) as Shown[];
    return records.map(({ blockHeight, loanScheme }) => [blockHeight, loanScheme.rate] as const);
  };
}

interface Shown {
  readonly blockHeight: number;
  readonly loanScheme: { readonly rate: number };
}

test('listvaulthistory: schemes and their changes, without later assignments of the oldest one', async () => {
  const whole = await history()({});
  assert.deepEqual(
    whole.map(([height]) => height),
    [60, 50, 45, 40, 30, 25, 20],
  );
});

test('listvaulthistory: a limit keeps older schemes out, and so their changes', async () => {
  const list = history();
  // Only A from 60 on is known then.
  assert.deepEqual(await list({ limit: 1 }), [[70, 70]]);
  // B from 40 on is the oldest of two schemes.
  assert.deepEqual(await list({ limit: 2 }), [
    [70, 70],
    [65, 65],
  ]);
});

test('listvaulthistory: changes are not limited where the schemes alone met the limit', async () => {
  const list = history();
  // The first three records are the assignments; the changes of A at 30 and 25 do not keep out those of B at 50 and 45.
  assert.deepEqual(await list({ limit: 3 }), [
    [60, 30],
    [50, 50],
    [45, 45],
  ]);
});
