import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkForPool } from '../../../../src/dfi/evm/pool-checks.js';
import type { LegacyTransaction } from '../../../../src/evm/codec/transaction.js';
import { EMPTY_BYTES } from '../../../../src/util/bytes.js';
import { GWEI, legacy } from '../../mempool/evm-transactions.js';

const MONEY = 1_200_000_000n * 10n ** 18n;
const LIMIT = 30_000_000n;
const cost = 21_000n * 30n * GWEI;

interface Case {
  readonly name: string;
  readonly tx?: Partial<LegacyTransaction>;
  readonly balance?: bigint;
  readonly nonce?: bigint;
  readonly text?: string;
}

const cases: readonly Case[] = [
  { name: 'the least price', tx: { gasPrice: 10n * GWEI } },
  {
    name: 'a price below the first base fee',
    tx: { gasPrice: 10n * GWEI - 1n },
    text: 'tx gas price is lower than initial block base fee',
  },
  { name: 'the largest price', tx: { gasPrice: MONEY }, balance: 21_000n * MONEY },
  { name: 'a price beyond the money range', tx: { gasPrice: MONEY + 1n }, text: 'value more than money range' },
  { name: 'the largest value, which need not be covered', tx: { value: MONEY } },
  { name: 'a value beyond the money range', tx: { value: MONEY + 1n }, text: 'value more than money range' },
  { name: 'gas below the intrinsic cost', tx: { gasLimit: 20_999n }, text: 'gas limit is below the minimum gas per tx' },
  { name: 'gas for data', tx: { data: Uint8Array.of(0, 1), gasLimit: 21_019n }, text: 'gas limit is below the minimum gas per tx' },
  {
    name: 'a creation whose data would abort defid',
    tx: { to: undefined, data: new Uint8Array(49_153), gasLimit: LIMIT },
    text: 'initcode size exceeded',
  },
  { name: 'gas beyond 64 bits', tx: { gasLimit: 1n << 64n }, text: 'integer overflow when casting to u64' },
  { name: 'all gas of a block', tx: { gasLimit: LIMIT }, balance: LIMIT * 30n * GWEI },
  { name: 'more gas than a block has', tx: { gasLimit: LIMIT + 1n }, text: 'gas limit higher than max_gas_per_block' },
  { name: 'a balance below the cost', balance: cost - 1n, text: 'insufficient balance to pay fees' },
  { name: 'a used nonce', nonce: 6n, text: 'invalid nonce. Account nonce 6, signed_tx nonce 5' },
  { name: 'a nonce above that of the account', nonce: 1n },
];
for (const { name, tx = {}, balance = cost, nonce = 5n, text } of cases) {
  test(`checkForPool: ${name}`, () => {
    const check = () => checkForPool({ tx: legacy(5, tx) }, { account: { nonce, balance }, blockGasLimit: LIMIT });
    if (text === undefined) check();
    else assert.throws(check, { message: text });
  });
}

test('checkForPool: init code that is too long passes before the transaction is sent', () => {
  const creation = { tx: legacy(5, { to: undefined, data: new Uint8Array(49_153), gasLimit: LIMIT }) };
  checkForPool(creation, { account: { nonce: 5n, balance: MONEY }, blockGasLimit: LIMIT, refusesInitCode: false });
});

test('checkForPool: an account that was never used', () => {
  const rule = () => checkForPool({ tx: legacy(0, { data: EMPTY_BYTES }) }, { account: undefined, blockGasLimit: LIMIT });
  assert.throws(rule, { message: 'insufficient balance to pay fees' });
});
