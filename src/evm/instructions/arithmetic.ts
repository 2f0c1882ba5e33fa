import type { Frame } from '../frame.js';
import { Gas } from '../gas.js';
import type { Execute } from '../machine.js';
import { MAX_WORD } from '../words.js';

const MODULUS = 1n << 256n;
const WORD_BITS = 256n;
const BYTE_BITS = 8n;

function wrap(value: bigint): bigint {
  return BigInt.asUintN(256, value);
}

function signed(word: bigint): bigint {
  return BigInt.asIntN(256, word);
}

function unary(result: (a: bigint) => bigint): Execute {
  return (frame) => frame.push(result(frame.pop()));
}

function binary(result: (a: bigint, b: bigint) => bigint): Execute {
  return (frame) => {
    const a = frame.pop();
    frame.push(result(a, frame.pop()));
  };
}

function ternary(result: (a: bigint, b: bigint, c: bigint) => bigint): Execute {
  return (frame) => {
    const a = frame.pop();
    const b = frame.pop();
    frame.push(result(a, b, frame.pop()));
  };
}

function test(holds: (a: bigint, b: bigint) => boolean): Execute {
  return binary((a, b) => (holds(a, b) ? 1n : 0n));
}

export const add: Execute = (frame: Frame) => {
  const sum = frame.pop() + frame.pop();
  frame.push(sum > MAX_WORD ? sum - MODULUS : sum);
};
export const sub: Execute = binary((a, b) => (a >= b ? a - b : a - b + MODULUS));
export const mul: Execute = binary((a, b) => wrap(a * b));
export const div: Execute = binary((a, b) => (b === 0n ? 0n : a / b));
export const sdiv: Execute = binary((a, b) => (b === 0n ? 0n : wrap(signed(a) / signed(b))));
export const mod: Execute = binary((a, b) => (b === 0n ? 0n : a % b));
export const smod: Execute = binary((a, b) => (b === 0n ? 0n : wrap(signed(a) % signed(b))));
export const addmod: Execute = ternary((a, b, n) => (n === 0n ? 0n : (a + b) % n));
export const mulmod: Execute = ternary((a, b, n) => (n === 0n ? 0n : (a * b) % n));

/** The exponent is paid for by its bytes. */
export const exp: Execute = (frame) => {
  const exponent = frame.peek(1);
  if (exponent > 0n) frame.meter.charge(Gas.expByte * Math.ceil(exponent.toString(16).length / 2));
  const base = frame.pop();
  frame.push(power(base, frame.pop()));
};

function power(base: bigint, exponent: bigint): bigint {
  if (base === 2n) return exponent < WORD_BITS ? 1n << exponent : 0n;
  let result = 1n;
  let square = base;
  const bits = exponent.toString(2);
  for (let i = bits.length - 1; i >= 0; i--) {
    if (bits[i] === '1') result = wrap(result * square);
    if (i > 0) square = wrap(square * square);
  }
  return exponent === 0n ? 1n : result;
}

/** Extends the sign of the byte at an index counted from the lowest. */
export const signextend: Execute = binary((index, value) => {
  if (index >= 31n) return value;
  const bits = Number(index) * 8 + 8;
  return wrap(BigInt.asIntN(bits, value));
});

export const lt: Execute = test((a, b) => a < b);
export const gt: Execute = test((a, b) => a > b);
export const slt: Execute = test((a, b) => signed(a) < signed(b));
export const sgt: Execute = test((a, b) => signed(a) > signed(b));
export const eq: Execute = test((a, b) => a === b);
export const iszero: Execute = unary((a) => (a === 0n ? 1n : 0n));
export const and: Execute = binary((a, b) => a & b);
export const or: Execute = binary((a, b) => a | b);
export const xor: Execute = binary((a, b) => a ^ b);
export const not: Execute = unary((a) => a ^ MAX_WORD);
/** Byte at an index counted from the highest. */
export const byte: Execute = binary((index, word) => (index >= 32n ? 0n : (word >> (BYTE_BITS * (31n - index))) & 0xffn));
export const shl: Execute = binary((shift, word) => (shift >= WORD_BITS ? 0n : wrap(word << shift)));
export const shr: Execute = binary((shift, word) => (shift >= WORD_BITS ? 0n : word >> shift));
export const sar: Execute = binary((shift, word) => wrap(signed(word) >> (shift >= WORD_BITS ? 255n : shift)));
