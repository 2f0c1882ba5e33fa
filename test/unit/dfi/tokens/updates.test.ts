import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  getToken,
  movedCollaterals,
  type TokenFields,
  TokenFlag,
  tokenBySymbol,
  tokenCollaterals,
} from '../../../../src/dfi/tokens/columns.js';
import { mintToken } from '../../../../src/dfi/tokens/transactions.js';
import { updateToken, updateTokenAny } from '../../../../src/dfi/tokens/updates.js';
import type { Hash256 } from '../../../../src/primitives/hash.js';
import { EMPTY_BYTES, toHex } from '../../../../src/util/bytes.js';
import { DfiFixture, dfi, GRAND_CENTRAL, heights, type Sent, script } from '../fixture.js';
import { asset, bayfront, COIN, create, creationOf, early, foundation, gold, owner, paid } from './token-fixture.js';

const [buyer, stranger] = [script(2), script(3)];
const late = heights({ ...GRAND_CENTRAL, metachain: 0, df23: 0, df24: 0 });
const TOKEN = 128;

/** State with the token 128 of the owner. */
function withToken(params = late): { readonly fixture: DfiFixture; readonly tokenTx: Hash256 } {
  const fixture = new DfiFixture(params);
  assert.equal(create(fixture), undefined);
  return { fixture, tokenTx: creationOf(fixture, TOKEN) };
}

describe('UpdateToken', () => {
  test('lets the foundation set and clear the DAT flag', () => {
    const fixture = new DfiFixture(early);
    create(fixture);
    const tokenTx = creationOf(fixture, 128);
    assert.equal(fixture.failure(updateToken, { tokenTx, isDat: true }), 'UpdateTokenTx: tx not from foundation member');
    assert.equal(fixture.failure(updateToken, { tokenTx, isDat: true }, { from: [foundation] }), undefined);
    assert.equal(tokenBySymbol(fixture.view, 'GOLD')?.id, 128);
    assert.equal(tokenBySymbol(fixture.view, 'GOLD#128'), undefined);
    assert.equal(fixture.failure(updateToken, { tokenTx, isDat: false }, { from: [foundation] }), undefined);
    assert.equal(tokenBySymbol(fixture.view, 'GOLD#128')?.id, 128);
  });

  test('rejects a symbol that is already used', () => {
    const fixture = new DfiFixture(early);
    create(fixture);
    create(fixture, asset, { ...paid, from: [foundation] });
    const text = "UpdateTokenTx: token with key 'GOLD' already exists!";
    const update = (id: number) => fixture.failure(updateToken, { tokenTx: creationOf(fixture, id), isDat: true }, { from: [foundation] });
    assert.equal(update(128), text);
    for (const symbol of ['B%', 'C%%']) {
      create(fixture, { ...gold, symbol });
      create(fixture, { ...asset, symbol }, { ...paid, from: [foundation] });
    }
    assert.equal(update(129), 'UpdateTokenTx: unexpected error');
    assert.equal(update(130), "UpdateTokenTx: token with key 'C%' already exists!");
  });
});

describe('UpdateTokenAny', () => {
  const update = (fixture: DfiFixture, changes: Partial<TokenFields>, sent: Sent = {}) =>
    fixture.failure(updateTokenAny, { tokenTx: creationOf(fixture, 128), token: { ...gold, ...changes }, newCollateral: undefined }, sent);

  test('lets the owner rename a token', () => {
    const fixture = new DfiFixture(bayfront);
    create(fixture);
    assert.equal(
      update(fixture, { symbol: 'AU', name: 'aurum' }, { from: [stranger] }),
      'UpdateTokenAnyTx: tx must have at least one input from the owner',
    );
    assert.equal(update(fixture, { symbol: 'AU', name: 'aurum' }), undefined);
    assert.equal(tokenBySymbol(fixture.view, 'AU#128')?.token.name, 'aurum');
  });

  test('sets the finalized flag for good', () => {
    const fixture = new DfiFixture(bayfront);
    create(fixture);
    assert.equal(update(fixture, { flags: gold.flags | TokenFlag.finalized }), undefined);
    assert.equal(update(fixture, {}), "UpdateTokenAnyTx: can't alter 'Finalized' tokens");
  });

  test('allows a slash in the symbol below DF24', () => {
    for (const [df24, expected] of [
      [101, undefined],
      [100, 'UpdateTokenAnyTx: Invalid token symbol. Valid: Start with an alphabet, non-empty, not contain # or /'],
    ] as const) {
      const fixture = new DfiFixture(heights({ ...GRAND_CENTRAL, metachain: 0, df23: 0, df24 }));
      create(fixture);
      assert.equal(update(fixture, { symbol: 'GO/LD' }), expected);
    }
  });

  test('cuts texts from Fort Canning on', () => {
    for (const [fortCanning, expected] of [
      [101, ' ABCDEFGHIJ'],
      [100, 'ABCDEFGH'],
    ] as const) {
      const fixture = new DfiFixture(heights({ amk: 0, bayfront: 0, fortCanning }));
      create(fixture);
      update(fixture, { symbol: ' ABCDEFGHIJ' });
      assert.equal(getToken(fixture.view, 128)?.symbol, expected);
    }
  });

  test('needs the foundation to set the DAT flag, from Bayfront Marina on', () => {
    for (const [bayfrontMarina, expected] of [
      [101, undefined],
      [100, "UpdateTokenAnyTx: can't set isDAT to true, tx not from foundation member"],
    ] as const) {
      const fixture = new DfiFixture(heights({ amk: 0, bayfront: 0, bayfrontMarina }));
      create(fixture);
      assert.equal(update(fixture, { flags: gold.flags | TokenFlag.dat }), expected);
    }
  });

  test('rejects DFI, pool shares and unknown tokens', () => {
    const fixture = new DfiFixture(bayfront);
    const token = { token: gold, newCollateral: undefined };
    assert.equal(fixture.failure(updateTokenAny, { ...token, tokenTx: new Uint8Array(32) }), "UpdateTokenAnyTx: Can't alter DFI token!");
    const unknown = new Uint8Array(32).fill(0xab);
    assert.equal(
      fixture.failure(updateTokenAny, { ...token, tokenTx: unknown }),
      `UpdateTokenAnyTx: token with creationTx ${'ab'.repeat(32)} does not exist`,
    );
  });

  test('moves the collateral from DF24 on', () => {
    for (const [metachain, df24, expected] of [
      [101, 101, 'UpdateTokenAnyTx: deserialization failed: excess 1 bytes'],
      [100, 101, 'UpdateTokenAnyTx: Collateral address update is not allowed before DF24Height'],
      [100, 100, undefined],
    ] as const) {
      const fixture = new DfiFixture(heights({ ...GRAND_CENTRAL, metachain, df24 }));
      create(fixture);
      const body = { tokenTx: creationOf(fixture, 128), token: gold, newCollateral: true };
      assert.equal(fixture.failure(updateTokenAny, body, { outputs: [dfi(10n * COIN, stranger)] }), expected);
    }
  });

  test('ignores deprecation below Metachain, refuses it below DF24', () => {
    for (const [metachain, expected] of [
      [101, undefined],
      [100, 'UpdateTokenAnyTx: Token cannot be deprecated below DF24Height'],
    ] as const) {
      const fixture = new DfiFixture(heights({ ...GRAND_CENTRAL, metachain, df24: 101 }));
      create(fixture);
      assert.equal(update(fixture, { flags: gold.flags | TokenFlag.deprecated }), expected);
      assert.equal(getToken(fixture.view, 128)?.flags, gold.flags);
      assert.equal(getToken(fixture.view, 128)?.symbol, 'GOLD');
    }
  });

  test('stores names uncut', () => {
    const fixture = new DfiFixture(heights(GRAND_CENTRAL));
    create(fixture);
    const name = ` ${'n'.repeat(130)}`;
    assert.equal(update(fixture, { name }), undefined);
    assert.equal(getToken(fixture.view, 128)?.name, name);
  });

  describe('by the foundation, from DF24 on', () => {
    const from = [foundation];
    const flags = gold.flags | TokenFlag.deprecated;
    const text = 'UpdateTokenAnyTx: Only token deprecation toggle is allowed by governance';
    const made = () => {
      const fixture = new DfiFixture(late);
      create(fixture);
      return fixture;
    };

    test('only toggles deprecation; blanks around the symbol are ignored', () => {
      const fixture = made();
      assert.equal(update(fixture, { symbol: 'AU', flags }, { from }), text);
      assert.equal(update(fixture, { name: 'gold ', flags }, { from }), text);
      assert.equal(update(fixture, { symbol: ' GOLD ', flags }, { from }), undefined);
      assert.equal(getToken(fixture.view, 128)?.symbol, 'eol/GOLD');
    });

    test("may change everything of a loan token, whatever the token's flags are", () => {
      const fixture = made();
      assert.equal(update(fixture, { name: 'aurum', flags: gold.flags | TokenFlag.loanToken }, { from }), text);
      fixture.attribute('v0/token/128/fixed_interval_price_id', { kind: 'pair', value: { token: 'GOLD', currency: 'USD' } });
      fixture.attribute('v0/token/128/loan_minting_enabled', { kind: 'bool', value: true });
      fixture.attribute('v0/token/128/loan_minting_interest', { kind: 'amount', value: 0n });
      assert.equal(update(fixture, { name: 'aurum' }, { from }), undefined);
    });
  });
});

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
  const { fixture, tokenTx } = withToken(early);
  const from = [foundation];
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
