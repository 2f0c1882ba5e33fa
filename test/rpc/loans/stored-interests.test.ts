import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type InterestRate, interestRates, loanAmounts } from '../../../src/dfi/loans/columns.js';
import { putVault } from '../../../src/dfi/vaults/columns.js';
import { logStoredInterests } from '../../../src/services/loans/interest.js';
import { heights, script } from '../../unit/dfi/fixture.js';
import { COIN, DUSD, LoanFixture, TSLA } from '../../unit/dfi/loan-fixture.js';
import { asker } from '../state-asker.js';

const TIP = 100;

test('logstoredinterests: loans of vaults, ordered by displayed id, without those that have no interest', async () => {
  const fixture = new LoanFixture(heights());
  const snapshot = () => ({ get: fixture.view.get.bind(fixture.view), entries: fixture.view.entries.bind(fixture.view), close() {} });
  const ask = asker({ logStoredInterests }, { chain: { params: fixture.params, tip: { height: TIP }, snapshot } as never });
  assert.equal(await ask('logstoredinterests'), '[]');
  const first = new Uint8Array(32);
  first[0] = 2; // the last digits of the id: as bytes it comes last
  const second = new Uint8Array(32);
  second[31] = 1;
  const gone = new Uint8Array(32).fill(9);
  for (const id of [first, second]) putVault(fixture.view, id, { owner: script(1), scheme: 'LOAN150', isUnderLiquidation: false });
  fixture.view.put(loanAmounts, first, [{ tokenId: DUSD, amount: 3n * COIN }]);
  fixture.view.put(loanAmounts, second, [
    { tokenId: DUSD, amount: COIN },
    { tokenId: TSLA, amount: 1n },
  ]);
  fixture.view.put(loanAmounts, gone, [{ tokenId: DUSD, amount: COIN }]);
  const rate: InterestRate = {
    height: 90,
    perBlock: { negative: true, amount: 5n },
    toHeight: { negative: false, amount: 10n ** 24n + 7n },
  };
  fixture.view.put(interestRates, { vaultId: second, tokenId: DUSD }, rate);
  const item =
    '{"token":"1","amount":1.00000000,"interestHeight":90,"interestToHeight":"1.000000000000000000000007",' +
    '"interestPerBlock":"-0.000000000000000000000005"}';
  const [low, high] = [`${'00'.repeat(31)}02`, `01${'00'.repeat(31)}`];
  assert.equal(await ask('logstoredinterests'), `[{"vaultId":"${low}","items":[]},{"vaultId":"${high}","items":[${item}]}]`);
});
