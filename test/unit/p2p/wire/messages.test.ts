import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anchorAuthHash } from '../../../../src/anchors/auth-message.js';
import { anchorConfirmHash } from '../../../../src/anchors/confirm-message.js';
import { parseIp } from '../../../../src/p2p/addresses/ip.js';
import { decodeTransactions } from '../../../../src/p2p/wire/blocktxn.js';
import { LimitExceeded } from '../../../../src/p2p/wire/limits.js';
import type { Command, Payloads, WireMessage } from '../../../../src/p2p/wire/messages.js';
import { withoutWitness } from '../../../../src/p2p/wire/tx.js';
import { ByteReader, type Codec, DecodeError, decode, encode } from '../../../../src/primitives/codec.js';
import { formatHash } from '../../../../src/primitives/hash.js';
import { toHex } from '../../../../src/util/bytes.js';
import { finish } from '../../../../src/util/slicer.js';
import { fc } from '../../../property.js';
import { codecs, hash, hex, params } from '../fixture.js';

const HEADER =
  '000000200606060606060606060606060606060606060606060606060606060606060606070707070707070707070707070707070707070707070707070707070707070702105e5fffff7f20080808080808080808080808080808080808080808080808080808080808080800000000000000000000000000000000411111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111';
/** One input with a witness, one output. */
const TX =
  '020000000001010505050505050505050505050505050505050505050505050505050505050505010000000151feffffff01a086010000000000016a0102010207000000';

/** As encoded by the Python peer of defid's functional tests. */
const golden: { readonly [C in Command]?: string } = {
  version:
    '94110100090400000000000000105e5f00000000090000000000000000000000000000000000ffff01020304216b090400000000000000000000000000000000ffff0000000000008877665544332211112f44654669436861696e3a332e322e382fffffffff01',
  addr: '0101105e5f090000000000000000000000000000000000ffff7b040506487b',
  inv: '03010000000101010101010101010101010101010101010101010101010101010101010101020000400202020202020202020202020202020202020202020202020202020202020202050000000303030303030303030303030303030303030303030303030303030303030303',
  getheaders:
    '9411010002010101010101010101010101010101010101010101010101010101010101010102020202020202020202020202020202020202020202020202020202020202020909090909090909090909090909090909090909090909090909090909090909',
  headers: `01${HEADER}00`,
  tx: `${TX}`,
  ping: '0807060504030201',
  feefilter: '8813000000000000',
  sendcmpct: '010200000000000000',
  cmpctblock: `${HEADER}990000000000000002060504030201ffffffffffff0200${TX}02${TX}`,
  getblocktxn: '0404040404040404040404040404040404040404040404040404040404040404030002fd2801',
  blocktxn: `040404040404040404040404040404040404040404040404040404040404040401${TX}`,
  reject: '02747810086261642d74786e730707070707070707070707070707070707070707070707070707070707070707',
};

function read<C extends Command>(command: C, bytes: Uint8Array): Payloads[C] {
  return decode(codecs[command] as unknown as Codec<Payloads[C]>, bytes);
}

function goldenBytes(command: Command): Uint8Array {
  const text = golden[command];
  assert.ok(text);
  return hex(text);
}

test('golden: every message decodes and encodes to the same bytes', () => {
  for (const command of Object.keys(golden) as Command[]) {
    const value = read(command, goldenBytes(command));
    assert.equal(toHex(encode(codecs[command] as Codec<unknown>, value)), golden[command], command);
  }
});

test('golden: decoded messages', () => {
  const version = read('version', goldenBytes('version'));
  assert.deepEqual(
    { ...version, receiver: version.receiver.port, sender: version.sender.services },
    {
      version: 70036,
      services: 0x409n,
      time: 1_600_000_000n,
      receiver: 8555,
      sender: 0x409n,
      nonce: 0x1122334455667788n,
      userAgent: '/DeFiChain:3.2.8/',
      startHeight: -1,
      relay: true,
    },
  );
  assert.deepEqual(version.receiver.ip, parseIp('1.2.3.4'));
  const [address] = read('addr', goldenBytes('addr'));
  assert.deepEqual(address && { ...address, ip: toHex(address.ip) }, {
    time: 1_600_000_001,
    services: 9n,
    ip: '00000000000000000000ffff7b040506',
    port: 18555,
  });
  assert.deepEqual(
    read('inv', goldenBytes('inv')).map(({ type, hash: [first] }) => [type, first]),
    [
      [1, 1],
      [0x40000002, 2],
      [5, 3],
    ],
  );
  const request = read('getheaders', goldenBytes('getheaders'));
  assert.deepEqual([request.version, request.locator.length, request.stop[0]], [70036, 2, 9]);
  const [header] = read('headers', goldenBytes('headers'));
  assert.deepEqual([header?.version, header?.time, header?.bits, header?.signature.length], [0x20000000, 1_600_000_002, 0x207fffff, 65]);
  assert.deepEqual(read('ping', goldenBytes('ping')), { nonce: 0x0102030405060708n });
  assert.deepEqual(read('feefilter', goldenBytes('feefilter')), { feeRate: 5000n });
  assert.deepEqual(read('sendcmpct', goldenBytes('sendcmpct')), { announce: true, version: 2n });
  assert.deepEqual(read('getblocktxn', goldenBytes('getblocktxn')).indexes, [0, 3, 300]);
  const compact = read('cmpctblock', goldenBytes('cmpctblock'));
  assert.deepEqual([compact.nonce, compact.shortIds], [0x99n, [0x010203040506n, 0xffffffffffffn]]);
  assert.deepEqual(
    compact.prefilled.map(({ index }) => index),
    [0, 3],
  );
  const [transaction] = finish(decodeTransactions(read('blocktxn', goldenBytes('blocktxn')).raw, params.txFormat));
  assert.equal(transaction?.lockTime, 7);
  const { message, code, reason, data } = read('reject', goldenBytes('reject'));
  assert.deepEqual([message, code, reason, data.length], ['tx', 16, 'bad-txns', 32]);
});

test('block: only the header is decoded', () => {
  const raw = hex(`${HEADER}ff00ff`);
  const block = read('block', raw);
  assert.equal(block.header.time, 1_600_000_002);
  assert.deepEqual(block.raw, raw);
  assert.equal(toHex(encode(codecs.block, block)), toHex(raw));
  const genesis = read('block', encode(codecs.block, { header: params.genesis.header, hash: params.genesis.hash, raw: hex(HEADER) }));
  assert.equal(genesis.header.version, 0x20000000);
});

test('tx: without witness data', () => {
  const tx = read('tx', hex(TX));
  const stripped = withoutWitness(tx, params.txFormat);
  assert.equal(formatHash(stripped.txid), formatHash(tx.txid));
  assert.equal(stripped.raw.length, tx.strippedSize);
  assert.equal(toHex(stripped.raw), `02000000${'01'}${'05'.repeat(32)}010000000151feffffff01a086010000000000016a07000000`);
});

test('version: later fields may be missing, and user agents are sanitised', () => {
  const full = goldenBytes('version');
  const short = codecs.version.read(new ByteReader(full.subarray(0, 46)));
  assert.deepEqual([short.userAgent, short.nonce, short.relay], ['', 0n, true]);
  const base = read('version', full);
  const named = read('version', encode(codecs.version, { ...base, userAgent: '/evil\n\u0007<b>"/' }));
  assert.equal(named.userAgent, '/evilb/');
  const long = (size: number) => encode(codecs.version, { ...base, userAgent: 'x'.repeat(size) });
  assert.equal(read('version', long(256)).userAgent.length, 256);
  assert.throws(() => read('version', long(257)), LimitExceeded);
});

test('pong: a nonce may be missing', () => {
  assert.deepEqual(read('pong', hex('0100000000000000')), { nonce: 1n });
  assert.deepEqual(codecs.pong.read(new ByteReader(new Uint8Array(0))), { nonce: undefined });
});

const b = (byte: number, size: number) => Buffer.alloc(size, byte).toString('hex');

test('anchor messages: layout and inventory hashes', () => {
  const auths = read('getauths', hex(b(1, 32) + b(2, 32)));
  assert.deepEqual([auths.lowBlock[0], auths.highBlock[0]], [1, 2]);
  const auth = read('anchorauth', hex(`${b(3, 32)}0a000000${b(4, 32)}02${b(9, 20)}${b(5, 20)}41${b(6, 65)}`));
  assert.deepEqual([auth.height, auth.signature.length], [10, 65]);
  assert.deepEqual(
    auth.nextTeam.map(([first]) => first),
    [5, 9],
    'ascending, however it came',
  );
  const sorted = `${b(3, 32)}0a000000${b(4, 32)}02${b(5, 20)}${b(9, 20)}41${b(6, 65)}`;
  assert.equal(toHex(encode(codecs.anchorauth, auth)), sorted);
  // Computed with Python's hashlib over the bytes above.
  assert.equal(toHex(anchorAuthHash(auth)), 'a0354178fe2d0a077486af45f073de6fa8b260d0de9dcf4a30c9e29c770f384e');
  const confText = `${b(7, 32)}0b0000000c000000${b(8, 20)}01${b(9, 32)}0d00000041${b(6, 65)}`;
  const confirm = read('anchorconf', hex(confText));
  assert.deepEqual([confirm.anchorHeight, confirm.previousAnchorHeight, confirm.rewardKeyType, confirm.btcTxHeight], [11, 12, 1, 13]);
  assert.equal(toHex(encode(codecs.anchorconf, confirm)), confText);
  assert.equal(toHex(anchorConfirmHash(confirm)), 'e17a8f75daedae8d6779c48d3c97eaa31ce54980df17f6b1461fccafaa40a3d9');
});

test('limits: one element above the limit is rejected before it is read', () => {
  const count = (n: number) => (n < 0xfd ? Uint8Array.of(n) : Uint8Array.of(0xfd, n & 0xff, n >> 8));
  const cases: readonly [Command, number, number, number][] = [
    ['addr', 1000, 0, 30],
    ['inv', 50_000, 0, 36],
    ['getdata', 50_000, 0, 36],
    ['notfound', 50_000, 0, 36],
    ['getblocks', 101, 4, 32],
    ['getheaders', 101, 4, 32],
    ['filteradd', 520, 0, 1],
    ['filterload', 36_000, 0, 1],
  ];
  for (const [command, most, before, size] of cases) {
    const bytes = (n: number) => Buffer.concat([new Uint8Array(before), count(n), new Uint8Array(n * size + 40)]);
    codecs[command].read(new ByteReader(bytes(most)));
    assert.throws(() => codecs[command].read(new ByteReader(bytes(most + 1))), LimitExceeded, command);
    const truncated = new ByteReader(bytes(most + 1).subarray(0, 20));
    assert.throws(() => codecs[command].read(truncated), { name: 'DecodeError' }, command);
  }
  const headers = (n: number) => Buffer.concat([count(n), ...Array.from({ length: n }, () => hex(`${HEADER}00`))]);
  assert.equal(codecs.headers.read(new ByteReader(headers(2000))).length, 2000);
  assert.throws(() => codecs.headers.read(new ByteReader(headers(2001))), LimitExceeded);
});

test('positions beyond 16 bits are rejected', () => {
  const request = (...distances: number[]) =>
    Buffer.concat([hash(1), Uint8Array.of(distances.length), ...distances.map((d) => Uint8Array.of(0xfd, d & 0xff, d >> 8))]);
  assert.deepEqual(read('getblocktxn', request(0x7fff, 0x7fff)).indexes, [0x7fff, 0xffff]);
  assert.throws(() => read('getblocktxn', request(0x8000, 0x7fff)), /indexes overflowed 16 bits/);
});

test('a transaction of very many parts is rejected before any is allocated', () => {
  const items = Buffer.alloc(1_100_000);
  const bytes = Buffer.concat([hex(TX).subarray(0, 60), Uint8Array.of(0xfe), u32(items.length), items, new Uint8Array(4)]);
  assert.throws(() => read('tx', bytes), /too many parts/);
});

function u32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

const commands = Object.keys(codecs) as Command[];

test('property: a transaction is read in slices as it is read at once', () => {
  const { readLong } = codecs.tx;
  assert.ok(readLong);
  const outcome = (work: () => unknown): unknown => {
    try {
      return work();
    } catch (error) {
      assert.ok(error instanceof DecodeError);
      return error.message;
    }
  };
  const compare = (bytes: Uint8Array) =>
    assert.deepEqual(
      outcome(() => finish(readLong(new ByteReader(bytes)))),
      outcome(() => codecs.tx.read(new ByteReader(bytes))),
    );
  const plain = `04000000${'01'}${'05'.repeat(36)}00feffffff01${'01'.repeat(8)}00${'8000'}00000000`;
  for (const text of [TX, plain, '0400000000000000000000', `020000000002${'00'.repeat(60)}`]) compare(hex(text));
  const many = hex(`01000000feffffff00${'00'.repeat(100)}`);
  compare(many);
  fc.assert(
    fc.property(fc.constantFrom(TX, plain), fc.nat(200), fc.nat(255), (text, at, byte) => {
      const bytes = hex(text);
      compare(at < bytes.length ? bytes.with(at, byte) : bytes.subarray(0, at % bytes.length));
    }),
  );
});

test('property: decoders of arbitrary bytes succeed or throw DecodeError', () => {
  fc.assert(
    fc.property(fc.constantFrom(...commands), fc.uint8Array({ maxLength: 400 }), (command, bytes) => {
      survives(command, bytes);
    }),
    { numRuns: 3000 },
  );
});

test('property: so do decoders of messages with a few bytes changed, cut or added', () => {
  const known = fc.constantFrom(...(Object.keys(golden) as Command[]));
  const changes = fc.array(fc.tuple(fc.nat(2000), fc.nat(255)), { maxLength: 4 });
  fc.assert(
    fc.property(known, changes, fc.nat(400), (command, edits, cut) => {
      const bytes = Buffer.from(goldenBytes(command));
      for (const [at, value] of edits) bytes[at % bytes.length] = value;
      survives(command, bytes.subarray(0, Math.max(0, bytes.length - (cut % 7 === 0 ? cut : 0))));
    }),
    { numRuns: 3000 },
  );
});

function survives(command: Command, bytes: Uint8Array): void {
  try {
    const payload = codecs[command].read(new ByteReader(bytes));
    encode(codecs[command] as Codec<unknown>, payload satisfies WireMessage['payload']);
  } catch (error) {
    assert.ok(error instanceof DecodeError, `${command}: ${String(error)}`);
  }
}
