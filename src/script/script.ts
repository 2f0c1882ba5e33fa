import { concatBytes, EMPTY_BYTES } from '../util/bytes.js';
import { isSmallInteger, Op, smallIntegerOf, smallIntegerOpcode } from './opcodes.js';

/** Maximum size in bytes; longer scripts are unspendable. */
export const MAX_SCRIPT_SIZE = 10_000;
/** Maximum size of pushed data in bytes, hence of redeem scripts. */
export const MAX_PUSH_SIZE = 520;

/** One operation of a script. `data` is the push data, empty for OP_0. */
export interface ScriptOp {
  readonly opcode: number;
  readonly data?: Uint8Array;
  /** False for a push beyond the end of the script, which is the last operation. */
  readonly ok: boolean;
  /** Position after the operation. */
  readonly end: number;
}

const TRUNCATED = { opcode: Op.INVALIDOPCODE, ok: false } as const;

/** The operation at a position. @returns undefined at the end of the script */
export function readOp(script: Uint8Array, at: number): ScriptOp | undefined {
  const opcode = script[at];
  if (opcode === undefined) return undefined;
  if (opcode > Op.PUSHDATA4) return { opcode, ok: true, end: at + 1 };
  const start = pushStart(script, at);
  if (start > script.length) return { ...TRUNCATED, end: script.length };
  const size = start === at + 1 ? opcode : littleEndian(script, at + 1, start - at - 1);
  if (size > script.length - start) return { ...TRUNCATED, end: script.length };
  return { opcode, data: script.subarray(start, start + size), ok: true, end: start + size };
}

/** Start of the data of the push at a position, after opcode and length; may be beyond the end of a truncated script. */
export function pushStart(script: Uint8Array, at: number): number {
  const opcode = script[at] as number;
  if (opcode < Op.PUSHDATA1) return at + 1;
  return at + (opcode === Op.PUSHDATA1 ? 2 : opcode === Op.PUSHDATA2 ? 3 : 5);
}

/** Position after the operation at a position inside the script; -1 for a truncated push. */
export function opEnd(script: Uint8Array, at: number): number {
  const opcode = script[at] as number;
  if (opcode > Op.PUSHDATA4) return at + 1;
  if (opcode < Op.PUSHDATA1) return at + 1 + opcode <= script.length ? at + 1 + opcode : -1;
  const op = readOp(script, at);
  return op?.ok ? op.end : -1;
}

/** Operations of a script, up to and including the first truncated one. Push data is a view of the script. */
export function* scriptOps(script: Uint8Array): Iterable<ScriptOp> {
  for (let op = readOp(script, 0); op !== undefined; op = op.ok ? readOp(script, op.end) : undefined) yield op;
}

function littleEndian(bytes: Uint8Array, at: number, size: number): number {
  let value = 0;
  for (let i = size - 1; i >= 0; i--) value = value * 256 + (bytes[at + i] as number);
  return value;
}

/** Script that pushes the bytes, with the shortest length prefix. OP_1 to OP_16 are not used. */
export function pushData(bytes: Uint8Array): Uint8Array {
  const size = bytes.length;
  if (size < Op.PUSHDATA1) return concatBytes(Uint8Array.of(size), bytes);
  if (size <= 0xff) return concatBytes(Uint8Array.of(Op.PUSHDATA1, size), bytes);
  if (size <= 0xffff) return concatBytes(Uint8Array.of(Op.PUSHDATA2, size & 0xff, size >>> 8), bytes);
  return concatBytes(Uint8Array.of(Op.PUSHDATA4, size & 0xff, (size >>> 8) & 0xff, (size >>> 16) & 0xff, size >>> 24), bytes);
}

/** Script of opcodes (numbers) and pushes (bytes). */
export function buildScript(...parts: readonly (number | Uint8Array)[]): Uint8Array {
  return concatBytes(...parts.map((part) => (typeof part === 'number' ? Uint8Array.of(part) : pushData(part))));
}

/** Script that pushes a number: an opcode from -1 to 16, else its bytes. */
export function scriptNumber(value: number): Uint8Array {
  if (value === -1) return Uint8Array.of(Op.ONE_NEGATE);
  if (value >= 0 && value <= 16) return Uint8Array.of(smallIntegerOpcode(value));
  return pushData(encodeScriptNumber(value));
}

/** Script number: little-endian magnitude, sign in the top bit; zero is the empty array. */
export function encodeScriptNumber(value: number): Uint8Array {
  if (value === 0) return EMPTY_BYTES;
  const bytes: number[] = [];
  for (let rest = Math.abs(value); rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256);
  const top = bytes.length - 1;
  if (((bytes[top] as number) & 0x80) !== 0) bytes.push(value < 0 ? 0x80 : 0);
  else if (value < 0) bytes[top] = (bytes[top] as number) | 0x80;
  return Uint8Array.from(bytes);
}

/** Decodes a script number of up to six bytes, minimal or not. @throws {RangeError} if it is longer */
export function decodeScriptNumber(bytes: Uint8Array): number {
  if (bytes.length > 6) throw new RangeError('script number overflow');
  const last = bytes[bytes.length - 1];
  if (last === undefined) return 0;
  const magnitude = littleEndian(bytes, 0, bytes.length - 1) + (last & 0x7f) * 256 ** (bytes.length - 1);
  return (last & 0x80) !== 0 && magnitude !== 0 ? -magnitude : magnitude;
}

/** True if the script is provably unspendable; such outputs are not added to the coin view. */
export function isUnspendable(script: Uint8Array): boolean {
  return script[0] === Op.RETURN || script.length > MAX_SCRIPT_SIZE;
}

/** True if the script consists of complete pushes. OP_RESERVED counts as a push. */
export function isPushOnly(script: Uint8Array): boolean {
  for (let at = 0; at < script.length; ) {
    const opcode = script[at] as number;
    if (opcode > Op.SIXTEEN) return false;
    // Without a call for direct pushes: scripts that callers send may have millions.
    at = opcode < Op.PUSHDATA1 ? at + 1 + opcode : opEnd(script, at);
    if (at < 0 || at > script.length) return false;
  }
  return true;
}

/** True for the 23 bytes of HASH160, push of 20 bytes, EQUAL (BIP16). */
export function isPayToScriptHash(script: Uint8Array): boolean {
  return script.length === 23 && script[0] === Op.HASH160 && script[1] === 20 && script[22] === Op.EQUAL;
}

/** Witness program: version 0 to 16, and 2 to 40 bytes. */
export interface WitnessProgram {
  readonly version: number;
  readonly program: Uint8Array;
}

/** Version and program of a witness program (BIP141): a small number, then one direct push of 2 to 40 bytes. Undefined for others. */
export function witnessProgram(script: Uint8Array): WitnessProgram | undefined {
  return isWitnessProgram(script) ? { version: smallIntegerOf(script[0] as number), program: script.subarray(2) } : undefined;
}

/** True if the script is a witness program (BIP141). */
export function isWitnessProgram(script: Uint8Array): boolean {
  if (script.length < 4 || script.length > 42 || (script[1] as number) + 2 !== script.length) return false;
  const opcode = script[0] as number;
  return opcode === Op.ZERO || isSmallInteger(opcode);
}
