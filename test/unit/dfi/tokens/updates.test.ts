import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { getToken, movedCollaterals, type TokenFields, TokenFlag, tokenCollaterals } from '../../../../src/dfi/tokens/columns.js';
import { createToken, mintToken } from '../../../../src/dfi/tokens/transactions.js';
import { updateToken, updateTokenAny } from '../../../../src/dfi/tokens/updates.js';
import type { Hash256 } from '../../../../src/primitives/hash.js';
import { EMPTY_BYTES, toHex } from '../../../../src/util/bytes.js';
import { DfiFixture, dfi, GRAND_CENTRAL, heights, type Sent, script } from '../fixture.js';

const COIN = 100_000_000n;
const [owner, buyer, stranger] = [script(1), script(2), script(3)];
const gold: TokenFields = { symbol: 'GOLD', name: 'gold', decimal: 8, limit: 0n, flags: TokenFlag.mintable | TokenFlag.tradeable };
const late = heights({ ...GRAND_CENTRAL, metachain: 0, df23: 0, df24: 0 });
const foundation = late.scripts.foundationMembers[0] as Uint8Array;
const TOKEN = 128;

/** State with the token 128 of the owner. */
function withToken(params = late): { readonly fixture: DfiFixture; readonly tokenTx: Hash256 } {
  const fixture = new DfiFixture(params);
  assert.equal(fixture.failure(createToken, gold, { value: COIN, outputs: [dfi(10n * COIN, owner)] }), undefined);
  return { fixture, tokenTx: getToken(fixture.view, TOKEN)?.creationTx as Hash256 };
}

describe('a token whose collateral moves', () => {
  /** Moves the collateral to the recipient. @returns id of the transaction, or the error text */
  function move({ fixture, tokenTx }: ReturnType<typeof withToken>, to: Uint8Array, sent: Sent, value = 10n * COIN): Hash256 | string {
    const body = { tokenTx, token: gold, newCollateral: true };
    const tx = fixture.made(updateTokenAny, body, { outputs: [dfi(value, to)], ...sent });
    const outcome = fixture.apply(tx);
    return outcome.status === 'applied' ? tx.txid : outcome.status === 'failed' ? outcome.message : outcome.status;
  }
  const update = ({ fixture, tokenTx }: ReturnType<typeof withToken>, from: Uint8Array) =>
    fixture.failure(updateTokenAny, { tokenTx, token: { ...gold, name: toHex(from) }, newCollateral: undefined }, { from: [from] });
  const UNAUTHORISED = 'UpdateTokenAnyTx: Authentication failed for token owner';

  test('belongs to the owner of the new output alone', () => {
    const given = withToken();
    const { view } = given.fixture;
    assert.equal(update(given, stranger), UNAUTHORISED);
    const first = move(given, buyer, { from: [owner] });
    assert.ok(typeof first !== 'string', String(first));
    assert.deepEqual([view.get(movedCollaterals, first), toHex(view.get(tokenCollaterals, TOKEN) as Hash256)], [TOKEN, toHex(first)]);
    assert.equal(update(given, owner), UNAUTHORISED);
    assert.equal(update(given, buyer), undefined);
    assert.equal(getToken(view, TOKEN)?.name, toHex(buyer));
    const second = move(given, stranger, { from: [buyer] });
    assert.ok(typeof second !== 'string', String(second));
    assert.deepEqual([view.get(movedCollaterals, first), view.get(movedCollaterals, second)], [undefined, TOKEN]);
    assert.equal(update(given, buyer), UNAUTHORISED);
    assert.equal(update(given, stranger), undefined);
  });

  test('needs the exact collateral in DFI', () => {
    const text = 'UpdateTokenAnyTx: malformed tx vouts (wrong creation fee or collateral amount)';
    for (const value of [10n * COIN - 1n, 10n * COIN + 1n]) assert.equal(move(withToken(), buyer, { from: [owner] }, value), text);
    const other = { outputs: [{ value: 10n * COIN, scriptPubKey: buyer, tokenId: TOKEN }] };
    assert.equal(move(withToken(), buyer, { from: [owner], ...other }), text);
    assert.equal(move(withToken(), buyer, { from: [owner], outputs: [] }), text);
  });

  test('is not moved by the foundation', () => {
    const text = 'UpdateTokenAnyTx: Only token deprecation toggle is allowed by governance';
    assert.equal(move(withToken(), buyer, { from: [foundation] }), text);
  });
});

test('the first version of an update changes nothing of DFI, or if the flag is already as wanted', () => {
  const early = heights({ amk: 0 });
  const { fixture, tokenTx } = withToken(early);
  const from = [early.scripts.foundationMembers[0] as Uint8Array];
  assert.equal(fixture.failure(updateToken, { tokenTx, isDat: false }, { from }), undefined);
  assert.equal(getToken(fixture.view, TOKEN)?.flags, gold.flags);
  const coin = getToken(fixture.view, 0);
  assert.ok(coin);
  assert.equal(fixture.failure(updateToken, { tokenTx: coin.creationTx, isDat: false }, { from }), undefined);
  assert.equal(getToken(fixture.view, 0)?.flags, coin.flags);
});

test('minted tokens go to the owner of the moved collateral', () => {
  const { fixture, tokenTx } = withToken();
  const body = { tokenTx, token: gold, newCollateral: true };
  assert.equal(fixture.failure(updateTokenAny, body, { from: [owner], outputs: [dfi(10n * COIN, buyer)] }), undefined);
  const mint = { balances: [{ tokenId: TOKEN, amount: 5n }], to: EMPTY_BYTES };
  assert.equal(fixture.failure(mintToken, mint, { from: [buyer] }), undefined);
  assert.deepEqual([fixture.balance(buyer, TOKEN), fixture.balance(owner, TOKEN)], [5n, 0n]);
});
