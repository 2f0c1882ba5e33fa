import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { attributes } from '../../../../src/dfi/attributes/attributes.js';
import type { ConsortiumMember } from '../../../../src/dfi/attributes/consortium-values.js';
import { liveKey } from '../../../../src/dfi/attributes/live-totals.js';
import { attributeAt } from '../../../../src/dfi/attributes/path.js';
import { getToken, TokenFlag } from '../../../../src/dfi/tokens/columns.js';
import { burnToken, createToken, mintToken } from '../../../../src/dfi/tokens/transactions.js';
import type { HeightOverrides } from '../../../../src/params/upgrade-heights.js';
import { EMPTY_BYTES } from '../../../../src/util/bytes.js';
import { DfiFixture, dfi, GRAND_CENTRAL, heights, script } from '../fixture.js';

const COIN = 100_000_000n;
const [owner, anna, bert, stranger] = [1, 2, 3, 4].map(script) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
const BTC = 1;

function member(id: string, holder: Uint8Array, mintLimit: bigint, dailyLimit: bigint, status = 0): ConsortiumMember {
  return { id, name: 'some', owner: holder, backingId: '', mintLimit, dailyLimit, status };
}

interface Limits {
  readonly all?: bigint;
  readonly daily?: bigint;
  readonly given?: HeightOverrides;
}

/** Regtest on which minting needs authorisation, as on the main network. */
function fixture({ all = 100n, daily = 50n, given = GRAND_CENTRAL }: Limits = {}): DfiFixture {
  const params = heights(given);
  const made = new DfiFixture({ ...params, token: { ...params.token, mintAsOnMain: true } }, 300);
  const flags = TokenFlag.mintable | TokenFlag.tradeable | TokenFlag.dat;
  const fields = { symbol: 'BTC', name: 'coin', decimal: 8, limit: 0n, flags };
  const foundation = params.scripts.foundationMembers[0] as Uint8Array;
  const sent = { value: params.token.creationFee, outputs: [dfi(params.token.collateral, owner)], from: [foundation] };
  assert.equal(made.failure(createToken, fields, sent), undefined);
  made.view.put(attributes, attributeAt('v0/params/feature/consortium'), { kind: 'bool', value: true });
  made.view.put(attributes, attributeAt(`v0/consortium/${BTC}/mint_limit`), { kind: 'amount', value: all });
  made.view.put(attributes, attributeAt(`v0/consortium/${BTC}/mint_limit_daily`), { kind: 'amount', value: daily });
  setMembers(made, [member('01', anna, 70n, 40n), member('02', bert, 60n, 30n)]);
  return made;
}

function setMembers(at: DfiFixture, value: readonly ConsortiumMember[]): void {
  at.view.put(attributes, attributeAt(`v0/consortium/${BTC}/members`), { kind: 'consortiumMembers', value });
}

function mint(at: DfiFixture, from: Uint8Array, amount: bigint, height = 300): string | undefined {
  return at.failure(mintToken, { balances: [{ tokenId: BTC, amount }], to: EMPTY_BYTES }, { from: [from], height });
}

function totals(at: DfiFixture): unknown {
  return [at.view.get(attributes, liveKey('consortium'))?.value, at.view.get(attributes, liveKey('consortium_members'))?.value];
}

const will = (text: string) => `MintTokenTx: You will exceed ${text}`;

describe('MintToken by members of a consortium', () => {
  test('credits the minting member and counts the amount', () => {
    const at = fixture();
    assert.equal(mint(at, anna, 10n), undefined);
    assert.equal(mint(at, bert, 5n), undefined);
    assert.equal(mint(at, anna, 3n), undefined);
    assert.deepEqual(
      [at.balance(anna, BTC), at.balance(bert, BTC), at.balance(owner, BTC), getToken(at.view, BTC)?.minted],
      [13n, 5n, 0n, 18n],
    );
    const members = [
      { id: '01', minted: 13n, burnt: 0n, day: 288, dailyMinted: 13n },
      { id: '02', minted: 5n, burnt: 0n, day: 288, dailyMinted: 5n },
    ];
    assert.deepEqual(totals(at), [[{ tokenId: BTC, minted: 18n, burnt: 0n }], [{ tokenId: BTC, members }]]);
  });

  test('rejects other signers, including the token owner, and inactive members', () => {
    const at = fixture();
    const no = 'MintTokenTx: You are not a foundation or consortium member and cannot mint this token!';
    assert.deepEqual([mint(at, stranger, 1n), mint(at, owner, 1n)], [no, no]);
    setMembers(at, [member('01', anna, 70n, 40n, 1)]);
    assert.equal(mint(at, anna, 1n), 'MintTokenTx: Cannot mint token, not an active member of consortium for BTC!');
    assert.deepEqual(totals(at), [undefined, undefined]);
  });

  test('enforces the limits of the member, of the day and of the whole consortium', () => {
    const at = fixture();
    assert.equal(mint(at, anna, 71n), will('your maximum mint limit for BTC token by minting this amount!'));
    assert.equal(mint(at, anna, 41n), will('your daily mint limit for BTC token by minting this amount'));
    assert.equal(mint(at, anna, 40n), undefined);
    assert.equal(mint(at, bert, 11n), will('global daily maximum consortium mint limit for BTC token by minting this amount.'));
    assert.equal(mint(at, bert, 10n), undefined);
    // The next day starts 144 blocks later.
    assert.equal(mint(at, anna, 1n, 431), will('your daily mint limit for BTC token by minting this amount'));
    assert.equal(mint(at, anna, 30n, 432), undefined);
    assert.equal(mint(at, bert, 21n, 432), will('global maximum consortium mint limit for BTC token by minting this amount!'));
    assert.equal(mint(at, bert, 20n, 432), undefined);
  });

  test('has no common limit if that is -1', () => {
    const at = fixture({ all: -COIN, daily: -COIN });
    assert.equal(mint(at, anna, 40n), undefined);
    assert.equal(mint(at, bert, 30n), undefined);
  });

  test('does not count amounts that the foundation mints for the owner', () => {
    const at = fixture();
    assert.equal(mint(at, at.params.scripts.foundationMembers[0] as Uint8Array, 1000n), undefined);
    assert.equal(at.balance(owner, BTC), 1000n);
    assert.deepEqual(totals(at), [undefined, undefined]);
  });

  test('leaves minting to the token owner without members, or while the feature is off', () => {
    for (const change of ['members', 'feature']) {
      const at = fixture();
      if (change === 'members') setMembers(at, []);
      else at.view.put(attributes, attributeAt('v0/params/feature/consortium'), { kind: 'bool', value: false });
      assert.equal(mint(at, anna, 1n), 'MintTokenTx: You are not a foundation member or token owner and cannot mint this token!');
      assert.equal(mint(at, owner, 1n), undefined);
    }
  });

  test('starts with Grand Central and ends with Metachain', () => {
    const no = 'MintTokenTx: token is DAT and tx not from foundation member';
    const begins = fixture({ given: { ...GRAND_CENTRAL, grandCentral: 301 } });
    assert.deepEqual([mint(begins, anna, 1n, 300), mint(begins, anna, 1n, 301)], [no, undefined]);
    const ends = fixture({ given: { ...GRAND_CENTRAL, metachain: 302 } });
    assert.deepEqual([mint(ends, anna, 1n, 301), mint(ends, anna, 1n, 302)], [undefined, no]);
  });
});

test('BurnToken counts for the member that burns, or that it names, without freeing its mint limit', () => {
  const at = fixture();
  assert.equal(mint(at, anna, 40n), undefined);
  at.give(stranger, BTC, 10n);
  const burn = (from: Uint8Array, amount: bigint, context?: Uint8Array) =>
    at.failure(burnToken, { amounts: [{ tokenId: BTC, amount }], from, burnType: 0, context }, { from: [from], height: 300 });
  assert.equal(burn(anna, 30n), undefined);
  assert.equal(burn(stranger, 4n, bert), undefined);
  assert.equal(burn(stranger, 6n), undefined);
  const members = [
    { id: '01', minted: 40n, burnt: 30n, day: 288, dailyMinted: 40n },
    { id: '02', minted: 0n, burnt: 4n, day: 0, dailyMinted: 0n },
  ];
  assert.deepEqual(totals(at), [[{ tokenId: BTC, minted: 40n, burnt: 34n }], [{ tokenId: BTC, members }]]);
  assert.equal(mint(at, anna, 1n), will('your daily mint limit for BTC token by minting this amount'));
});
