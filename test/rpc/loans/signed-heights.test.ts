import assert from 'node:assert/strict';
import { test } from 'node:test';
import { governedNumbers } from '../../../src/dfi/governance/governed-columns.js';
import { legacyCollaterals } from '../../../src/dfi/loan-tokens/columns.js';
import { getLoanInfo } from '../../../src/services/loans/info.js';
import { listCollateralTokens } from '../../../src/services/loans/tokens.js';
import { getFixedIntervalPrice } from '../../../src/services/oracles/fixed-prices.js';
import { heights } from '../../unit/dfi/fixture.js';
import { COIN, LoanFixture, TSLA } from '../../unit/dfi/loan-fixture.js';
import { asker } from '../state-asker.js';

const TIP = 100;
/** The interval and height that `defid` stores for -1. */
const MINUS_ONE = 2 ** 32 - 1;

/** Questions to a state whose price interval is `interval`. */
function askWith(interval: number) {
  const { view: state, params } = new LoanFixture(heights());
  state.put(governedNumbers, 'oracleInterval', BigInt(interval));
  const collateral = { factor: COIN, pair: { token: 'TSLA', currency: 'USD' }, creationTx: new Uint8Array(32), creationHeight: 1 };
  state.put(legacyCollaterals, { tokenId: TSLA, activateAfterBlock: MINUS_ONE }, collateral);
  return asker({ getLoanInfo, getFixedIntervalPrice, listCollateralTokens }, { chain: { state, params, tip: { height: TIP } } as never });
}

// Seen at `defid` 3.2.8 on a chain whose governance set an interval and a height of -1.
test('heights of 2^31 and above are negative: the next prices, their interval, collateral that is to become active', async () => {
  const ask = askWith(MINUS_ONE);
  const info = await ask('getloaninfo');
  assert.match(info, /^\{"currentPriceBlock":0,"nextPriceBlock":-1,/);
  assert.match(info, /"fixedIntervalBlocks":-1\}/);
  assert.match(await ask('getfixedintervalprice', ['TSLA/USD']), /"activePriceBlock":0,"nextPriceBlock":-1,/);
  assert.match(await ask('listcollateraltokens'), /"fixedIntervalPriceId":"TSLA\/USD","activateAfterBlock":-1\}/);
});

test('smaller ones are positive', async () => {
  const ask = askWith(2 ** 31 - 1);
  assert.match(await ask('getloaninfo'), /^\{"currentPriceBlock":0,"nextPriceBlock":2147483647,/);
  assert.match(await askWith(60)('getfixedintervalprice', ['TSLA/USD']), /"activePriceBlock":60,"nextPriceBlock":120,/);
});
