import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockHistory } from '../../../../src/dfi/context/history.js';
import { takeLoan } from '../../../../src/dfi/loans/transactions.js';
import { executeSplits } from '../../../../src/dfi/splits/execute.js';
import { getToken } from '../../../../src/dfi/tokens/columns.js';
import { depositToVault } from '../../../../src/dfi/vaults/collateral-transactions.js';
import { vaultRecords } from '../../../../src/dfi/vaults/history-queries.js';
import { formatHash, type Hash256, NULL_HASH } from '../../../../src/primitives/hash.js';
import { listVaultHistory } from '../../../../src/services/vaults/history.js';
import { asker } from '../../../rpc/state-asker.js';
import { GRAND_CENTRAL, heights } from '../fixture.js';
import { COIN, DFI, DUSD, LoanFixture, owner, TSLA } from '../loan-fixture.js';

const [SPLIT_HEIGHT, NEW_TOKEN] = [101, 3];
const everything = { highest: 1000, lowest: 0 };

/** Splits or merges a token while a vault has 30 DFI and 8 DUSD of collateral and a loan of 5 TSLA. */
function split(
  metachain: number,
  tokenId: number,
  multiplier: bigint,
  { isLocked = true, isCancelled = false } = {},
): { fixture: LoanFixture; vaultId: Hash256 } {
  const fixture = new LoanFixture(heights({ ...GRAND_CENTRAL, metachain }));
  const vaultId = fixture.openVault();
  const deposit = (token: number, amount: bigint) => {
    fixture.make(owner, token, amount);
    assert.equal(fixture.failure(depositToVault, { vaultId, from: owner, amount: { tokenId: token, amount } }), undefined);
  };
  deposit(DFI, 30n * COIN);
  deposit(DUSD, 8n * COIN);
  assert.equal(fixture.failure(takeLoan, { vaultId, to: owner, amounts: [{ tokenId: TSLA, amount: 5n * COIN }] }), undefined);
  fixture.attribute(`v0/oracles/splits/${SPLIT_HEIGHT}`, { kind: 'splits', value: isCancelled ? [] : [{ id: tokenId, multiplier }] });
  if (isLocked) fixture.attribute(`v0/locks/token/${tokenId}`, { kind: 'bool', value: true });
  const { view, params } = fixture;
  const history = new BlockHistory(SPLIT_HEIGHT, params, true, true);
  const creation = { tokenId, multiplier: { value: multiplier, isFraction: false }, token: Buffer.alloc(32, 7), pools: [] };
  const block = { height: SPLIT_HEIGHT, time: 1_600_000_000, blockHash: Buffer.alloc(32, 9), transactions: [], params };
  const lookups = { coin: () => undefined, blockTime: () => undefined };
  executeSplits({ ...block, ...lookups, view, history, splits: [creation] }, [creation]);
  history.write(view);
  return { fixture, vaultId };
}

function records({ fixture, vaultId }: ReturnType<typeof split>) {
  return [...vaultRecords(fixture.view, vaultId, everything)].map(([{ height, txn, owner: whose }, { differences, txid, category }]) => {
    assert.deepEqual([height, txid, String.fromCharCode(category)], [SPLIT_HEIGHT, NULL_HASH, 'P']);
    return [txn, whose.length, ...differences.map(({ tokenId, amount }) => [tokenId, amount])];
  });
}

test("a split records a loan under the vault's owner, with separate entries for the old and the new token", () => {
  const done = split(1_000, TSLA, 2n);
  const [first, second] = [0xffffffff - 2, 0xffffffff - 3];
  assert.deepEqual(
    records(done),
    // The first two event numbers are used by the balance of the owner.
    [
      [first, owner.length, [TSLA, -5n * COIN]],
      [second, owner.length, [NEW_TOKEN, 10n * COIN]],
    ],
  );
});

test('from Metachain on a merge records vault collateral too', () => {
  const done = split(50, DUSD, -4n);
  const [first, second] = [0xffffffff, 0xffffffff - 1];
  assert.deepEqual(records(done), [
    [first, 0, [DUSD, -8n * COIN]],
    [second, 0, [NEW_TOKEN, 2n * COIN]],
  ]);
  assert.deepEqual(records(split(1_000, DUSD, -4n)), [], 'collateral is not converted before Metachain');
});

test('a split of an unlocked token is not executed and leaves no records', () => {
  assert.deepEqual(records(split(1_000, TSLA, 2n, { isLocked: false })), []);
});

test('a split that a transaction of its block cancelled is not executed', () => {
  const done = split(50, TSLA, 2n, { isCancelled: true });
  assert.deepEqual(records(done), []);
  assert.equal(getToken(done.fixture.view, TSLA)?.symbol, 'TSLA');
});

test('listvaulthistory lists splits and filters them by token and by type', async () => {
  const { fixture, vaultId } = split(1_000, TSLA, 2n);
  const chain = { params: fixture.params, state: fixture.view, tip: { height: SPLIT_HEIGHT }, entryAt: () => undefined };
  const ask = asker({ listVaultHistory }, { chain: chain as never, keepsVaultHistory: true });
  const list = async (options: object) => ask('listvaulthistory', [formatHash(vaultId), options]);
  const address = 'bcrt1qqyqszqgpqyqszqgpqyqszqgpqyqszqgpvxat9t';
  const shown = (txn: number, amount: string) =>
    `{"address":"${address}","blockHeight":101,"type":"TokenSplit","txn":${txn},"txid":"${'0'.repeat(64)}","amounts":["${amount}"]}`;
  const [before, after] = [shown(0xffffffff - 2, '-5.00000000@TSLA/v1'), shown(0xffffffff - 3, '10.00000000@TSLA')];
  assert.equal(await list({ txtype: 'P' }), `[${before},${after}]`);
  assert.equal(await list({ token: 'TSLA' }), `[${after}]`);
  assert.equal(await list({ token: 'TSLA/v1' }), `[${before}]`);
  assert.equal(await list({ limit: 1 }), `[${before}]`);
  assert.equal(await list({ depth: 0, maxBlockHeight: 100 }), '[]');
});
