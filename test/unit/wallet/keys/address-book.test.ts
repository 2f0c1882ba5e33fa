import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Destination, scriptOf } from '../../../../src/script/address.js';
import { toHex } from '../../../../src/util/bytes.js';
import { Slicer } from '../../../../src/util/slicer.js';
import { AddressBook } from '../../../../src/wallet/keys/address-book.js';
import type { WalletStore } from '../../../../src/wallet/store/store.js';

const hash = (...bytes: readonly number[]): Uint8Array => Uint8Array.from({ length: 20 }, (_, i) => bytes[i] ?? 0);
const pkh = (n: number): Destination => ({ type: 'pkh', hash: hash(n) });

/** A store in memory, with its rows by table and script in hex. */
class Rows {
  readonly tables = new Map<string, Map<string, readonly [Uint8Array, unknown]>>();

  rows({ name }: { readonly name: string }): Iterable<readonly [Uint8Array, unknown]> {
    return this.tables.get(name)?.values() ?? [];
  }

  put({ name }: { readonly name: string }, key: Uint8Array, value: unknown): void {
    const table = this.tables.get(name) ?? new Map();
    this.tables.set(name, table.set(toHex(key), [key, value]));
  }

  book(): AddressBook {
    return new AddressBook(this as unknown as WalletStore);
  }
}

test('labels and purposes are stored; an empty purpose keeps the present one, which is unknown at first', () => {
  const store = new Rows();
  const book = store.book();
  book.set(pkh(1), 'shop', 'receive');
  book.set(pkh(1), 'bar');
  book.set(pkh(2), 'friend');
  book.set(pkh(3), 'friend', 'send');
  book.set(pkh(3), 'friend', 'receive');
  for (const each of [book, store.book()]) {
    const facts = [1, 2, 3, 4].map((n) => each.get(pkh(n))).map((entry) => entry && [entry.label, entry.purpose]);
    assert.deepEqual(facts, [['bar', 'receive'], ['friend', 'unknown'], ['friend', 'receive'], undefined]);
  }
});

test('a used destination stays used, and gets an entry without label unless it has one', () => {
  const store = new Rows();
  const book = store.book();
  book.set(pkh(1), 'shop', 'receive');
  assert.deepEqual([book.hasUsed, book.isUsed(pkh(1))], [false, false]);
  book.markUsed(pkh(1));
  book.markUsed(pkh(2));
  book.markUsed(pkh(2));
  for (const each of [book, store.book()]) {
    assert.deepEqual([each.hasUsed, each.isUsed(pkh(1)), each.isUsed(pkh(2)), each.isUsed(pkh(3))], [true, true, true, false]);
    const facts = [1, 2].map((n) => each.get(pkh(n))).map((entry) => entry && [entry.label, entry.purpose]);
    assert.deepEqual(facts, [
      ['shop', 'receive'],
      ['', 'unknown'],
    ]);
  }
  const one = new Rows();
  one.book().markUsed(pkh(5));
  assert.equal(one.book().hasUsed, true);
});

test('a used EVM address stays used when the wallet is loaded again', () => {
  const store = new Rows();
  const used: Destination = { type: 'evm', hash: hash(7) };
  store.book().markUsed(used);
  const again = store.book();
  assert.equal(again.isUsed(used), true);
  assert.deepEqual(again.evmAddresses().map(toHex), [toHex(hash(7))]);
});

test('entries are in the order of types, then of hashes as bytes, reversed for EVM addresses', async () => {
  const store = new Rows();
  const book = store.book();
  const program = Uint8Array.of(1, 2);
  const ordered: Destination[] = [
    pkh(1),
    pkh(2),
    { type: 'sh', hash: hash(0) },
    { type: 'wsh', hash: new Uint8Array(32) },
    { type: 'wpkh', hash: hash(0) },
    { type: 'wunknown', version: 1, program },
    { type: 'wunknown', version: 2, program },
    { type: 'evm', hash: hash(9) },
    { type: 'evm', hash: hash(1, 1) },
  ];
  for (const destination of [5, 2, 8, 0, 3, 6, 1, 7, 4].map((at) => ordered[at] as Destination)) book.set(destination, '');
  const texts = (list: readonly Destination[]) => list.map((destination) => toHex(scriptOf(destination)));
  const found = await book.inOrder(new Slicer());
  assert.deepEqual(texts(found.map(({ destination }) => destination)), texts(ordered));
  assert.deepEqual(book.evmAddresses().map(toHex), [hash(9), hash(1, 1)].map(toHex));
  assert.deepEqual(store.book().evmAddresses().map(toHex), [hash(9), hash(1, 1)].map(toHex));
});
