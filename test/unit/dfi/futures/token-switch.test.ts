import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AttributeDraft } from '../../../../src/dfi/attributes/attributes.js';
import { listFutures } from '../../../../src/dfi/futures/columns.js';
import { applyAttributes } from '../../../../src/dfi/governance/attribute-effects.js';
import { noChanges } from '../../../../src/dfi/governance/attribute-import.js';
import { legacyLoanTokens } from '../../../../src/dfi/loan-tokens/columns.js';
import { getToken, putToken, type Token } from '../../../../src/dfi/tokens/columns.js';
import { NULL_HASH } from '../../../../src/primitives/hash.js';
import { COIN, DUSD, owner, TSLA } from '../loan-fixture.js';
import { FutureFixture } from './futures-fixture.js';

/** Fixture with a pending swap of DUSD for TSLA. Futures of a token are switched off then, which is applied. */
function switchedOff(tokenId: number, prepare: (fixture: FutureFixture) => void = () => {}): FutureFixture {
  const fixture = new FutureFixture();
  fixture.make(owner, DUSD, COIN);
  prepare(fixture);
  assert.equal(fixture.swap(COIN), undefined);
  fixture.attribute(`v0/token/${tokenId}/dfip2203`, { kind: 'bool', value: false });
  const { view, params } = fixture;
  applyAttributes(AttributeDraft.of(view), noChanges(), { view, params, height: 100, time: 0 }, 100);
  return fixture;
}

/** Renames DUSD, whose record of before the conversion to attributes keeps the first name. */
function renameDollar({ view }: FutureFixture): void {
  const pair = { token: 'DUSD', currency: 'USD' };
  const record = { symbol: 'DUSD', name: 'DUSD', pair, mintable: true, interest: 0n, creationTx: NULL_HASH, creationHeight: 1 };
  view.put(legacyLoanTokens, DUSD, record);
  putToken(view, DUSD, { ...(getToken(view, DUSD) as Token), symbol: 'USDX' });
}

for (const { name, tokenId, prepare, pending } of [
  { name: 'of a token refunds its swaps', tokenId: TSLA, prepare: undefined, pending: 0 },
  { name: 'of DUSD refunds none, because DUSD is the source of swaps', tokenId: DUSD, prepare: undefined, pending: 1 },
  {
    name: 'of DUSD refunds none if DUSD was renamed before the conversion to attributes',
    tokenId: DUSD,
    prepare: renameDollar,
    pending: 1,
  },
]) {
  test(`the end of futures ${name}`, () => {
    const { view } = switchedOff(tokenId, prepare);
    assert.equal(listFutures(view, 'dfip2203').length, pending);
  });
}
