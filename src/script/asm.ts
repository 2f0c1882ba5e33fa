import { toHex } from '../util/bytes.js';
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

/** Script as text: pushes of up to four bytes as numbers, longer ones as hex, opcodes by name (docs/protocol/rpc-chain.md 3.0.2). */
export function scriptAsm(script: Uint8Array, { sighash = false, metachain = false, hex = toHex(script) }: AsmOptions = {}): string {
  const showSignatures = sighash && !isUnspendable(script);
  let text = '';
  for (let at = 0; at < script.length; ) {
    if (at > 0) text += ' ';
    const opcode = script[at] as number;
    const end = opEnd(script, at);
    if (end < 0) return `${text}[error]`;
    text += opcode > Op.PUSHDATA4 ? opcodeName(opcode, metachain) : pushText(script, pushStart(script, at), end, hex, showSignatures);
    at = end;
  }
  return text;
}

/** Text of what is pushed from `start` to `end`. Hex of the whole script is at hand, so a long push is a part of that. */
function pushText(script: Uint8Array, start: number, end: number, hex: string, showSignatures: boolean): string {
  if (end - start <= MAX_NUMBER_SIZE) return String(decodeScriptNumber(script.subarray(start, end)));
  const hashType = showSignatures ? hashTypeName(script[end - 1] as number) : undefined;
  if (hashType === undefined || !isStrictDerSignature(script.subarray(start, end))) return hex.slice(2 * start, 2 * end);
  return `${hex.slice(2 * start, 2 * end - 2)}[${hashType}]`;
}
