import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { type AttributeEntry, attributes } from '../../../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../../../src/dfi/attributes/path.js';
import { loanTokenAttributes } from '../../../../src/dfi/loan-tokens/attributes-event.js';
import { legacyCollaterals, legacyLoanTokens } from '../../../../src/dfi/loan-tokens/columns.js';
import { putToken, TokenFlag } from '../../../../src/dfi/tokens/columns.js';
import { NULL_HASH } from '../../../../src/primitives/hash.js';
import { DfiFixture, GRAND_CENTRAL, heights } from '../fixture.js';

const CRUNCH = 200;
const GOLD = 1;
const LOAN = 2;
/** Price pair that needs no oracle. */
const pair = { token: 'DUSD', currency: 'USD' };

const later = {
  fortCanningCrunch: CRUNCH,
  fortCanningSpring: 1000,
  fortCanningGreatWorld: 1000,
  fortCanningEpilogue: 1000,
  grandCentral: 1000,
};

let fixture: DfiFixture;

beforeEach(() => {
  fixture = new DfiFixture(heights({ ...GRAND_CENTRAL, ...later }), CRUNCH + 1);
  for (const [id, symbol] of [
    [GOLD, 'GOLD'],
    [LOAN, 'LOAN'],
  ] as const) {
    const life = { creationTx: Buffer.alloc(32, id), destructionTx: NULL_HASH, creationHeight: 1, destructionHeight: -1 };
    putToken(fixture.view, id, { symbol, name: symbol, decimal: 8, limit: 0n, flags: TokenFlag.dat, minted: 0n, ...life });
  }
});

function addCollateral(activateAfterBlock: number, factor: bigint): void {
  const made = { creationTx: Buffer.alloc(32, activateAfterBlock), creationHeight: 1 };
  fixture.view.put(legacyCollaterals, { tokenId: GOLD, activateAfterBlock }, { factor, pair, ...made });
}

function addLoanToken(interest: bigint): void {
  const made = { creationTx: Buffer.alloc(32, LOAN), creationHeight: 1 };
  fixture.view.put(legacyLoanTokens, LOAN, { symbol: 'LOAN', name: 'LOAN', pair, mintable: true, interest, ...made });
}

const found = (path: string): AttributeEntry['value']['value'] | undefined => fixture.view.get(attributes, attributeAt(path))?.value;
const legacyRows = () => [...fixture.view.entries(legacyCollaterals)].length + [...fixture.view.entries(legacyLoanTokens)].length;

describe('one block after Fort Canning Crunch', () => {
  test('records become attributes, at no other height', () => {
    addCollateral(110, 90_000_000n);
    addLoanToken(500_000_000n);
    for (const height of [CRUNCH, CRUNCH + 2]) fixture.runEvent(loanTokenAttributes, height);
    assert.equal(legacyRows(), 2);
    fixture.runEvent(loanTokenAttributes, CRUNCH + 1);
    assert.equal(legacyRows(), 0);
    assert.deepEqual(found(`v0/token/${GOLD}/fixed_interval_price_id`), pair);
    assert.equal(found(`v0/token/${GOLD}/loan_collateral_enabled`), true);
    assert.equal(found(`v0/token/${GOLD}/loan_collateral_factor`), 90_000_000n);
    assert.equal(found(`v0/token/${LOAN}/loan_minting_enabled`), true);
    assert.equal(found(`v0/token/${LOAN}/loan_minting_interest`), 500_000_000n);
  });

  test('of several records of a collateral token, the one with the lowest height wins', () => {
    addCollateral(110, 50_000_000n);
    addCollateral(120, 70_000_000n);
    addCollateral(300, 100_000_000n);
    fixture.runEvent(loanTokenAttributes, CRUNCH + 1);
    assert.equal(found(`v0/token/${GOLD}/loan_collateral_factor`), 50_000_000n);
    assert.equal(legacyRows(), 0);
  });

  test('amounts keep six significant digits', () => {
    for (const [interest, kept] of [
      [12_345_678n, 12_345_700n],
      [1_234_567_890_123n, 1_234_570_000_000n],
      [1000n, 1000n],
      [12n, 12n],
      [1n, 1n],
      [0n, 0n],
    ] as const) {
      addLoanToken(interest);
      fixture.runEvent(loanTokenAttributes, CRUNCH + 1);
      assert.equal(found(`v0/token/${LOAN}/loan_minting_interest`), kept, `${interest}`);
    }
  });
});
