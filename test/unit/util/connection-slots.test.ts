import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionSlots } from '../../../src/util/connection-slots.js';

test('connection slots: limited in total and per address, and freed when a connection closes', () => {
  const slots = new ConnectionSlots(3, 2);
  const first = slots.take('10.0.0.1');
  assert.ok(first && slots.take('::ffff:10.0.0.1'));
  assert.equal(slots.take('10.0.0.1'), undefined);
  assert.ok(slots.take('2001:db8::1'));
  assert.equal(slots.take(undefined), undefined);
  first();
  assert.equal(slots.open, 2);
  assert.ok(slots.take('10.0.0.1'));
});

test('connection slots: addresses of one IPv6 customer count as one', () => {
  const slots = new ConnectionSlots(10, 1);
  assert.ok(slots.take('2001:db8::1'));
  assert.equal(slots.take('2001:db8::2:1'), undefined);
  assert.ok(slots.take('2001:db8:0:1::1'));
});
