import { DecodeError } from '../../../primitives/codec.js';
import {
  decodeLongTransaction,
  isCoinbase,
  type Transaction,
  type TxFormat,
  type TxIn,
  type TxOut,
} from '../../../primitives/transaction.js';
import { endOfTransaction } from '../../../primitives/transaction-scan.js';
import { Op } from '../../../script/opcodes.js';
import { MAX_PUSH_SIZE, MAX_SCRIPT_SIZE, opEnd, pushStart } from '../../../script/script.js';
import { NodeError } from '../../../util/errors.js';
import { fromLongHex } from '../../../util/long-hex.js';
import type { Steps } from '../../../util/slicer.js';

/** Highest defined opcode. */
const MAX_OPCODE = Op.NOP10;

/** Encodings of a transaction that are tried. */
export interface DecodeModes {
  readonly withoutWitness: boolean;
  readonly withWitness: boolean;
}

/** Encodings with and without witness data. */
export const ANY_ENCODING: DecodeModes = { withoutWitness: true, withWitness: true };

/** Modes of an optional `iswitness` argument: both if it is missing. */
export function decodeModes(isWitness: boolean | undefined): DecodeModes {
  return { withoutWitness: isWitness !== true, withWitness: isWitness !== false };
}

/**
 * Decodes a transaction of up to megabytes from hex. Without inputs, an encoding without witness looks like one with witness. If
 * both are allowed, the one without witness is accepted only if its scripts consist of defined opcodes.
 * @throws {NodeError} `deserialization` with the text `fault` if no allowed encoding fits
 * @see docs/protocol/rpc-chain.md 3.0.5
 */
export function* decodeTransactionHex(hex: string, modes: DecodeModes, format: TxFormat, fault = 'TX decode failed'): Steps<Transaction> {
  const bytes = yield* fromLongHex(hex);
  const found = bytes && (yield* decodeTransaction(bytes, modes, format));
  if (!found) throw new NodeError('deserialization', fault);
  return found;
}

function* decodeTransaction(
  bytes: Uint8Array,
  { withoutWitness, withWitness }: DecodeModes,
  format: TxFormat,
): Steps<Transaction | undefined> {
  const plain = withoutWitness ? yield* tryDecode(bytes, format, false) : undefined;
  if (plain && (!withWitness || (yield* scriptsMakeSense(plain)))) return plain;
  return withWitness ? yield* tryDecode(bytes, format, true) : undefined;
}

/** Maximum transaction that is scanned before it is decoded, bytes: the scan has no steps. */
const SCANNED_BYTES = 100_000;

function* tryDecode(bytes: Uint8Array, format: TxFormat, witness: boolean): Steps<Transaction | undefined> {
  // An exception takes longer than the rest: every transaction with witness data fails to decode without it.
  if (bytes.length <= SCANNED_BYTES && endOfTransaction(bytes, 0, format, witness) !== bytes.length) return undefined;
  try {
    return yield* decodeLongTransaction(bytes, format, witness);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** Scripts checked between two yields; scripts above 10,000 bytes are not read. */
const SCRIPTS_AT_ONCE = 64;

function* scriptsMakeSense(tx: Transaction): Steps<boolean> {
  const inputs = isCoinbase(tx) ? [] : tx.vin;
  for (let i = 0; i < inputs.length; i++) {
    if (i % SCRIPTS_AT_ONCE === SCRIPTS_AT_ONCE - 1) yield;
    if (!makesSense((inputs[i] as TxIn).scriptSig)) return false;
  }
  for (let i = 0; i < tx.vout.length; i++) {
    if (i % SCRIPTS_AT_ONCE === SCRIPTS_AT_ONCE - 1) yield;
    if (!makesSense((tx.vout[i] as TxOut).scriptPubKey)) return false;
  }
  return true;
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
