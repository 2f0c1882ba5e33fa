import { toHex } from '../util/bytes.js';
import { opcodeName } from './opcodes.js';
import { decodeScriptNumber, isUnspendable, scriptOps } from './script.js';
import { hashTypeName, isStrictDerSignature } from './signature-encoding.js';

export interface AsmOptions {
  /** Show signatures without their last byte and name the hash type: for scripts of inputs. */
  readonly sighash?: boolean;
  /** Name the opcode that came with the Metachain releases. */
  readonly metachain?: boolean;
}

const MAX_NUMBER_SIZE = 4;

/** Script as text: pushes of up to four bytes as numbers, longer ones as hex, opcodes by name (spec: rpc-chain 3.0.2). */
export function scriptAsm(script: Uint8Array, { sighash = false, metachain = false }: AsmOptions = {}): string {
  const showSignatures = sighash && !isUnspendable(script);
  const words: string[] = [];
  for (const { opcode, data, ok } of scriptOps(script)) {
    if (!ok) words.push('[error]');
    else if (data === undefined) words.push(opcodeName(opcode, metachain));
    else if (data.length <= MAX_NUMBER_SIZE) words.push(String(decodeScriptNumber(data)));
    else words.push((showSignatures ? signatureText(data) : undefined) ?? toHex(data));
  }
  return words.join(' ');
}

function signatureText(data: Uint8Array): string | undefined {
  const hashType = hashTypeName(data[data.length - 1] as number);
  return isStrictDerSignature(data) && hashType !== undefined ? `${toHex(data.subarray(0, -1))}[${hashType}]` : undefined;
}
