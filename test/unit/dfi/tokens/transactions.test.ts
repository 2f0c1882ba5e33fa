import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { getToken, putToken, type Token, TokenFlag, tokenBySymbol } from '../../../../src/dfi/tokens/columns.js';
import { burnToken, mintToken } from '../../../../src/dfi/tokens/transactions.js';
import { EMPTY_BYTES } from '../../../../src/util/bytes.js';
import { DfiFixture, dfi, GRAND_CENTRAL, heights, type Sent, script } from '../fixture.js';
import { LoanFixture } from '../loan-fixture.js';
import { asset, bayfront, COIN, create, early, foundation, gold, owner, paid } from './token-fixture.js';

const stranger = script(2);

describe('CreateToken', () => {
  test('needs the exact fee and collateral', () => {
    const malformed = 'CreateTokenTx: malformed tx vouts (wrong creation fee or collateral amount)';
    const fixture = new DfiFixture(early);
    assert.equal(create(fixture, gold, { ...paid, value: COIN - 1n }), malformed);
    assert.equal(create(fixture, gold, { ...paid, outputs: [dfi(10n * COIN - 1n, owner)] }), malformed);
    assert.equal(create(fixture, gold, { ...paid, outputs: [dfi(10n * COIN + 1n, owner)] }), malformed);
    assert.equal(create(fixture, gold, { ...paid, outputs: [] }), malformed);
    assert.equal(create(fixture, gold, { ...paid, value: COIN + 1n }), undefined);
  });

  test('assigns ids from 128 on, and ids from 1 on to DATs', () => {
    const fixture = new DfiFixture(early);
    for (let i = 0; i < 2; i++) assert.equal(create(fixture), undefined);
    assert.equal(create(fixture, asset, { ...paid, from: [foundation] }), undefined);
    assert.deepEqual(
      [128, 129, 1].map((id) => getToken(fixture.view, id)?.symbol),
      ['GOLD', 'GOLD', 'GOLD'],
    );
    assert.equal(tokenBySymbol(fixture.view, 'GOLD')?.id, 1);
    assert.equal(tokenBySymbol(fixture.view, 'GOLD#129')?.id, 129);
  });

  test('of a DAT needs the foundation, and a unique symbol', () => {
    const fixture = new DfiFixture(early);
    assert.equal(create(fixture, asset), 'CreateTokenTx: tx not from foundation member');
    assert.equal(
      create(fixture, { ...asset, symbol: 'DFI' }, { ...paid, from: [foundation] }),
      "CreateTokenTx: token 'DFI' already exists!",
    );
  });

  test('names a symbol with percent signs as defid formats it', () => {
    const twice = (params: typeof early, symbol: string) => {
      const fixture = new DfiFixture(params);
      const sent = { ...paid, from: [foundation] };
      assert.equal(create(fixture, { ...asset, symbol }, sent), undefined);
      return create(fixture, { ...asset, symbol }, sent);
    };
    assert.equal(twice(early, 'A%'), 'CreateTokenTx: unexpected error');
    assert.equal(twice(early, 'A%%%'), 'CreateTokenTx: unexpected error');
    assert.equal(twice(early, 'A%%'), "CreateTokenTx: token 'A%' already exists!");
    const late = heights({ amk: 0, metachain: 100 });
    assert.equal(twice(late, 'A%'), "CreateTokenTx: token 'A%' already exists!");
    assert.equal(twice(late, 'A%%'), "CreateTokenTx: token 'A%%' already exists!");
  });

  test('rejects a pool share token from Bayfront on', () => {
    const share = { ...gold, flags: gold.flags | TokenFlag.poolShare };
    assert.equal(create(new DfiFixture(early), share), undefined);
    const text = "CreateTokenTx: Cant't manually create 'Liquidity Pool Share' token; use poolpair creation";
    assert.equal(create(new DfiFixture(bayfront), share), text);
  });

  const noLetter = 'CreateTokenTx: token symbol should be non-empty and starts with a letter';
  const noSlash = "CreateTokenTx: token symbol should not contain '/'";
  for (const [symbol, expected] of [
    ['', noLetter],
    // A symbol like any other: blanks are not trimmed from a text of blanks alone.
    [' \t', undefined],
    ['1GOLD', noLetter],
    ['GO#LD', "CreateTokenTx: token symbol should not contain '#'"],
    ['G1', undefined],
    ['GO/LD', undefined],
  ] as const) {
    test(`symbol '${symbol}'`, () => assert.equal(create(new DfiFixture(early), { ...gold, symbol }), expected));
  }

  test('rejects a slash in the symbol from Fort Canning Crunch on', () => {
    assert.equal(create(new DfiFixture(heights({ amk: 0, fortCanningCrunch: 101 })), { ...gold, symbol: 'GO/LD' }), undefined);
    assert.equal(create(new DfiFixture(heights({ amk: 0, fortCanningCrunch: 100 })), { ...gold, symbol: 'GO/LD' }), noSlash);
  });

  test('has a single error text for symbols from Metachain on', () => {
    const text = 'CreateTokenTx: Invalid token symbol. Valid: Start with an alphabet, non-empty, not contain # or /';
    for (const symbol of ['', 'GO#LD'])
      assert.equal(create(new DfiFixture(heights({ amk: 0, metachain: 100 })), { ...gold, symbol }), text);
  });

  test('cuts texts to 8 and 128 bytes', () => {
    const fixture = new DfiFixture(early);
    create(fixture, { ...gold, symbol: ' ABCDEFGHIJ ', name: `\n${'n'.repeat(200)}` });
    assert.deepEqual([getToken(fixture.view, 128)?.symbol, getToken(fixture.view, 128)?.name.length], ['ABCDEFGH', 128]);
  });
});

const MINTS_TO_NOBODY = 'MintTokenTx: Mint tokens to address is not enabled';

describe('MintToken', () => {
  const mint = (fixture: DfiFixture, tokenId: number, amount: bigint, sent: Sent = {}, to: Uint8Array = EMPTY_BYTES) =>
    fixture.failure(mintToken, { balances: [{ tokenId, amount }], to }, sent);

  test('credits the owner of the collateral and counts the minted amount', () => {
    const fixture = new DfiFixture(bayfront);
    create(fixture);
    assert.equal(mint(fixture, 128, 5n), undefined);
    assert.equal(fixture.balance(owner, 128), 5n);
    assert.equal(getToken(fixture.view, 128)?.minted, 5n);
  });

  test('credits the named recipient if that is enabled', () => {
    const fixture = new DfiFixture(heights({ amk: 0, bayfront: 0, metachain: 100 }));
    create(fixture);
    assert.equal(mint(fixture, 128, 5n, {}, stranger), undefined);
    assert.deepEqual([fixture.balance(stranger, 128), fixture.balance(owner, 128)], [5n, 0n]);
    assert.equal(mint(fixture, 128, 5n, {}, Uint8Array.of(0x51)), "MintTokenTx: Invalid 'to' address provided");
  });

  test('materialises the rewards of the recipient first', () => {
    const fixture = new LoanFixture(heights({ ...GRAND_CENTRAL, metachain: 0 }));
    putToken(fixture.view, 2, { ...(getToken(fixture.view, 2) as Token), flags: asset.flags });
    fixture.openEarningPool(3, stranger, 90);
    assert.equal(mint(fixture, 2, 5n, {}, stranger), undefined);
    // 500 satoshis in each of ten blocks.
    assert.deepEqual([fixture.balance(stranger, 0), fixture.balance(stranger, 2)], [5_000n, 5n]);
  });

  test('rejects a named recipient before Metachain, unless enabled', () => {
    const fixture = new DfiFixture(heights({ amk: 0, bayfront: 0, metachain: 101 }));
    create(fixture);
    assert.equal(mint(fixture, 128, 5n, {}, stranger), MINTS_TO_NOBODY);
    fixture.attribute('v0/params/feature/mint-tokens-to-address', { kind: 'bool', value: true });
    assert.equal(mint(fixture, 128, 5n, {}, stranger), undefined);
  });

  for (const [at, text] of [
    [{ fortCanningCrunch: 101 }, 'token 1 is not mintable!'],
    [{ fortCanningCrunch: 100 }, 'Loan tokens cannot be minted'],
    [{ fortCanningCrunch: 0, metachain: 100 }, 'token 1 is not mintable!'],
  ] as const) {
    test(`of a loan token on main: ${text} (${JSON.stringify(at)})`, () => {
      const params = { ...heights({ amk: 0, bayfront: 0, ...at }), name: 'main' as const, isRegtest: false };
      const fixture = new DfiFixture({ ...params, token: { ...params.token, mintAsOnMain: true } });
      create(fixture, asset, { ...paid, from: [foundation] });
      assert.equal(mint(fixture, 1, 5n, { from: [foundation] }), undefined);
      fixture.attribute('v0/token/1/loan_minting_enabled', { kind: 'bool', value: false });
      fixture.attribute('v0/token/1/loan_minting_interest', { kind: 'amount', value: 0n });
      fixture.attribute('v0/token/1/fixed_interval_price_id', { kind: 'pair', value: { token: 'GOLD', currency: 'USD' } });
      assert.equal(mint(fixture, 1, 5n, { from: [foundation] }), `MintTokenTx: ${text}`);
    });
  }

  test('of DFI works on regtest from Metachain on', () => {
    for (const [metachain, expected] of [
      [101, "MintTokenTx: can't mint default DFI coin!"],
      [100, undefined],
    ] as const) {
      const params = heights({ amk: 0, bayfront: 0, metachain });
      const fixture = new DfiFixture({ ...params, token: { ...params.token, mintAsOnMain: true } });
      assert.equal(mint(fixture, 0, 5n, {}, stranger), metachain === 101 ? MINTS_TO_NOBODY : undefined);
      assert.equal(mint(fixture, 0, 5n), expected);
    }
  });

  test('needs the owner, except on regtest', () => {
    const strict = { ...bayfront, token: { ...bayfront.token, mintAsOnMain: true } };
    const fixture = new DfiFixture(strict);
    create(fixture);
    assert.equal(mint(fixture, 128, 5n, { from: [stranger] }), 'MintTokenTx: tx must have at least one input from token owner');
    assert.equal(mint(fixture, 128, 5n, { from: [owner] }), undefined);
    const loose = new DfiFixture(bayfront);
    create(loose);
    assert.equal(mint(loose, 128, 5n, { from: [stranger] }), undefined);
  });

  test('without a collateral output is authorised by an input with an empty script', () => {
    const fixture = new DfiFixture({ ...bayfront, token: { ...bayfront.token, mintAsOnMain: true } });
    create(fixture);
    putToken(fixture.view, 128, { ...(getToken(fixture.view, 128) as Token), creationTx: Buffer.alloc(32, 0xee) });
    assert.equal(mint(fixture, 128, 5n, { from: [owner] }), 'MintTokenTx: tx must have at least one input from token owner');
    assert.equal(mint(fixture, 128, 5n, { from: [EMPTY_BYTES] }), undefined);
    assert.equal(fixture.balance(EMPTY_BYTES, 128), 5n);
  });

  test('of a DAT also works for the foundation', () => {
    const fixture = new DfiFixture({ ...bayfront, token: { ...bayfront.token, mintAsOnMain: true } });
    create(fixture, asset, { ...paid, from: [foundation] });
    assert.equal(mint(fixture, 1, 5n, { from: [stranger] }), 'MintTokenTx: token is DAT and tx not from foundation member');
    assert.equal(mint(fixture, 1, 5n, { from: [foundation] }), undefined);
  });

  test('before Bayfront needs the owner, and rejects DATs', () => {
    const fixture = new DfiFixture(early);
    create(fixture);
    create(fixture, asset, { ...paid, from: [foundation] });
    assert.equal(mint(fixture, 128, 5n, { from: [stranger] }), 'MintTokenTx: tx must have at least one input from token owner');
    assert.equal(mint(fixture, 1, 5n, { from: [foundation] }), "MintTokenTx: token 1 is a 'stable coin', can't mint stable coin!");
    assert.equal(mint(fixture, 128, 5n), undefined);
  });

  test('rejects tokens that cannot be minted', () => {
    const fixture = new DfiFixture(bayfront);
    create(fixture, { ...gold, flags: TokenFlag.tradeable });
    assert.equal(mint(fixture, 128, 5n), 'MintTokenTx: token 128 is not mintable!');
    assert.equal(mint(fixture, 129, 5n), 'MintTokenTx: token 129 does not exist!');
    create(fixture);
    assert.equal(mint(fixture, 129, -5n), 'MintTokenTx: overflow when adding to minted');
    assert.equal(mint(fixture, 129, 0x7fff_ffff_ffff_ffffn), undefined);
    assert.equal(mint(fixture, 129, 1n), 'MintTokenTx: overflow when adding to minted');
  });
});

describe('BurnToken', () => {
  const params = heights(GRAND_CENTRAL);
  const { burn } = params.scripts;
  const body = (amount: bigint) => ({ amounts: [{ tokenId: 128, amount }], from: owner, burnType: 9, context: EMPTY_BYTES });

  test('moves the amount to the burn address and keeps the minted sum', () => {
    const fixture = new DfiFixture(params);
    create(fixture);
    fixture.send(mintToken, { balances: [{ tokenId: 128, amount: 9n }], to: EMPTY_BYTES });
    assert.equal(fixture.failure(burnToken, body(10n)), 'BurnTokenTx: amount 0.00000009 is less than 0.00000010');
    assert.equal(fixture.failure(burnToken, body(9n)), undefined);
    assert.deepEqual([fixture.balance(owner, 128), fixture.balance(burn, 128), getToken(fixture.view, 128)?.minted], [0n, 9n, 9n]);
  });

  test('from the empty script credits the burn address without a debit', () => {
    const fixture = new DfiFixture(params);
    assert.equal(fixture.failure(burnToken, { ...body(9n), from: EMPTY_BYTES }, { from: [EMPTY_BYTES] }), undefined);
    assert.equal(fixture.balance(burn, 128), 9n);
  });

  test('needs amounts and the owner', () => {
    const fixture = new DfiFixture(params);
    assert.equal(fixture.failure(burnToken, { ...body(1n), amounts: [] }), 'BurnTokenTx: tx must have balances to burn');
    assert.equal(
      fixture.failure(burnToken, body(1n), { from: [stranger] }),
      'BurnTokenTx: tx must have at least one input from account owner',
    );
  });
});
