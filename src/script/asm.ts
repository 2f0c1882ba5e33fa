import { toHex } from '../util/bytes.js';
import { invalidParameter } from '../util/errors.js';
import { finish, type Steps } from '../util/slicer.js';
import { Op, opcodeName } from './opcodes.js';
import { decodeScriptNumber, isUnspendable, opEnd, pushStart } from './script.js';
import { hashTypeName, isStrictDerSignature } from './signature-encoding.js';

export interface AsmOptions {
  /** Show the last byte of signatures as the name of the hash type: for scriptSigs. */
  readonly sighash?: boolean;
  /** Name OP_KECCAK, as the 4.x releases of `defid` do. */
  readonly metachain?: boolean;
  /** Hex of the script, if the caller already has it. */
  readonly hex?: string;
}

const MAX_NUMBER_SIZE = 4;
/** Script operations per slice. */
const OPS_AT_ONCE = 1_000;
/** Maximum text of one script, which only unspendable ones exceed: a script of 10,000 bytes has less than 300,000 characters. */
export const MAX_ASM_CHARS = 1 << 26;

/** Script as text: pushes of up to four bytes as numbers, longer ones as hex, opcodes by name (docs/protocol/rpc-chain.md 3.0.2). */
export function scriptAsm(script: Uint8Array, options: AsmOptions = {}): string {
  return finish(longScriptAsm(script, options));
}

/** Sliced {@link scriptAsm}, for scripts of megabytes. @throws {NodeError} `invalid-parameter` if the text has more than `MAX_ASM_CHARS` */
export function* longScriptAsm(
  script: Uint8Array,
  { sighash = false, metachain = false, hex = toHex(script) }: AsmOptions = {},
): Steps<string> {
  const showSignatures = sighash && !isUnspendable(script);
  const parts: string[] = [];
  let size = 0;
  let text = '';
  let ops = 0;
  for (let at = 0; at < script.length; ops++) {
    if (ops === OPS_AT_ONCE) {
      ops = 0;
      size += text.length;
      if (size > MAX_ASM_CHARS) throw invalidParameter('Script is too long to be shown');
      // Flattened per slice: flattening a string of millions of concatenations at the end would block the event loop.
      parts.push(Buffer.from(text, 'latin1').toString('latin1'));
      text = '';
      yield;
    }
    if (at > 0) text += ' ';
    const opcode = script[at] as number;
    const end = opEnd(script, at);
    if (end < 0) return `${parts.join('')}${text}[error]`;
    text += opcode > Op.PUSHDATA4 ? opcodeName(opcode, metachain) : pushText(script, pushStart(script, at), end, hex, showSignatures);
    at = end;
  }
  if (parts.length === 0) return text;
  // One copy: a concatenation of two long strings would be copied once more by its first reader.
  parts.push(text);
  return parts.join('');
}

/** Text of the push data from `start` to `end`. @param hex of the whole script, of which a long push is a substring */
function pushText(script: Uint8Array, start: number, end: number, hex: string, showSignatures: boolean): string {
  if (end - start <= MAX_NUMBER_SIZE) return String(decodeScriptNumber(script.subarray(start, end)));
  const hashType = showSignatures ? hashTypeName(script[end - 1] as number) : undefined;
  if (hashType === undefined || !isStrictDerSignature(script.subarray(start, end))) return hex.slice(2 * start, 2 * end);
  return `${hex.slice(2 * start, 2 * end - 2)}[${hashType}]`;
}
