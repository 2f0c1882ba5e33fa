import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { LibraryFrames } from '../../../src/grpc/plain/library-frames.js';
import type { SendWindow } from '../../../src/grpc/plain/send-window.js';

/** A frame with a payload in hex; types and flags are the numbers of RFC 9113. */
function frame(type: number, flags: number, stream: number, payload: string): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length / 2, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, Buffer.from(payload, 'hex')]);
}

const [DATA, HEADERS, GOAWAY, CONTINUATION] = [0, 1, 7, 9];
const END_HEADERS = 4;

/** Frames of the library on their way to a client whose window has this number of bytes. */
function passing({ window = 1_000, lastAnswered = 0 } = {}) {
  const state = { left: window, isReading: true };
  const sent: Buffer[] = [];
  const library = Object.assign(new EventEmitter(), {
    pause: () => {
      state.isReading = false;
    },
    resume: () => {
      state.isReading = true;
    },
  });
  const client = { writableNeedDrain: false, write: (bytes: Buffer) => sent.push(Buffer.from(bytes)) };
  const takeLibrary = (bytes: number) => {
    if (bytes > state.left) return false;
    state.left -= bytes;
    return true;
  };
  const frames = new LibraryFrames(
    library as unknown as Socket,
    client as unknown as Socket,
    { takeLibrary } as SendWindow,
    () => lastAnswered,
  );
  const send = (...parts: Buffer[]) => {
    for (const part of parts) library.emit('data', part);
  };
  const taken = () => Buffer.concat(sent.splice(0)).toString('hex');
  return { state, client, frames, send, taken };
}

const hex = (...frames: Buffer[]) => Buffer.concat(frames).toString('hex');

test('frames of the library are passed on as soon as they are whole', () => {
  const { send, taken } = passing();
  const [first, second] = [frame(DATA, 0, 1, 'aabb'), frame(DATA, 1, 1, 'cc')];
  const bytes = Buffer.concat([first, second]);
  send(bytes.subarray(0, first.length - 1));
  assert.equal(taken(), '');
  send(bytes.subarray(first.length - 1, first.length + 8));
  assert.equal(taken(), hex(first));
  send(bytes.subarray(first.length + 8));
  assert.equal(taken(), hex(second));
});

test('a header block is passed on with all its continuations', () => {
  const { send, taken } = passing();
  const block = [frame(HEADERS, 0, 3, 'aa'), frame(CONTINUATION, 0, 3, 'bb'), frame(CONTINUATION, END_HEADERS, 3, 'cc')];
  const before = frame(DATA, 0, 1, 'dd');
  send(before, ...block.slice(0, 2));
  assert.equal(taken(), hex(before));
  send(block[2] as Buffer);
  assert.equal(taken(), hex(...block));
  const alone = frame(HEADERS, END_HEADERS, 5, 'ee');
  send(alone);
  assert.equal(taken(), hex(alone));
});

test('data wait for room in the window of the connection, and frames after them too', () => {
  const { state, frames, send, taken } = passing({ window: 3 });
  const [first, large, last] = [frame(DATA, 0, 1, 'aabb'), frame(DATA, 0, 1, 'ccdd'), frame(HEADERS, END_HEADERS, 1, 'ee')];
  send(Buffer.concat([first, large, last]));
  assert.deepEqual([taken(), state], [hex(first), { left: 1, isReading: false }]);
  frames.resume();
  assert.deepEqual([taken(), state], ['', { left: 1, isReading: false }]);
  state.left = 2;
  frames.resume();
  assert.deepEqual([taken(), state], [hex(large, last), { left: 0, isReading: true }]);
});

test('the library is not read while the client has not received what was sent', () => {
  const { state, client, frames, send, taken } = passing();
  client.writableNeedDrain = true;
  send(frame(DATA, 0, 1, 'aa'));
  assert.deepEqual([taken(), state.isReading], [hex(frame(DATA, 0, 1, 'aa')), false]);
  client.writableNeedDrain = false;
  frames.resume();
  assert.deepEqual([taken(), state.isReading], ['', true]);
});

test('GOAWAY names the last stream that was answered, with or without the library', () => {
  const goaway = (last: string) => frame(GOAWAY, 0, 0, `${last}00000000`);
  for (const [named, answered, expected] of [
    ['00000005', 9, '00000009'],
    ['00000005', 5, '00000005'],
    ['00000007', 5, '00000007'],
  ] as const) {
    const { send, taken } = passing({ lastAnswered: answered });
    send(goaway(named));
    assert.equal(taken(), hex(goaway(expected)));
  }
});
