import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scriptAsm } from '../../../src/script/asm.js';
import { isStrictDerSignature } from '../../../src/script/signature-encoding.js';
import { fromHex } from '../../../src/util/bytes.js';

// A strict signature of 70 bytes without its hash type.
const SIGNATURE =
  '304402204e45e16932b8af514961a1d3a1a25fdf3f4f7732e9d624c6c61548ab5fb8cd4102206181522ec8eca07de4860a4acdd12909d831cc56cbbac4622082221a8768d1d0';

const cases = [
  { name: 'empty', script: '', asm: '' },
  { name: 'numbers', script: '004f5160', asm: '0 -1 1 16' },
  { name: 'short pushes are numbers', script: '01000181028000037f00810501020304050480000080', asm: '0 -1 128 -65663 0102030405 -128' },
  { name: 'a number of four bytes', script: '04ffffff7f04ffffffff', asm: '2147483647 -2147483647' },
  {
    name: 'words',
    script: '76a988ac6e7c8bae',
    asm: 'OP_DUP OP_HASH160 OP_EQUALVERIFY OP_CHECKSIG OP_2DUP OP_SWAP OP_1ADD OP_CHECKMULTISIG',
  },
  {
    name: 'renamed and reserved',
    script: '50626566898ab0b1b2b3b992',
    asm: 'OP_RESERVED OP_VER OP_VERIF OP_VERNOTIF OP_RESERVED1 OP_RESERVED2 OP_NOP1 OP_CHECKLOCKTIMEVERIFY OP_CHECKSEQUENCEVERIFY OP_NOP4 OP_NOP10 OP_0NOTEQUAL',
  },
  { name: 'unassigned', script: 'babffeff', asm: 'OP_UNKNOWN OP_UNKNOWN OP_UNKNOWN OP_INVALIDOPCODE' },
  { name: 'cut off', script: '5105aabb', asm: '1 [error]' },
  { name: 'cut off in the length', script: '4c', asm: '[error]' },
];
for (const { name, script, asm } of cases) test(`script text: ${name}`, () => assert.equal(scriptAsm(fromHex(script)), asm));

test('the opcode of the Metachain releases has a name on request', () => {
  assert.equal(scriptAsm(fromHex('c0')), 'OP_UNKNOWN');
  assert.equal(scriptAsm(fromHex('c0'), { metachain: true }), 'OP_KECCAK');
});

const types = [
  { byte: '01', text: '[ALL]' },
  { byte: '02', text: '[NONE]' },
  { byte: '03', text: '[SINGLE]' },
  { byte: '81', text: '[ALL|ANYONECANPAY]' },
  { byte: '82', text: '[NONE|ANYONECANPAY]' },
  { byte: '83', text: '[SINGLE|ANYONECANPAY]' },
];
const push = (hex: string) => `${(hex.length / 2).toString(16)}${hex}`;

for (const { byte, text } of types) {
  test(`signatures of inputs name their hash type: ${text}`, () => {
    const script = fromHex(push(`${SIGNATURE}${byte}`));
    assert.equal(scriptAsm(script, { sighash: true }), `${SIGNATURE}${text}`);
    assert.equal(scriptAsm(script), `${SIGNATURE}${byte}`);
  });
}

test('a push that is not a strict signature, or has no defined hash type, stays hex', () => {
  const loose = SIGNATURE.replace(/^3044/, '3045');
  for (const data of [`${SIGNATURE}00`, `${SIGNATURE}04`, `${SIGNATURE}84`, `${SIGNATURE}41`, `${loose}01`]) {
    assert.equal(scriptAsm(fromHex(push(data)), { sighash: true }), data);
  }
  const unspendable = `6a${push(`${SIGNATURE}01`)}`;
  assert.equal(scriptAsm(fromHex(unspendable), { sighash: true }), `OP_RETURN ${SIGNATURE}01`);
});

const r = SIGNATURE.slice(8, 72);
const s = SIGNATURE.slice(76);
const encodings = [
  { name: 'strict', hex: `${SIGNATURE}01`, ok: true },
  { name: 'shortest', hex: '300602010102010101', ok: true },
  { name: 'needed zero before a high bit', hex: `3045022100f${r.slice(1)}0220${s}01`, ok: true },
  { name: 'needless zero', hex: `3045022100${r}0220${s}01`, ok: false },
  { name: 'negative', hex: `30440220f${r.slice(1)}0220${s}01`, ok: false },
  { name: 'negative s', hex: `30440220${r}0220f${s.slice(1)}01`, ok: false },
  { name: 'no r', hex: '300602000202010101', ok: false },
  { name: 'wrong tag', hex: `31440220${r}0220${s}01`, ok: false },
  { name: 'wrong tag of r', hex: `30440320${r}0220${s}01`, ok: false },
  { name: 'wrong tag of s', hex: `30440220${r}0320${s}01`, ok: false },
  { name: 'r runs past the end', hex: `304402ff${r}0220${s}01`, ok: false },
  { name: 'trailing bytes', hex: `30440220${r}0220${s}0101`, ok: false },
  { name: 'too short', hex: '3005020101020101', ok: false },
  { name: 'empty', hex: '', ok: false },
];
for (const { name, hex, ok } of encodings) test(`signature encoding: ${name}`, () => assert.equal(isStrictDerSignature(fromHex(hex)), ok));
