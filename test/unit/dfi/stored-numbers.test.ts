import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ATTRIBUTES_BEFORE_METACHAIN } from '../../../src/dfi/attributes/eras.js';
import { DIRECTIONS } from '../../../src/dfi/attributes/parsers.js';
import { type AttributeKind, type AttributeValue, attributeValue, FORMATS } from '../../../src/dfi/attributes/value.js';
import type { BlockEvent } from '../../../src/dfi/context/block-event.js';
import { blockEvents, openingEvents, splitEvents } from '../../../src/dfi/execution/events.js';
import { CONTRACT } from '../../../src/dfi/kernel/contract-addresses.js';
import { earlyTokenSplits, lateTokenSplits } from '../../../src/dfi/splits/event.js';
import { decode, encode } from '../../../src/primitives/codec.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';

// Stored and hashed bytes depend on every number and every order below: a change of one is a hard fork.

const zeros = '00'.repeat(32);
const fees = `${zeros}`.slice(0, 48);

/** Stored bytes of an empty value of every type. */
const KINDS: { readonly [Kind in AttributeKind]: string } = {
  bool: '00000000 00',
  amount: '01000000 0000000000000000',
  balances: '02000000 00',
  payback: '03000000 00 00',
  pair: '04000000 00 00',
  splits: '05000000 00',
  descendant: '06000000 00000000 00000000',
  ascendant: '07000000 00000000 00',
  direction: '08000000 00',
  dex: '09000000 00',
  scripts: '0a000000 00',
  texts: '0b000000 00',
  consortiumMembers: '0c000000 00',
  consortiumMemberTotals: '0d000000 00',
  consortiumTotals: '0e000000 00',
  i32: '0f000000 00000000',
  u32: '10000000 00000000',
  u64: '11000000 0000000000000000',
  formats: '12000000 00',
  transfers: '13000000 0000000000000000',
  evm: `14000000 ${fees}${zeros}${zeros} ${fees}${zeros}${zeros}`,
  fractions: '15000000 00',
};

for (const [kind, spaced] of Object.entries(KINDS)) {
  test(`the attribute value type ${kind} keeps its number`, () => {
    const bytes = fromHex(spaced.replaceAll(' ', ''));
    const value: AttributeValue = decode(attributeValue, bytes);
    assert.equal(value.kind, kind);
    assert.equal(toHex(encode(attributeValue, value)), toHex(bytes));
  });
}

test('a number after the last type of value is rejected', () => {
  assert.throws(() => decode(attributeValue, fromHex('1600000000')), /unknown form/);
});

test('directions of fees and formats of addresses keep their numbers', () => {
  assert.deepEqual(Object.fromEntries(DIRECTIONS), { both: 0, in: 1, out: 2 });
  assert.deepEqual(Object.fromEntries(FORMATS), { bech32: 1, 'bech32-erc55': 2, p2pkh: 3, 'p2pkh-erc55': 4, erc55: 5 });
});

test('contract accounts are witness programs of fixed numbers', () => {
  const numbers = Object.entries(CONTRACT).map(([name, script]) => [name, toHex(script)]);
  assert.deepEqual(Object.fromEntries(numbers), {
    dfip2201: `0014${'00'.repeat(19)}00`,
    dfip2203: `0014${'00'.repeat(19)}01`,
    dfip2206f: `0014${'00'.repeat(19)}02`,
    tokenLock: `0014${'00'.repeat(19)}03`,
  });
});

test('attributes of Metachain or a later upgrade are unknown before it', () => {
  const gates = ATTRIBUTES_BEFORE_METACHAIN.flatMap(({ groups, any }) => [...(groups ?? []), ...(any ? [any] : [])])
    .flatMap(({ keys, numbered }) => [...(keys?.values() ?? []), ...(numbered ? [numbered] : [])])
    .flatMap((row) => row.gates.map(({ upgrade }) => upgrade));
  assert.deepEqual([...new Set(gates)].sort(), [
    'fortCanningCrunch',
    'fortCanningEpilogue',
    'fortCanningHill',
    'fortCanningRoad',
    'fortCanningSpring',
    'grandCentral',
    'grandCentralEpilogue',
  ]);
});

test('the events of a block run in a fixed order', () => {
  const names = (events: readonly BlockEvent[]) => events.map(({ name }) => name);
  assert.deepEqual(names(openingEvents), ['interest migration']);
  assert.deepEqual(names(splitEvents), ['token restart', 'token splits']);
  assert.deepEqual(names(blockEvents), [
    'daily rewards',
    'pool rewards',
    'ICX expiry',
    'token flags before Bayfront',
    'Eunos burn',
    'oracle prices',
    'loan schemes',
    'auctions',
    'futures',
    'governance by height',
    'loan tokens to attributes',
    'token splits',
    'DUSD futures',
    'negative interest',
    'community funds',
    'proposals',
    'masternode updates',
    'foundation members to attributes',
    'refunds of null pool swaps',
  ]);
  // Two events share a name: each belongs to its own list.
  assert.ok(splitEvents.includes(earlyTokenSplits));
  assert.ok(blockEvents.includes(lateTokenSplits));
});
