import { type ByteReader, type ByteWriter, encode, i32, list, varBytes } from '../primitives/codec.js';
import { strippedBytes, type TxFormat, type TxOut, transaction, txOut } from '../primitives/transaction.js';
import { readEntries, readSized, readUnknown, requireSingle, type SingleField, writeUnknown } from './fields.js';
import { type PublicKeyReader, readKeyPath, readPartialSignature, writeKeyPaths, writePartialSignatures } from './key-fields.js';
import { EMPTY_INPUT, isFinal, type PsbtInput } from './psbt.js';

const Type = {
  NON_WITNESS_UTXO: 0x00,
  WITNESS_UTXO: 0x01,
  PARTIAL_SIGNATURE: 0x02,
  SIGHASH: 0x03,
  REDEEM_SCRIPT: 0x04,
  WITNESS_SCRIPT: 0x05,
  KEY_PATH: 0x06,
  FINAL_SCRIPT_SIG: 0x07,
  FINAL_WITNESS: 0x08,
} as const;

const NON_WITNESS_UTXO: SingleField = { name: 'input non-witness utxo', keyName: 'Non-witness utxo' };
const WITNESS_UTXO: SingleField = { name: 'input witness utxo', keyName: 'Witness utxo' };
const SIGHASH: SingleField = { name: 'input sighash type', keyName: 'Sighash type' };
const REDEEM_SCRIPT: SingleField = { name: 'input redeemScript', keyName: 'Input redeemScript' };
const WITNESS_SCRIPT: SingleField = { name: 'input witnessScript', keyName: 'Input witnessScript' };
const FINAL_SCRIPT_SIG: SingleField = { name: 'input final scriptSig', keyName: 'Final scriptSig' };
const FINAL_WITNESS: SingleField = { name: 'input final scriptWitness', keyName: 'Final scriptWitness' };

/** `witnessUtxo` is written without token id, regardless of the transaction version. */
const bareOutput = txOut(false);
const witnessStack = list(varBytes);

type Draft = { -readonly [Field in keyof PsbtInput]: PsbtInput[Field] };

/** Reads the map of an input. @throws {DecodeError} */
export function readInput(r: ByteReader, format: TxFormat, publicKeys: PublicKeyReader): PsbtInput {
  const partialSignatures = new Map();
  const keyPaths = new Map();
  const unknown = new Map();
  const input: Draft = { ...EMPTY_INPUT, partialSignatures, keyPaths, unknown };
  readEntries(r, 'an input map', (key) => {
    switch (key[0]) {
      case Type.PARTIAL_SIGNATURE:
        return readPartialSignature(r, publicKeys.read(key, 'partial signature pubkey'), partialSignatures);
      case Type.KEY_PATH:
        return readKeyPath(r, publicKeys.read(key, 'BIP32 keypath'), keyPaths);
      default:
        return readSingle(r, key, input, format) || readUnknown(r, key, unknown);
    }
  });
  return input;
}

/** @returns false for an unknown type */
function readSingle(r: ByteReader, key: Uint8Array, input: Draft, format: TxFormat): boolean {
  switch (key[0]) {
    case Type.NON_WITNESS_UTXO:
      requireSingle(key, NON_WITNESS_UTXO, input.nonWitnessUtxo !== undefined);
      input.nonWitnessUtxo = readSized(r, transaction(format));
      return true;
    case Type.WITNESS_UTXO:
      requireSingle(key, WITNESS_UTXO, input.witnessUtxo !== undefined);
      input.witnessUtxo = present(readSized(r, bareOutput));
      return true;
    case Type.SIGHASH:
      requireSingle(key, SIGHASH, input.sighashType > 0);
      input.sighashType = readSized(r, i32);
      return true;
    case Type.REDEEM_SCRIPT:
      requireSingle(key, REDEEM_SCRIPT, input.redeemScript.length > 0);
      input.redeemScript = varBytes.read(r);
      return true;
    case Type.WITNESS_SCRIPT:
      requireSingle(key, WITNESS_SCRIPT, input.witnessScript.length > 0);
      input.witnessScript = varBytes.read(r);
      return true;
    case Type.FINAL_SCRIPT_SIG:
      requireSingle(key, FINAL_SCRIPT_SIG, input.finalScriptSig.length > 0);
      input.finalScriptSig = varBytes.read(r);
      return true;
    case Type.FINAL_WITNESS:
      requireSingle(key, FINAL_WITNESS, input.finalWitness.length > 0);
      input.finalWitness = readSized(r, witnessStack);
      return true;
    default:
      return false;
  }
}

/** A value of -1 marks an absent output. */
function present(output: TxOut): TxOut | undefined {
  return output.value === -1n ? undefined : output;
}

/** Writes the map of an input, including its end. Fields for signing are omitted from a final input. */
export function writeInput(w: ByteWriter, input: PsbtInput, format: TxFormat): void {
  const entry = (type: number, value: Uint8Array): void => {
    varBytes.write(w, Uint8Array.of(type));
    varBytes.write(w, value);
  };
  if (input.nonWitnessUtxo) entry(Type.NON_WITNESS_UTXO, strippedBytes(input.nonWitnessUtxo, format));
  else if (input.witnessUtxo) entry(Type.WITNESS_UTXO, encode(bareOutput, input.witnessUtxo));
  if (!isFinal(input)) {
    writePartialSignatures(w, Type.PARTIAL_SIGNATURE, input.partialSignatures);
    if (input.sighashType > 0) entry(Type.SIGHASH, encode(i32, input.sighashType));
    if (input.redeemScript.length > 0) entry(Type.REDEEM_SCRIPT, input.redeemScript);
    if (input.witnessScript.length > 0) entry(Type.WITNESS_SCRIPT, input.witnessScript);
    writeKeyPaths(w, Type.KEY_PATH, input.keyPaths);
  }
  if (input.finalScriptSig.length > 0) entry(Type.FINAL_SCRIPT_SIG, input.finalScriptSig);
  if (input.finalWitness.length > 0) entry(Type.FINAL_WITNESS, encode(witnessStack, input.finalWitness));
  writeUnknown(w, input.unknown);
  w.u8(0);
}
