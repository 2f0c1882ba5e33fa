import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { getToken, type TokenFields, TokenFlag, tokenBySymbol } from '../../../../src/dfi/tokens/columns.js';
import { burnToken, createToken, mintToken } from '../../../../src/dfi/tokens/transactions.js';
import { updateToken, updateTokenAny } from '../../../../src/dfi/tokens/updates.js';
import type { Hash256 } from '../../../../src/primitives/hash.js';
import { EMPTY_BYTES } from '../../../../src/util/bytes.js';
import { DfiFixture, dfi, GRAND_CENTRAL, heights, type Sent, script } from '../fixture.js';

const COIN = 100_000_000n;
const [owner, stranger] = [script(1), script(2)];
const early = heights({ amk: 0 });
const bayfront = heights({ amk: 0, bayfront: 0 });
const gold: TokenFields = { symbol: 'GOLD', name: 'gold', decimal: 8, limit: 0n, flags: TokenFlag.mintable | TokenFlag.tradeable };
const asset: TokenFields = { ...gold, flags: gold.flags | TokenFlag.dat };
const foundation = early.scripts.foundationMembers[0] as Uint8Array;

const paid: Sent = { value: COIN, outputs: [dfi(10n * COIN, owner)] };

function create(desk: DfiFixture, fields = gold, sent: Sent = paid): string | undefined {
  return desk.failure(createToken, fields, sent);
}

/** Creation transaction of the token with this id. */
function creationOf(desk: DfiFixture, id: number): Hash256 {
  const token = getToken(desk.view, id);
  assert.ok(token);
  return token.creationTx;
}

describe('CreateToken', () => {
  test('needs the exact fee and collateral', () => {
    const malformed = 'CreateTokenTx: malformed tx vouts (wrong creation fee or collateral amount)';
    const desk = new DfiFixture(early);
    assert.equal(create(desk, gold, { ...paid, value: COIN - 1n }), malformed);
    assert.equal(create(desk, gold, { ...paid, outputs: [dfi(10n * COIN - 1n, owner)] }), malformed);
    assert.equal(create(desk, gold, { ...paid, outputs: [dfi(10n * COIN + 1n, owner)] }), malformed);
    assert.equal(create(desk, gold, { ...paid, outputs: [] }), malformed);
    assert.equal(create(desk, gold, { ...paid, value: COIN + 1n }), undefined);
  });

  test('assigns ids from 128 on, and ids from 1 on to DATs', () => {
    const desk = new DfiFixture(early);
    for (let i = 0; i < 2; i++) assert.equal(create(desk), undefined);
    assert.equal(create(desk, asset, { ...paid, from: [foundation] }), undefined);
    assert.deepEqual(
      [128, 129, 1].map((id) => getToken(desk.view, id)?.symbol),
      ['GOLD', 'GOLD', 'GOLD'],
    );
    assert.equal(tokenBySymbol(desk.view, 'GOLD')?.id, 1);
    assert.equal(tokenBySymbol(desk.view, 'GOLD#129')?.id, 129);
  });

  test('of a DAT needs the foundation, and a unique symbol', () => {
    const desk = new DfiFixture(early);
    assert.equal(create(desk, asset), 'CreateTokenTx: tx not from foundation member');
    assert.equal(create(desk, { ...asset, symbol: 'DFI' }, { ...paid, from: [foundation] }), "CreateTokenTx: token 'DFI' already exists!");
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
    [' \t', noLetter],
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
    const desk = new DfiFixture(early);
    create(desk, { ...gold, symbol: ' ABCDEFGHIJ ', name: `\n${'n'.repeat(200)}` });
    assert.deepEqual([getToken(desk.view, 128)?.symbol, getToken(desk.view, 128)?.name.length], ['ABCDEFGH', 128]);
  });
});

const MINTS_TO_NOBODY = 'MintTokenTx: Mint tokens to address is not enabled';

describe('MintToken', () => {
  const mint = (desk: DfiFixture, tokenId: number, amount: bigint, sent: Sent = {}, to: Uint8Array = EMPTY_BYTES) =>
    desk.failure(mintToken, { balances: [{ tokenId, amount }], to }, sent);

  test('credits the owner of the collateral and counts the minted amount', () => {
    const desk = new DfiFixture(bayfront);
    create(desk);
    assert.equal(mint(desk, 128, 5n), undefined);
    assert.equal(desk.balance(owner, 128), 5n);
    assert.equal(getToken(desk.view, 128)?.minted, 5n);
  });

  test('credits the named recipient if that is enabled', () => {
    const desk = new DfiFixture(heights({ amk: 0, bayfront: 0, metachain: 100 }));
    create(desk);
    assert.equal(mint(desk, 128, 5n, {}, stranger), undefined);
    assert.deepEqual([desk.balance(stranger, 128), desk.balance(owner, 128)], [5n, 0n]);
    assert.equal(mint(desk, 128, 5n, {}, Uint8Array.of(0x51)), "MintTokenTx: Invalid 'to' address provided");
  });

  test('rejects a named recipient before Metachain, unless enabled', () => {
    const desk = new DfiFixture(heights({ amk: 0, bayfront: 0, metachain: 101 }));
    create(desk);
    assert.equal(mint(desk, 128, 5n, {}, stranger), MINTS_TO_NOBODY);
    desk.attribute('v0/params/feature/mint-tokens-to-address', { kind: 'bool', value: true });
    assert.equal(mint(desk, 128, 5n, {}, stranger), undefined);
  });

  for (const [at, text] of [
    [{ fortCanningCrunch: 101 }, 'token 1 is not mintable!'],
    [{ fortCanningCrunch: 100 }, 'Loan tokens cannot be minted'],
    [{ fortCanningCrunch: 0, metachain: 100 }, 'token 1 is not mintable!'],
  ] as const) {
    test(`of a loan token on main: ${text} (${JSON.stringify(at)})`, () => {
      const params = { ...heights({ amk: 0, bayfront: 0, ...at }), name: 'main' as const, isRegtest: false };
      const desk = new DfiFixture({ ...params, token: { ...params.token, mintAsOnMain: true } });
      create(desk, asset, { ...paid, from: [foundation] });
      assert.equal(mint(desk, 1, 5n, { from: [foundation] }), undefined);
      desk.attribute('v0/token/1/loan_minting_enabled', { kind: 'bool', value: false });
      desk.attribute('v0/token/1/loan_minting_interest', { kind: 'amount', value: 0n });
      desk.attribute('v0/token/1/fixed_interval_price_id', { kind: 'pair', value: { token: 'GOLD', currency: 'USD' } });
      assert.equal(mint(desk, 1, 5n, { from: [foundation] }), `MintTokenTx: ${text}`);
    });
  }

  test('of DFI works on regtest from Metachain on', () => {
    for (const [metachain, expected] of [
      [101, "MintTokenTx: can't mint default DFI coin!"],
      [100, undefined],
    ] as const) {
      const params = heights({ amk: 0, bayfront: 0, metachain });
      const desk = new DfiFixture({ ...params, token: { ...params.token, mintAsOnMain: true } });
      assert.equal(mint(desk, 0, 5n, {}, stranger), metachain === 101 ? MINTS_TO_NOBODY : undefined);
      assert.equal(mint(desk, 0, 5n), expected);
    }
  });

  test('needs the owner, except on regtest', () => {
    const strict = { ...bayfront, token: { ...bayfront.token, mintAsOnMain: true } };
    const desk = new DfiFixture(strict);
    create(desk);
    assert.equal(mint(desk, 128, 5n, { from: [stranger] }), 'MintTokenTx: tx must have at least one input from token owner');
    assert.equal(mint(desk, 128, 5n, { from: [owner] }), undefined);
    const loose = new DfiFixture(bayfront);
    create(loose);
    assert.equal(mint(loose, 128, 5n, { from: [stranger] }), undefined);
  });

  test('of a DAT also works for the foundation', () => {
    const desk = new DfiFixture({ ...bayfront, token: { ...bayfront.token, mintAsOnMain: true } });
    create(desk, asset, { ...paid, from: [foundation] });
    assert.equal(mint(desk, 1, 5n, { from: [stranger] }), 'MintTokenTx: token is DAT and tx not from foundation member');
    assert.equal(mint(desk, 1, 5n, { from: [foundation] }), undefined);
  });

  test('before Bayfront needs the owner, and rejects DATs', () => {
    const desk = new DfiFixture(early);
    create(desk);
    create(desk, asset, { ...paid, from: [foundation] });
    assert.equal(mint(desk, 128, 5n, { from: [stranger] }), 'MintTokenTx: tx must have at least one input from token owner');
    assert.equal(mint(desk, 1, 5n, { from: [foundation] }), "MintTokenTx: token 1 is a 'stable coin', can't mint stable coin!");
    assert.equal(mint(desk, 128, 5n), undefined);
  });

  test('rejects tokens that cannot be minted', () => {
    const desk = new DfiFixture(bayfront);
    create(desk, { ...gold, flags: TokenFlag.tradeable });
    assert.equal(mint(desk, 128, 5n), 'MintTokenTx: token 128 is not mintable!');
    assert.equal(mint(desk, 129, 5n), 'MintTokenTx: token 129 does not exist!');
    create(desk);
    assert.equal(mint(desk, 129, -5n), 'MintTokenTx: overflow when adding to minted');
    assert.equal(mint(desk, 129, 0x7fff_ffff_ffff_ffffn), undefined);
    assert.equal(mint(desk, 129, 1n), 'MintTokenTx: overflow when adding to minted');
  });
});

describe('BurnToken', () => {
  const params = heights(GRAND_CENTRAL);
  const { burn } = params.scripts;
  const body = (amount: bigint) => ({ amounts: [{ tokenId: 128, amount }], from: owner, burnType: 9, context: EMPTY_BYTES });

  test('moves the amount to the burn address and keeps the minted sum', () => {
    const desk = new DfiFixture(params);
    create(desk);
    desk.send(mintToken, { balances: [{ tokenId: 128, amount: 9n }], to: EMPTY_BYTES });
    assert.equal(desk.failure(burnToken, body(10n)), 'BurnTokenTx: amount 0.00000009 is less than 0.00000010');
    assert.equal(desk.failure(burnToken, body(9n)), undefined);
    assert.deepEqual([desk.balance(owner, 128), desk.balance(burn, 128), getToken(desk.view, 128)?.minted], [0n, 9n, 9n]);
  });

  test('from the empty script credits the burn address without a debit', () => {
    const desk = new DfiFixture(params);
    assert.equal(desk.failure(burnToken, { ...body(9n), from: EMPTY_BYTES }, { from: [EMPTY_BYTES] }), undefined);
    assert.equal(desk.balance(burn, 128), 9n);
  });

  test('needs amounts and the owner', () => {
    const desk = new DfiFixture(params);
    assert.equal(desk.failure(burnToken, { ...body(1n), amounts: [] }), 'BurnTokenTx: tx must have balances to burn');
    assert.equal(
      desk.failure(burnToken, body(1n), { from: [stranger] }),
      'BurnTokenTx: tx must have at least one input from account owner',
    );
  });
});

describe('UpdateToken', () => {
  test('lets the foundation set and clear the DAT flag', () => {
    const desk = new DfiFixture(early);
    create(desk);
    const tokenTx = creationOf(desk, 128);
    assert.equal(desk.failure(updateToken, { tokenTx, isDat: true }), 'UpdateTokenTx: tx not from foundation member');
    assert.equal(desk.failure(updateToken, { tokenTx, isDat: true }, { from: [foundation] }), undefined);
    assert.equal(tokenBySymbol(desk.view, 'GOLD')?.id, 128);
    assert.equal(tokenBySymbol(desk.view, 'GOLD#128'), undefined);
    assert.equal(desk.failure(updateToken, { tokenTx, isDat: false }, { from: [foundation] }), undefined);
    assert.equal(tokenBySymbol(desk.view, 'GOLD#128')?.id, 128);
  });

  test('rejects a symbol that is already used', () => {
    const desk = new DfiFixture(early);
    create(desk);
    create(desk, asset, { ...paid, from: [foundation] });
    const text = "UpdateTokenTx: token with key 'GOLD' already exists!";
    assert.equal(desk.failure(updateToken, { tokenTx: creationOf(desk, 128), isDat: true }, { from: [foundation] }), text);
  });
});

describe('UpdateTokenAny', () => {
  const update = (desk: DfiFixture, changes: Partial<TokenFields>, sent: Sent = {}) =>
    desk.failure(updateTokenAny, { tokenTx: creationOf(desk, 128), token: { ...gold, ...changes }, newCollateral: false }, sent);

  test('lets the owner rename a token', () => {
    const desk = new DfiFixture(bayfront);
    create(desk);
    assert.equal(
      update(desk, { symbol: 'AU', name: 'aurum' }, { from: [stranger] }),
      'UpdateTokenAnyTx: tx must have at least one input from the owner',
    );
    assert.equal(update(desk, { symbol: 'AU', name: 'aurum' }), undefined);
    assert.equal(tokenBySymbol(desk.view, 'AU#128')?.token.name, 'aurum');
  });

  test('sets the finalized flag for good', () => {
    const desk = new DfiFixture(bayfront);
    create(desk);
    assert.equal(update(desk, { flags: gold.flags | TokenFlag.finalized }), undefined);
    assert.equal(update(desk, {}), "UpdateTokenAnyTx: can't alter 'Finalized' tokens");
  });

  test('cuts texts from Fort Canning on', () => {
    for (const [fortCanning, expected] of [
      [101, ' ABCDEFGHIJ'],
      [100, 'ABCDEFGH'],
    ] as const) {
      const desk = new DfiFixture(heights({ amk: 0, bayfront: 0, fortCanning }));
      create(desk);
      update(desk, { symbol: ' ABCDEFGHIJ' });
      assert.equal(getToken(desk.view, 128)?.symbol, expected);
    }
  });

  test('needs the foundation to set the DAT flag, from Bayfront Marina on', () => {
    for (const [bayfrontMarina, expected] of [
      [101, undefined],
      [100, "UpdateTokenAnyTx: can't set isDAT to true, tx not from foundation member"],
    ] as const) {
      const desk = new DfiFixture(heights({ amk: 0, bayfront: 0, bayfrontMarina }));
      create(desk);
      assert.equal(update(desk, { flags: gold.flags | TokenFlag.dat }), expected);
    }
  });

  test('rejects DFI, pool shares and unknown tokens', () => {
    const desk = new DfiFixture(bayfront);
    const token = { token: gold, newCollateral: false };
    assert.equal(desk.failure(updateTokenAny, { ...token, tokenTx: new Uint8Array(32) }), "UpdateTokenAnyTx: Can't alter DFI token!");
    const unknown = new Uint8Array(32).fill(0xab);
    assert.equal(
      desk.failure(updateTokenAny, { ...token, tokenTx: unknown }),
      `UpdateTokenAnyTx: token with creationTx ${'ab'.repeat(32)} does not exist`,
    );
  });

  test('moves the collateral from DF24 on', () => {
    for (const [df24, expected] of [
      [101, 'UpdateTokenAnyTx: Collateral address update is not allowed before DF24Height'],
      [100, undefined],
    ] as const) {
      const desk = new DfiFixture(heights({ ...GRAND_CENTRAL, df24 }));
      create(desk);
      const body = { tokenTx: creationOf(desk, 128), token: gold, newCollateral: true };
      assert.equal(desk.failure(updateTokenAny, body, { outputs: [dfi(10n * COIN, stranger)] }), expected);
    }
  });

  test('stores names uncut', () => {
    const desk = new DfiFixture(heights(GRAND_CENTRAL));
    create(desk);
    const name = ` ${'n'.repeat(130)}`;
    assert.equal(update(desk, { name }), undefined);
    assert.equal(getToken(desk.view, 128)?.name, name);
  });

  describe('by the foundation, from DF24 on', () => {
    const params = heights({ ...GRAND_CENTRAL, metachain: 0, df23: 0, df24: 0 });
    const from = [params.scripts.foundationMembers[0] as Uint8Array];
    const flags = gold.flags | TokenFlag.deprecated;
    const text = 'UpdateTokenAnyTx: Only token deprecation toggle is allowed by governance';
    const made = () => {
      const desk = new DfiFixture(params);
      create(desk);
      return desk;
    };

    test('only toggles deprecation; blanks around the symbol are ignored', () => {
      const desk = made();
      assert.equal(update(desk, { symbol: 'AU', flags }, { from }), text);
      assert.equal(update(desk, { name: 'gold ', flags }, { from }), text);
      assert.equal(update(desk, { symbol: ' GOLD ', flags }, { from }), undefined);
      assert.equal(getToken(desk.view, 128)?.symbol, 'eol/GOLD');
    });

    test("may change everything of a loan token, whatever the token's flags are", () => {
      const desk = made();
      assert.equal(update(desk, { name: 'aurum', flags: gold.flags | TokenFlag.loanToken }, { from }), text);
      desk.attribute('v0/token/128/fixed_interval_price_id', { kind: 'pair', value: { token: 'GOLD', currency: 'USD' } });
      desk.attribute('v0/token/128/loan_minting_enabled', { kind: 'bool', value: true });
      desk.attribute('v0/token/128/loan_minting_interest', { kind: 'amount', value: 0n });
      assert.equal(update(desk, { name: 'aurum' }, { from }), undefined);
    });
  });
});
