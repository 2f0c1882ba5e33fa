import { Op } from '../../../src/script/opcodes.js';
import { pushData, scriptNumber } from '../../../src/script/script.js';
import { concatBytes, fromHex } from '../../../src/util/bytes.js';

/** Names of the published vectors: without OP_, and with digits. */
const NAMES = new Map<string, number>();
const DIGITS: Readonly<Record<string, string>> = { ONE: '1', TWO: '2', THREE: '3', ZERO: '0' };
for (const [key, code] of Object.entries(Op)) {
  if (code < Op.NOP && key !== 'RESERVED') continue;
  const [head = '', ...rest] = key.split('_');
  NAMES.set(rest.length > 0 && DIGITS[head] ? `${DIGITS[head]}${rest.join('')}` : key, code);
}

/** Script of the text form that the published vectors use: numbers, `0xhex` raw bytes, 'text', opcode names. */
export function parseAsm(text: string): Uint8Array {
  const parts = text.split(/\s+/).filter((word) => word !== '');
  return concatBytes(...parts.map(parseWord));
}

function parseWord(word: string): Uint8Array {
  if (/^-?\d{1,15}$/.test(word)) return scriptNumber(Number(word));
  if (/^-?\d+$/.test(word)) return pushData(wideNumber(BigInt(word)));
  if (word.startsWith('0x')) return fromHex(word.slice(2));
  if (word.startsWith("'")) return pushData(Buffer.from(word.slice(1, -1)));
  const code = NAMES.get(word.replace(/^OP_/, ''));
  if (code === undefined) throw new Error(`no opcode ${word}`);
  return Uint8Array.of(code);
}

/** A number beyond those that scripts compute with; some rows push them. */
function wideNumber(value: bigint): Uint8Array {
  const magnitude = value < 0n ? -value : value;
  const bytes = [...fromHex(magnitude.toString(16).padStart(16, '0'))].reverse();
  if (value < 0n) bytes[7] = (bytes[7] as number) | 0x80;
  return Uint8Array.from(bytes);
}
