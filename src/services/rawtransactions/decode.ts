import { DecodeError, decode } from '../../primitives/codec.js';
import { isCoinbase, type Transaction, type TxFormat, transaction } from '../../primitives/transaction.js';
import { Op } from '../../script/opcodes.js';
import { MAX_SCRIPT_SIZE, opEnd, pushStart } from '../../script/script.js';
import { fromHex, isHex } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';

/** No opcode above this one means anything. */
const MAX_OPCODE = Op.NOP10;
const MAX_PUSH_SIZE = 520;

/** Which of the two readings of a transaction's bytes are tried. */
export interface DecodeModes {
  readonly withoutWitness: boolean;
  readonly withWitness: boolean;
}

/** Modes of an optional `iswitness` argument: without it both are tried. */
export function decodeModes(isWitness: boolean | undefined): DecodeModes {
  return { withoutWitness: isWitness !== true, withWitness: isWitness !== false };
}

/**
 * The transaction that hex stands for. Bytes without inputs look like those of a witness transaction, so where both readings are
 * tried the one without witness counts only if its scripts make sense.
 * @throws {NodeError} `deserialization` with this text if neither reading fits
 * @see docs/protocol/rpc-chain.md 3.0.5
 */
export function decodeTransactionHex(hex: string, modes: DecodeModes, format: TxFormat, fault = 'TX decode failed'): Transaction {
  const bytes = isHex(hex) ? fromHex(hex) : undefined;
  const found = bytes && decodeTransaction(bytes, modes, format);
  if (!found) throw new NodeError('deserialization', fault);
  return found;
}

function decodeTransaction(bytes: Uint8Array, { withoutWitness, withWitness }: DecodeModes, format: TxFormat): Transaction | undefined {
  const plain = withoutWitness ? tryDecode(bytes, format, false) : undefined;
  if (plain && (!withWitness || scriptsMakeSense(plain))) return plain;
  return withWitness ? tryDecode(bytes, format, true) : undefined;
}

function tryDecode(bytes: Uint8Array, format: TxFormat, witness: boolean): Transaction | undefined {
  try {
    return decode(transaction(format, { witness }), bytes);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

function scriptsMakeSense(tx: Transaction): boolean {
  return (isCoinbase(tx) || tx.vin.every((input) => makesSense(input.scriptSig))) && tx.vout.every((out) => makesSense(out.scriptPubKey));
}

function makesSense(script: Uint8Array): boolean {
  if (script.length > MAX_SCRIPT_SIZE) return false;
  for (let at = 0; at < script.length; ) {
    const opcode = script[at] as number;
    const end = opEnd(script, at);
    if (end < 0 || opcode > MAX_OPCODE) return false;
    if (opcode <= Op.PUSHDATA4 && end - pushStart(script, at) > MAX_PUSH_SIZE) return false;
    at = end;
  }
  return true;
}
