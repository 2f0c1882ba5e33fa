import { toHex } from '../util/bytes.js';
import { NodeError } from '../util/errors.js';
import { finish, type Steps } from '../util/slicer.js';
import { Op, opcodeName } from './opcodes.js';
import { decodeScriptNumber, isUnspendable, opEnd, pushStart } from './script.js';
import { hashTypeName, isStrictDerSignature } from './signature-encoding.js';

export interface AsmOptions {
  /** Show signatures without their last byte and name the hash type: for scripts of inputs. */
  readonly sighash?: boolean;
  /** Name the opcode that came with the Metachain releases. */
  readonly metachain?: boolean;
  /** Hex of the script, where the caller has it already. */
  readonly hex?: string;
}

const MAX_NUMBER_SIZE = 4;
/** Steps of a script between two interruptions. */
const OPS_AT_ONCE = 1_000;
/** Text of one script; that of a script that may be spent has less than 300,000 characters. */
export const MAX_ASM_CHARS = 1 << 26;

/** Script as text: pushes of up to four bytes as numbers, longer ones as hex, opcodes by name (docs/protocol/rpc-chain.md 3.0.2). */
export function scriptAsm(script: Uint8Array, options: AsmOptions = {}): string {
  return finish(longScriptAsm(script, options));
}

/** The same of a script that may have megabytes. @throws {NodeError} `invalid-parameter` if the text has more than `MAX_ASM_CHARS` */
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
      if (size > MAX_ASM_CHARS) throw new NodeError('invalid-parameter', 'Script is too long to be shown');
      // Joined now: a text of millions of pieces takes long to put together in one go.
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
  return parts.length === 0 ? text : parts.join('') + text;
}

/** Text of what is pushed from `start` to `end`. Hex of the whole script is at hand, so a long push is a part of that. */
function pushText(script: Uint8Array, start: number, end: number, hex: string, showSignatures: boolean): string {
  if (end - start <= MAX_NUMBER_SIZE) return String(decodeScriptNumber(script.subarray(start, end)));
  const hashType = showSignatures ? hashTypeName(script[end - 1] as number) : undefined;
  if (hashType === undefined || !isStrictDerSignature(script.subarray(start, end))) return hex.slice(2 * start, 2 * end);
  return `${hex.slice(2 * start, 2 * end - 2)}[${hashType}]`;
}
