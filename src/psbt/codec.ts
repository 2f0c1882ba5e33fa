import { type ByteReader, type ByteWriter, type Codec, compactSize, DecodeError, varBytes } from '../primitives/codec.js';
import { hasWitness, readLongTransaction, type Transaction, type TxFormat } from '../primitives/transaction.js';
import { equalBytes } from '../util/bytes.js';
import { finish, type Steps } from '../util/slicer.js';
import { entryKeys, readUnknown, requireSingle, type SingleField, WRONG_SIZE, writeUnknown } from './fields.js';
import { readInput, writeInput } from './input-codec.js';
import { PublicKeyReader } from './key-fields.js';
import { readOutput, writeOutput } from './output-codec.js';
import { isSane, type Psbt, type PsbtInput, type PsbtOutput } from './psbt.js';

/** `psbt` and 0xff. */
const MAGIC = Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff);
const UNSIGNED_TX = 0x00;
const UNSIGNED_TX_FIELD: SingleField = { name: 'unsigned tx', keyName: 'Global unsigned tx' };

/**
 * PSBT, version 0: magic, the global map, a map per input, a map per output. A map is pairs of key and value, both with a
 * CompactSize length, and ends in a zero byte. Entries are written in a fixed order, regardless of their order when read.
 * @see BIP174, docs/protocol/rpc-chain.md 3.3.10, which has the texts of errors
 */
export function psbtCodec(format: TxFormat): Codec<Psbt> {
  return {
    write: (w, psbt) => finish(writeLongPsbt(w, psbt, format)),
    read: (r) => finish(readLongPsbt(r, format)),
  };
}

/** Input and output maps per slice. */
const MAPS_AT_ONCE = 16;

/** Writes a PSBT in slices. */
export function* writeLongPsbt(w: ByteWriter, psbt: Psbt, format: TxFormat): Steps<void> {
  w.bytes(MAGIC);
  varBytes.write(w, Uint8Array.of(UNSIGNED_TX));
  varBytes.write(w, psbt.tx.raw);
  writeUnknown(w, psbt.unknown);
  w.u8(0);
  for (const [i, input] of psbt.inputs.entries()) {
    if (i % MAPS_AT_ONCE === MAPS_AT_ONCE - 1) yield;
    writeInput(w, input, format);
  }
  for (const [i, output] of psbt.outputs.entries()) {
    if (i % MAPS_AT_ONCE === MAPS_AT_ONCE - 1) yield;
    writeOutput(w, output);
  }
}

/** Reads a PSBT in slices. @throws {DecodeError} */
export function* readLongPsbt(r: ByteReader, format: TxFormat): Steps<Psbt> {
  if (!equalBytes(r.bytes(MAGIC.length), MAGIC)) throw new DecodeError('Invalid PSBT magic bytes');
  const { tx, unknown } = yield* readGlobal(r, format);
  const publicKeys = new PublicKeyReader();
  const inputs: PsbtInput[] = [];
  for (const { prevout } of tx.vin) {
    if (r.remaining === 0) throw new DecodeError('Inputs provided does not match the number of inputs in transaction.');
    const input = readInput(r, format, publicKeys);
    if (input.nonWitnessUtxo && !equalBytes(input.nonWitnessUtxo.txid, prevout.txid)) {
      throw new DecodeError('Non-witness UTXO does not match outpoint hash');
    }
    inputs.push(input);
    if (inputs.length % MAPS_AT_ONCE === 0) yield;
  }
  const outputs: PsbtOutput[] = [];
  for (let i = 0; i < tx.vout.length; i++) {
    if (r.remaining === 0) throw new DecodeError('Outputs provided does not match the number of outputs in transaction.');
    outputs.push(readOutput(r, publicKeys));
    if (outputs.length % MAPS_AT_ONCE === 0) yield;
  }
  const psbt = { tx, unknown, inputs, outputs };
  if (!isSane(psbt)) throw new DecodeError('PSBT is not sane.');
  return psbt;
}

function* readGlobal(r: ByteReader, format: TxFormat): Steps<Pick<Psbt, 'tx' | 'unknown'>> {
  let tx: Transaction | undefined;
  const unknown = new Map<string, Uint8Array>();
  for (const key of entryKeys(r, 'the global map')) {
    if (key[0] !== UNSIGNED_TX) {
      readUnknown(r, key, unknown);
      yield;
      continue;
    }
    requireSingle(key, UNSIGNED_TX_FIELD, tx !== undefined);
    tx = yield* readUnsigned(r, format);
  }
  if (!tx) throw new DecodeError('No unsigned transcation was provided');
  return { tx, unknown };
}

function* readUnsigned(r: ByteReader, format: TxFormat): Steps<Transaction> {
  const size = compactSize.read(r);
  const start = r.position;
  const tx = yield* readLongTransaction(r, format, false);
  if (r.position - start !== size) throw new DecodeError(WRONG_SIZE);
  if (hasWitness(tx) || tx.vin.some(({ scriptSig }) => scriptSig.length > 0)) {
    throw new DecodeError('Unsigned tx does not have empty scriptSigs and scriptWitnesses.');
  }
  return tx;
}
