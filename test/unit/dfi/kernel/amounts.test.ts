import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accountToAccount, accountToUtxos, anyAccountsToAccounts, utxosToAccount } from '../../../../src/dfi/accounts/transactions.js';
import type { DefinedTx } from '../../../../src/dfi/context/custom-tx.js';
import { accountAmounts, BalanceSum, balances, compareOwners, formatBalances, sumTransfers } from '../../../../src/dfi/kernel/amounts.js';
import { burnToken, createToken } from '../../../../src/dfi/tokens/transactions.js';
import { decode, encode } from '../../../../src/primitives/codec.js';
import { fromHex, toHex } from '../../../../src/util/bytes.js';
import { dataScript, legacyScript, script } from '../fixture.js';

const A = script(0x11);
const B = legacyScript(0x22);
const COIN = 100_000_000n;
const MAX = 0x7fff_ffff_ffff_ffffn;

/** Scripts of output 0, from docs/protocol/accounts.md 2.4. */
const vectors: readonly { readonly name: string; readonly type: string; readonly body: Uint8Array; readonly expected: string }[] = [
  vector(
    utxosToAccount,
    { to: [{ owner: A, balances: [{ tokenId: 0, amount: COIN }] }] },
    '6a2a4466547855011600141111111111111111111111111111111111111111010000000000e1f50500000000',
  ),
  vector(
    accountToAccount,
    {
      from: B,
      to: [
        {
          owner: A,
          balances: [
            { tokenId: 0, amount: 150_000_000n },
            { tokenId: 128, amount: 5n * COIN },
          ],
        },
      ],
    },
    '6a4c5044665478421976a914222222222222222222222222222222222222222288ac01160014111111111111111111111111111111111111111102000000' +
      '0080d1f00800000000800000000065cd1d00000000',
  ),
  vector(
    accountToUtxos,
    { from: B, balances: [{ tokenId: 0, amount: 2n * COIN }], mintingOutputsStart: 2 },
    '6a2d44665478621976a914222222222222222222222222222222222222222288ac010000000000c2eb0b0000000002',
  ),
  vector(
    anyAccountsToAccounts,
    {
      from: [
        { owner: A, balances: [{ tokenId: 0, amount: 1n }] },
        { owner: B, balances: [{ tokenId: 0, amount: 2n }] },
      ],
      to: [{ owner: B, balances: [{ tokenId: 0, amount: 3n }] }],
    },
    '6a4c794466547861021600141111111111111111111111111111111111111111010000000001000000000000001976a91422222222222222222222222222222222' +
      '2222222288ac01000000000200000000000000011976a914222222222222222222222222222222222222222288ac01000000000300000000000000',
  ),
  vector(
    createToken,
    { symbol: 'GOLD', name: 'gold', decimal: 8, limit: 0n, flags: 3 },
    '6a19446654785404474f4c4404676f6c6408000000000000000003',
  ),
  vector(
    burnToken,
    { amounts: [{ tokenId: 128, amount: COIN }], from: B, burnType: 0, context: new Uint8Array(0) },
    '6a324466547846018000000000e1f505000000001976a914222222222222222222222222222222222222222288ac000000000000',
  ),
];

function vector<Body>(definition: DefinedTx<Body>, body: Body, expected: string) {
  assert.ok(definition.codec);
  const bytes = encode(definition.codec, body);
  assert.deepEqual(encode(definition.codec, decode(definition.codec, bytes)), bytes);
  return { name: definition.name, type: definition.type, body: bytes, expected };
}

describe('messages of the protocol document', () => {
  for (const { name, type, body, expected } of vectors) test(name, () => assert.equal(toHex(dataScript(type, body)), expected));
});

describe('balances', () => {
  const entry = (id: string, amount: string) => `${id}${amount}`;
  const one = '0100000000000000';
  const two = '0200000000000000';

  test('may be in any order on the wire and are ascending after decoding', () => {
    const read = decode(balances, fromHex(`02${entry('80000000', one)}${entry('00000000', two)}`));
    assert.equal(formatBalances(read), '0.00000002@0,0.00000001@128');
  });

  test('of a duplicate token: the first counts', () => {
    assert.equal(formatBalances(decode(balances, fromHex(`02${entry('00000000', one)}${entry('00000000', two)}`))), '0.00000001@0');
  });

  test('may be negative but not zero', () => {
    const zero = fromHex('01000000000000000000000000');
    assert.throws(() => decode(balances, zero), { message: 'non-canonical balances (zero amount)' });
    assert.equal(formatBalances(decode(balances, fromHex('0100000000ffffffffffffffff'))), '-0.00000001@0');
  });
});

describe('owners', () => {
  test('are sorted by length of the script, then bytewise', () => {
    const sorted = [legacyScript(1), script(2), script(1), new Uint8Array(0)].sort(compareOwners);
    assert.deepEqual(
      sorted.map((each) => each.length),
      [0, 22, 22, 25],
    );
    assert.equal(sorted[1]?.[2], 1);
  });

  test('that occur twice count once, with the first amounts', () => {
    const entry = (amount: string) => `160014${'11'.repeat(20)}0100000000${amount}`;
    const read = decode(accountAmounts, fromHex(`02${entry('0100000000000000')}${entry('0200000000000000')}`));
    assert.equal(read.length, 1);
    assert.equal(formatBalances(read[0]?.balances ?? []), '0.00000001@0');
  });
});

describe('sumTransfers', () => {
  test('skips the rest of an account whose amount cannot be added, and continues with the next', () => {
    const sum = sumTransfers([
      { owner: A, balances: [{ tokenId: 0, amount: MAX }] },
      {
        owner: B,
        balances: [
          { tokenId: 0, amount: 1n },
          { tokenId: 1, amount: 5n },
        ],
      },
      { owner: legacyScript(3), balances: [{ tokenId: 1, amount: 7n }] },
    ]);
    assert.deepEqual(sum, [
      { tokenId: 0, amount: MAX },
      { tokenId: 1, amount: 7n },
    ]);
  });

  test('skips a negative amount, whose token has a total of 0, and the amounts of that account after it', () => {
    const negative = {
      owner: A,
      balances: [
        { tokenId: 0, amount: -1n },
        { tokenId: 1, amount: 2n },
      ],
    };
    assert.deepEqual(sumTransfers([negative]), [{ tokenId: 0, amount: 0n }]);
  });
});

test('BalanceSum names the negative amount in its error', () => {
  const add = (amount: bigint) => () => new BalanceSum().add({ tokenId: 0, amount });
  assert.throws(add(-50_000_000n), { message: 'negative amount: -0.50000000' });
  assert.throws(add(-(2n ** 63n)), { message: 'negative amount: --92233720368.-54775808' });
});
