import { type ByteReader, type ByteWriter, varBytes } from '../primitives/codec.js';
import { readEntries, readUnknown, requireSingle, type SingleField, writeUnknown } from './fields.js';
import { type PublicKeyReader, readKeyPath, writeKeyPaths } from './key-fields.js';
import { EMPTY_OUTPUT, type PsbtOutput } from './psbt.js';

const Type = { REDEEM_SCRIPT: 0x00, WITNESS_SCRIPT: 0x01, KEY_PATH: 0x02 } as const;

const REDEEM_SCRIPT: SingleField = { name: 'output redeemScript', keyName: 'Output redeemScript' };
const WITNESS_SCRIPT: SingleField = { name: 'output witnessScript', keyName: 'Output witnessScript' };

type Draft = { -readonly [Field in keyof PsbtOutput]: PsbtOutput[Field] };

/** Reads the map of an output. @throws {DecodeError} */
export function readOutput(r: ByteReader, publicKeys: PublicKeyReader): PsbtOutput {
  const keyPaths = new Map();
  const unknown = new Map();
  const output: Draft = { ...EMPTY_OUTPUT, keyPaths, unknown };
  readEntries(r, 'an output map', (key) => {
    switch (key[0]) {
      case Type.REDEEM_SCRIPT:
        requireSingle(key, REDEEM_SCRIPT, output.redeemScript.length > 0);
        output.redeemScript = varBytes.read(r);
        return;
      case Type.WITNESS_SCRIPT:
        requireSingle(key, WITNESS_SCRIPT, output.witnessScript.length > 0);
        output.witnessScript = varBytes.read(r);
        return;
      case Type.KEY_PATH:
        return readKeyPath(r, publicKeys.read(key, 'BIP32 keypath'), keyPaths);
      default:
        return readUnknown(r, key, unknown);
    }
  });
  return output;
}

/** Writes the map of an output, including its end. */
export function writeOutput(w: ByteWriter, output: PsbtOutput): void {
  const entry = (type: number, value: Uint8Array): void => {
    varBytes.write(w, Uint8Array.of(type));
    varBytes.write(w, value);
  };
  if (output.redeemScript.length > 0) entry(Type.REDEEM_SCRIPT, output.redeemScript);
  if (output.witnessScript.length > 0) entry(Type.WITNESS_SCRIPT, output.witnessScript);
  writeKeyPaths(w, Type.KEY_PATH, output.keyPaths);
  writeUnknown(w, output.unknown);
  w.u8(0);
}
