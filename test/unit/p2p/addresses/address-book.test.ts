import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressBook } from '../../../../src/p2p/addresses/address-book.js';
import { parseEndpoint, parseIp } from '../../../../src/p2p/addresses/ip.js';
import { restoreAddresses } from '../../../../src/p2p/net/state-files.js';
import type { Endpoint, TimedAddress } from '../../../../src/p2p/wire/net-address.js';

const NOW = 1_700_000_000;
const HOUR = 3600;

interface Fixture {
  readonly book: AddressBook;
  now: number;
}

/** An address book with deterministic random numbers. */
function open(key = 7): Fixture {
  let state = 12345;
  const random = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
  const fixture: Fixture = { now: NOW, book: new AddressBook({ key: new Uint8Array(32).fill(key), now: () => fixture.now, random }) };
  return fixture;
}

function at(text: string): Endpoint {
  const endpoint = parseEndpoint(text, 8555);
  assert.ok(endpoint);
  return endpoint;
}

const timedAddress = (text: string, time = NOW - HOUR): TimedAddress => ({ ...at(text), services: 9n, time });
const source = parseIp('9.9.9.9') as Uint8Array;

test('private, local and portless addresses are not stored', () => {
  const { book } = open();
  const bad = ['10.0.0.1', '127.0.0.1', '192.168.1.1', '0.0.0.0', '255.255.255.255', '[::1]', '[fe80::1]', '[2001:db8::1]', '169.254.1.1'];
  assert.equal(book.add([...bad.map((text) => timedAddress(text)), { ...timedAddress('8.8.8.8'), port: 0 }], source), 0);
  assert.equal(book.add([timedAddress('8.8.8.8'), timedAddress('[2a00:1450::1]')], source), 2);
});

test('addresses announced by other nodes are dated back, those of the source itself are not', () => {
  const { book } = open();
  book.add([timedAddress('8.8.8.8', NOW)], source, 2 * HOUR);
  assert.equal(book.find(at('8.8.8.8'))?.time, NOW - 2 * HOUR);
  book.add([timedAddress('9.9.9.9', NOW)], source, 2 * HOUR);
  assert.equal(book.find(at('9.9.9.9'))?.time, NOW);
});

test('one source in one network fills one bucket of 64 places', () => {
  const { book } = open();
  const many = Array.from({ length: 2000 }, (_, i) => timedAddress(`50.60.${i >> 8}.${i & 255}`));
  book.add(many, source);
  assert.ok(book.size <= 64, `${book.size}`);
  const elsewhere = open().book;
  elsewhere.add(
    Array.from({ length: 2000 }, (_, i) => timedAddress(`${(i % 200) + 11}.${(i >> 3) & 255}.1.${i & 255}`)),
    source,
  );
  assert.ok(elsewhere.size > 1000, `${elsewhere.size}`);
});

test('a tried address is selected again', () => {
  const { book } = open();
  book.add([timedAddress('8.8.8.8')], source);
  assert.equal(book.select(true)?.lastSuccess, 0);
  book.markAttempt(at('8.8.8.8'), true);
  book.markGood(at('8.8.8.8'), 0x409n);
  assert.equal(book.select(true), undefined);
  const found = book.select(false);
  assert.equal(found?.lastSuccess, NOW);
  assert.equal(found?.services, 0x409n);
  assert.equal(book.size, 1);
});

test('addresses with repeated failures are not announced', () => {
  const fixture = open();
  const { book } = fixture;
  const names = Array.from({ length: 20 }, (_, i) => `${60 + i}.1.1.1`);
  book.add(
    names.map((name) => timedAddress(name)),
    source,
  );
  assert.equal(book.sample().length, 4, '23 % of 20');
  for (let i = 0; i < 3; i++) {
    fixture.now += HOUR;
    // A success with another address shows that our own network works.
    book.markGood(at('1.1.1.1'), 9n);
    fixture.now += 1;
    for (const name of names) book.markAttempt(at(name), true);
  }
  fixture.now += 120;
  assert.equal(book.sample().length, 0);
});

test('failures while nothing succeeds count once', () => {
  const fixture = open();
  const { book } = fixture;
  book.add([timedAddress('8.8.8.8')], source);
  for (let i = 0; i < 5; i++) {
    fixture.now += HOUR;
    book.markAttempt(at('8.8.8.8'), true);
  }
  assert.equal(book.find(at('8.8.8.8'))?.attempts, 1);
});

test('an address is terrible after a month without announcement', () => {
  const fixture = open();
  fixture.book.add(
    Array.from({ length: 10 }, (_, i) => timedAddress(`${60 + i}.1.1.1`, NOW - 10)),
    source,
  );
  fixture.now = NOW - 10 + 30 * 24 * HOUR;
  assert.equal(fixture.book.sample().length, 2);
  fixture.now += 1;
  assert.equal(fixture.book.sample().length, 0);
});

test('services of a node replace those that others announced', () => {
  const { book } = open();
  book.add([timedAddress('8.8.8.8')], source);
  book.setServices({ ...at('8.8.8.8'), port: 1 }, 0n);
  assert.equal(book.find(at('8.8.8.8'))?.services, 9n, 'another port');
  book.setServices(at('8.8.8.8'), 0n);
  assert.equal(book.find(at('8.8.8.8'))?.services, 0n);
});

test('of one IP address there is one entry, whatever ports are announced', () => {
  const { book } = open();
  assert.equal(book.add([timedAddress('8.8.8.8:1', NOW - 9 * HOUR), timedAddress('8.8.8.8:2')], source), 1);
  assert.equal(book.find(at('8.8.8.8:2')), undefined);
  assert.equal(book.find(at('8.8.8.8:1'))?.time, NOW - HOUR, 'the other port counts as news of the address');
  book.markGood(at('8.8.8.8:2'), 0x409n);
  assert.equal(book.find(at('8.8.8.8:1'))?.tried, false);
  const again = open().book;
  restoreAddresses(
    again,
    [1, 2].map((port) => ['8.8.8.8', port, '9', '9.9.9.9', NOW, 0, 0, 0, false]),
  );
  assert.equal(again.size, 1);
});

test('an address whose time is updated by its own node gets no further place', () => {
  const { book } = open();
  book.add([timedAddress('8.8.8.8', NOW - 5 * HOUR)], source, 2 * HOUR);
  for (let i = 1; i <= 20; i++) book.add([timedAddress('8.8.8.8', NOW + i * 2 * HOUR)], parseIp('8.8.8.8') as Uint8Array, 2 * HOUR);
  assert.equal(book.find(at('8.8.8.8'))?.places, 1);
});

test('the holder of a place has a minute to answer, however long the other address waits', () => {
  const fixture = open();
  const { book } = fixture;
  for (let i = 0; i < 4000 && !book.triedCollision(); i++) {
    const each = timedAddress(`70.80.${i >> 8}.${i & 255}`);
    book.add([each], parseIp(`${20 + (i % 150)}.${i % 250}.1.1`) as Uint8Array);
    book.markGood(each, 9n);
  }
  const holder = book.triedCollision() ?? assert.fail();
  fixture.now += 5 * HOUR;
  book.markAttempt(holder, false);
  book.resolveCollisions();
  assert.ok(holder.tried);
  fixture.now += 61;
  book.resolveCollisions();
  assert.ok(!holder.tried);
  const successor = [...book.entries()].find(({ lastSuccess }) => lastSuccess === fixture.now) ?? assert.fail();
  assert.deepEqual([successor.tried, successor.lastTry], [true, fixture.now], 'the change of the place counts as a success');
});

test('a good address gets an occupied place only after the holder has failed', () => {
  const fixture = open();
  const { book } = fixture;
  // Enough addresses of one group that two collide in the table of tried addresses.
  const many = Array.from({ length: 4000 }, (_, i) => timedAddress(`70.80.${i >> 8}.${i & 255}`));
  for (const [i, each] of many.entries()) {
    book.add([each], parseIp(`${20 + (i % 150)}.${i % 250}.1.1`) as Uint8Array);
    book.markGood(each, 9n);
    if (book.triedCollision()) break;
  }
  const holder = book.triedCollision();
  assert.ok(holder?.tried);
  book.resolveCollisions();
  assert.ok(holder.tried, 'it answered lately');
  assert.equal(book.triedCollision(), undefined, 'the collision is resolved');
});

test('stored rows are restored, malformed ones are skipped', () => {
  const first = open().book;
  first.add([timedAddress('8.8.8.8'), timedAddress('[2a00:1450::1]:99')], source);
  first.markGood(at('8.8.8.8'), 0x409n);
  const rows = [...first.entries()].map((e) => {
    const sourceText = '9.9.9.9';
    const text = e.port === 99 ? '2a00:1450::1' : '8.8.8.8';
    return [text, e.port, e.services.toString(16), sourceText, e.time, e.lastTry, e.lastSuccess, e.attempts, e.tried];
  });
  const second = open().book;
  restoreAddresses(second, [null, [], ['x'], ['8.8.8.8', -1, '9', '9.9.9.9', 1, 1, 1, 1, true], ...rows, ...rows]);
  assert.equal(second.size, 2);
  assert.equal(second.find(at('8.8.8.8'))?.tried, true);
  assert.deepEqual(
    [first, second].map((book) => book.find(at('8.8.8.8'))?.lastTry),
    [NOW, 0],
  );
  assert.equal(second.find(at('[2a00:1450::1]:99'))?.tried, false);
});
