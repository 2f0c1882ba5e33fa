import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Op } from '../../../src/script/opcodes.js';
import {
  buildScript,
  decodeScriptNumber,
  encodeScriptNumber,
  isPushOnly,
  isUnspendable,
  pushData,
  scriptNumber,
  scriptOps,
  witnessProgram,
} from '../../../src/script/script.js';
import { concatBytes, fromHex, toHex } from '../../../src/util/bytes.js';
import { fc } from '../../property.js';
import { vectorRows } from '../../vectors.js';
import { parseAsm } from './parse-asm.js';

const pushes = [
  { size: 0, prefix: '00' },
  { size: 1, prefix: '01' },
  { size: 75, prefix: '4b' },
  { size: 76, prefix: '4c4c' },
  { size: 255, prefix: '4cff' },
  { size: 256, prefix: '4d0001' },
  { size: 65_535, prefix: '4dffff' },
  { size: 65_536, prefix: '4e00000100' },
];
for (const { size, prefix } of pushes) {
  test(`a push of ${size} bytes has the shortest length that fits`, () => {
    const data = Buffer.alloc(size, 0xab);
    const script = pushData(data);
    assert.equal(toHex(script.subarray(0, prefix.length / 2)), prefix);
    const [op, ...more] = scriptOps(script);
    assert.equal(more.length, 0);
    assert.equal(op?.ok, true);
    assert.equal(toHex(op?.data ?? Uint8Array.of(1)), toHex(data));
  });
}

const numbers = [
  { value: 0, push: '00', bytes: '' },
  { value: -1, push: '4f', bytes: '81' },
  { value: 1, push: '51', bytes: '01' },
  { value: 16, push: '60', bytes: '10' },
  { value: 17, push: '0111', bytes: '11' },
  { value: 127, push: '017f', bytes: '7f' },
  { value: 128, push: '028000', bytes: '8000' },
  { value: -127, push: '01ff', bytes: 'ff' },
  { value: -128, push: '028080', bytes: '8080' },
  { value: 255, push: '02ff00', bytes: 'ff00' },
  { value: 256, push: '020001', bytes: '0001' },
  { value: 500_000, push: '0320a107', bytes: '20a107' },
  { value: 2_147_483_647, push: '04ffffff7f', bytes: 'ffffff7f' },
  { value: -2_147_483_648, push: '050000008080', bytes: '0000008080' },
];
for (const { value, push, bytes } of numbers) {
  test(`script number ${value}`, () => {
    assert.equal(toHex(scriptNumber(value)), push);
    assert.equal(toHex(encodeScriptNumber(value)), bytes);
    assert.equal(decodeScriptNumber(fromHex(bytes)), value);
  });
}

test('script numbers: padding is read, negative zero is zero', () => {
  assert.equal(decodeScriptNumber(fromHex('010000')), 1);
  assert.equal(decodeScriptNumber(fromHex('010080')), -1);
  assert.ok(Object.is(decodeScriptNumber(fromHex('80')), 0));
  assert.ok(Object.is(decodeScriptNumber(fromHex('000080')), 0));
  fc.assert(fc.property(fc.integer({ min: -(2 ** 39) + 1, max: 2 ** 39 - 1 }), (n) => decodeScriptNumber(encodeScriptNumber(n)) === n));
});

const truncated = ['01', '02aa', '4c', '4c02aa', '4d', '4d01', '4d0100', '4e010000', '4e01000000', '4effffffff'];
for (const hex of truncated) {
  test(`a truncated push ends the iteration: ${hex}`, () => {
    const steps = [...scriptOps(fromHex(`51${hex}`))];
    assert.deepEqual(
      steps.map(({ ok }) => ok),
      [true, false],
    );
    assert.equal(isPushOnly(fromHex(`51${hex}`)), false);
  });
}

test('any bytes can be iterated; the complete steps concatenated are the script', () => {
  const walk = (script: Uint8Array) => {
    let at = 0;
    for (const { opcode, data, ok, end } of scriptOps(script)) {
      if (ok) assert.equal(script[at], opcode);
      else assert.equal(end, script.length);
      if (data) assert.equal(toHex(script.subarray(end - data.length, end)), toHex(data));
      assert.ok(end > at);
      at = end;
    }
    assert.equal(at, script.length);
  };
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), walk), { numRuns: 500 });
  for (const row of vectorRows('script_tests.json')) {
    const [scriptSig, scriptPubKey] = (Array.isArray(row[0]) ? row.slice(1) : row) as readonly string[];
    walk(parseAsm(scriptSig ?? ''));
    walk(parseAsm(scriptPubKey ?? ''));
  }
});

test('pushes have the shortest length prefix, in little endian', () => {
  const prefix = (size: number) => {
    const push = pushData(new Uint8Array(size).fill(7));
    return toHex(push.subarray(0, push.length - size));
  };
  const rows: readonly (readonly [size: number, prefix: string])[] = [
    [0, '00'],
    [0x4b, '4b'],
    [0x4c, '4c4c'],
    [0xff, '4cff'],
    [0x100, '4d0001'],
    [0xffff, '4dffff'],
    [0x010000, '4e00000100'],
    [0x010203, '4e03020100'],
    [0x1000000, '4e00000001'],
  ];
  for (const [size, expected] of rows) assert.equal(prefix(size), expected, `${size} bytes`);
});

test('push only: every opcode up to OP_16 counts, the next does not', () => {
  assert.equal(isPushOnly(new Uint8Array(0)), true);
  assert.equal(isPushOnly(buildScript(Op.ZERO, Buffer.alloc(300), Op.ONE_NEGATE, Op.RESERVED, Op.SIXTEEN)), true);
  assert.equal(isPushOnly(buildScript(Op.NOP)), false);
});

test('unspendable: OP_RETURN first, or more than 10,000 bytes', () => {
  assert.equal(isUnspendable(fromHex('6a')), true);
  assert.equal(isUnspendable(fromHex('516a')), false);
  assert.equal(isUnspendable(new Uint8Array(0)), false);
  assert.equal(isUnspendable(new Uint8Array(10_000)), false);
  assert.equal(isUnspendable(new Uint8Array(10_001)), true);
});

const programs = [
  { hex: '0002aabb', version: 0 },
  { hex: `5128${'aa'.repeat(40)}`, version: 1 },
  { hex: `6014${'aa'.repeat(20)}`, version: 16 },
  { hex: '5001aa', version: undefined },
  { hex: '0001aa', version: undefined },
  { hex: `5129${'aa'.repeat(41)}`, version: undefined },
  { hex: '5002aabb', version: undefined },
  { hex: '4f02aabb', version: undefined },
  { hex: '6102aabb', version: undefined },
  { hex: '5102aabbcc', version: undefined },
  { hex: '514c02aabb', version: undefined },
  { hex: '', version: undefined },
];
for (const { hex, version } of programs) {
  test(`witness program of "${hex.slice(0, 16)}" has version ${version}`, () => {
    const program = witnessProgram(fromHex(hex));
    assert.equal(program?.version, version);
    if (program) assert.equal(toHex(concatBytes(program.program)), hex.slice(4));
  });
}
