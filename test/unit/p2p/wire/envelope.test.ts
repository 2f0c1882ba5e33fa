import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeFrame, type Frame, FrameParser } from '../../../../src/p2p/wire/envelope.js';
import { concatBytes, toHex } from '../../../../src/util/bytes.js';
import { fc } from '../../../property.js';
import { hex, params } from '../fixture.js';

const magic = params.p2pMagic;
/** A ping as sent by the Python peer of defid's functional tests. */
const PING = 'fabfb5da70696e670000000000000000080000003b5a75130807060504030201';

function parse(pieces: readonly Uint8Array[], known: (command: string) => boolean = () => true): Frame[] {
  const parser = new FrameParser(magic, known);
  const frames: Frame[] = [];
  for (const piece of pieces) parser.push(piece, (frame) => frames.push(frame));
  return frames;
}

test('golden frame, both directions', () => {
  assert.equal(toHex(encodeFrame(magic, 'ping', hex('0807060504030201'))), PING);
  const [frame] = parse([hex(PING)]);
  assert.ok(frame?.kind === 'message');
  assert.deepEqual([frame.command, toHex(frame.payload), frame.size], ['ping', '0807060504030201', 32]);
});

test('an empty payload', () => {
  assert.equal(toHex(encodeFrame(magic, 'verack', new Uint8Array(0))).slice(-8), '5df6e0e2');
  assert.deepEqual(
    parse([encodeFrame(magic, 'verack', new Uint8Array(0))]).map(({ kind }) => kind),
    ['message'],
  );
});

test('kinds of invalid frames, and frames after them', () => {
  const good = hex(PING);
  const edited = (at: number, value: number) => {
    const bytes = hex(PING);
    bytes[at] = value;
    return bytes;
  };
  const kinds = (bytes: Uint8Array) => parse([bytes, good]).map(({ kind }) => kind);
  assert.deepEqual(kinds(edited(20, 0)), ['bad-checksum', 'message']);
  assert.deepEqual(kinds(edited(10, 0x41)), ['bad-command', 'message'], 'letters after the end of the name');
  assert.deepEqual(kinds(edited(4, 0xff)), ['bad-command', 'message'], 'not printable');
  assert.deepEqual(kinds(edited(0, 0)), ['bad-magic']);
  assert.deepEqual(kinds(edited(19, 0x04)), ['oversized']);
  const [bad] = parse([edited(20, 0)]);
  assert.ok(bad?.kind === 'bad-checksum');
  assert.deepEqual([bad.found, bad.claimed], ['3b5a7513', '005a7513']);
});

test('the size limit, on both sides', () => {
  const announced = (length: number) => {
    const bytes = Buffer.from(encodeFrame(magic, 'block', new Uint8Array(0)));
    bytes.writeUInt32LE(length, 16);
    return bytes;
  };
  assert.deepEqual(parse([announced(64_000_000)]), []);
  assert.deepEqual(
    parse([announced(64_000_001)]).map(({ kind }) => kind),
    ['oversized'],
  );
});

test('an announced length allocates no memory, and unknown payloads are not buffered', () => {
  const header = Buffer.from(encodeFrame(magic, 'block', new Uint8Array(0)));
  header.writeUInt32LE(64_000_000, 16);
  const parser = new FrameParser(magic, () => true);
  parser.push(header, () => {});
  assert.equal(parser.pendingBytes, 65_536);
  const unknown = new FrameParser(magic, () => false);
  unknown.push(header, () => {});
  unknown.push(new Uint8Array(1_000_000), () => {});
  assert.equal(unknown.pendingBytes, 0);
  assert.deepEqual(
    parse([encodeFrame(magic, 'other', new Uint8Array(100))], () => false),
    [{ kind: 'unknown', command: 'other', size: 124 }],
  );
});

test('many small pieces cost no more than their bytes', () => {
  const frame = encodeFrame(magic, 'block', new Uint8Array(2_000_000));
  const start = performance.now();
  const pieces = Array.from({ length: Math.ceil(frame.length / 10) }, (_, i) => frame.subarray(10 * i, 10 * i + 10));
  assert.equal(parse(pieces).length, 1);
  // Quadratic copying would move 200 GB.
  assert.ok(performance.now() - start < 5000);
});

test('property: the messages do not depend on how the stream is cut', () => {
  const message = fc.tuple(fc.constantFrom('inv', 'tx', 'verack', 'twelveletter'), fc.uint8Array({ maxLength: 300 }));
  fc.assert(
    fc.property(fc.array(message, { maxLength: 6 }), fc.array(fc.nat(2000), { maxLength: 12 }), (messages, cuts) => {
      const stream = concatBytes(...messages.map(([command, payload]) => encodeFrame(magic, command, payload)));
      const at = [0, ...cuts.map((cut) => cut % (stream.length + 1)).sort((a, b) => a - b), stream.length];
      const frames = parse(at.slice(1).map((end, i) => stream.subarray(at[i], end)));
      assert.deepEqual(
        frames.map((frame) => frame.kind === 'message' && [frame.command, toHex(frame.payload)]),
        messages.map(([command, payload]) => [command, toHex(payload)]),
      );
    }),
  );
});

test('property: no bytes make the parser throw', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 100 }), { maxLength: 5 }), fc.boolean(), (pieces, withMagic) => {
      parse(withMagic ? [magic, ...pieces] : pieces);
    }),
    { numRuns: 2000 },
  );
});
