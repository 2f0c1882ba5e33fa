import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { SlowBodies } from '../../../src/gateway/slow-bodies.js';

/** A connection whose request arrives as the test says. */
function receiving() {
  const socket = { bytesRead: 200, destroyed: false, destroy: () => void Object.assign(socket, { destroyed: true }) };
  const req = { socket, complete: false };
  return { socket, req: req as unknown as IncomingMessage, complete: () => void Object.assign(req, { complete: true }) };
}

/** Sweeps every five seconds for as long. @param bytesPerSec at which the body arrives @returns seconds until the connection ended */
function endsAfter(bytesPerSec: number, forSec: number): number | undefined {
  let nowMs = 0;
  const bodies = new SlowBodies(() => nowMs);
  const { socket, req } = receiving();
  bodies.begin(req);
  for (let sec = 0; sec <= forSec; sec += 5) {
    nowMs = sec * 1000;
    bodies.sweep();
    if (socket.destroyed) return sec;
    socket.bytesRead += bytesPerSec * 5;
  }
  return undefined;
}

const cases = [
  { name: 'a byte every five seconds', bytesPerSec: 0.2, expected: 35 },
  { name: '10 kB/s', bytesPerSec: 10_000, expected: 85 },
  { name: '16 kB/s', bytesPerSec: 16_000, expected: undefined },
];
for (const { name, bytesPerSec, expected } of cases) {
  test(`SlowBodies: ${name}`, () => assert.equal(endsAfter(bytesPerSec, 2000), expected));
}

test('SlowBodies: a complete request has no time limit for its answer', () => {
  let nowMs = 0;
  const bodies = new SlowBodies(() => nowMs);
  const { socket, req, complete } = receiving();
  bodies.begin(req);
  bodies.sweep();
  complete();
  nowMs = 1e9;
  bodies.sweep();
  assert.equal(socket.destroyed, false);
});

test('SlowBodies: each request of a connection has a time limit of its own', () => {
  let nowMs = 0;
  const bodies = new SlowBodies(() => nowMs);
  const { socket, req, complete } = receiving();
  bodies.begin(req);
  bodies.sweep();
  complete();
  nowMs = 60_000;
  bodies.begin({ socket, complete: false } as unknown as IncomingMessage);
  bodies.sweep();
  nowMs = 90_000;
  bodies.sweep();
  assert.equal(socket.destroyed, false);
  nowMs = 90_001;
  bodies.sweep();
  assert.equal(socket.destroyed, true);
});
