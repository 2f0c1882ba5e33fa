import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DecodeError, decode, encode } from '../../../src/primitives/codec.js';
import { makeTransaction } from '../../../src/primitives/transaction.js';
import { psbtCodec } from '../../../src/psbt/codec.js';
import { parsePsbt } from '../../../src/psbt/text.js';
import { encodeBase64 } from '../../../src/util/base64.js';
import { concatBytes, EMPTY_BYTES, fromHex, toHex } from '../../../src/util/bytes.js';
import { fc } from '../../property.js';
import { vectorFile } from '../../vectors.js';

const format = { tokenIds: true };
const codec = psbtCodec(format);

const MAGIC = '70736274ff';
const KEY = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const OTHER_KEY = '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5';
/** No point has this x. */
const NO_POINT = `02${'11'.repeat(32)}`;

/** An output of 1 DFI to OP_1, with token 0, and the transaction that has it. */
const parent = makeTransaction(
  {
    version: 4,
    lockTime: 0,
    vin: [
      { prevout: { txid: new Uint8Array(32).fill(0x77), vout: 0 }, scriptSig: EMPTY_BYTES, sequence: 0xffffffff, witness: [fromHex('aa')] },
    ],
    vout: [{ value: 100_000_000n, scriptPubKey: fromHex('51'), tokenId: 0 }],
  },
  format,
);
const TXID = toHex(parent.txid);
const unsigned = (scriptSig = '00') => `04000000 01 ${TXID}00000000 ${scriptSig} fdffffff 01 00e1f50500000000 0151 00 00000000`;

const compact = (hex: string): string => hex.replaceAll(' ', '');
const sized = (hex: string): string => {
  const size = compact(hex).length / 2;
  const prefix =
    size < 0xfd
      ? size.toString(16).padStart(2, '0')
      : `fd${(size & 0xff).toString(16).padStart(2, '0')}${(size >> 8).toString(16).padStart(2, '0')}`;
  return prefix + compact(hex);
};
const pair = (key: string, value: string): string => sized(key) + sized(value);
const map = (...pairs: readonly string[]): string => `${pairs.join('')}00`;
const TX = pair('00', unsigned());
const psbt = (global: string, ...maps: readonly string[]): string => MAGIC + global + maps.join('');
const withInput = (...pairs: readonly string[]): string => psbt(map(TX), map(...pairs), map());
const withOutput = (...pairs: readonly string[]): string => psbt(map(TX), map(), map(...pairs));

const PARENT = toHex(parent.raw);
const UTXO = '00e1f50500000000 0151';
const STACK = '02 00 01aa';

const faults: readonly { readonly hex: string; readonly text: string; readonly plain?: boolean }[] = [
  { hex: '', text: 'CDataStream::read(): end of data' },
  { hex: '70736274fe', text: 'Invalid PSBT magic bytes' },
  { hex: psbt(map(TX, TX)), text: 'Duplicate Key, unsigned tx already provided' },
  { hex: psbt(map(pair('0000', unsigned()))), text: 'Global unsigned tx key is more than one byte type' },
  { hex: psbt(map(pair('00', unsigned('0151')))), text: 'Unsigned tx does not have empty scriptSigs and scriptWitnesses.' },
  { hex: psbt(TX), text: 'Separator is missing at the end of the global map' },
  { hex: psbt(map()), text: 'No unsigned transcation was provided' },
  { hex: psbt(map(TX, pair('0f', '00'), pair('0f', '01'))), text: 'Duplicate Key, key for unknown value already provided' },
  { hex: withInput(pair('00', PARENT), pair('00', PARENT)), text: 'Duplicate Key, input non-witness utxo already provided' },
  { hex: withInput(pair('0000', PARENT)), text: 'Non-witness utxo key is more than one byte type' },
  { hex: withInput(pair('01', UTXO), pair('01', UTXO)), text: 'Duplicate Key, input witness utxo already provided' },
  { hex: withInput(pair('0100', UTXO)), text: 'Witness utxo key is more than one byte type' },
  { hex: withInput(pair('02', 'aa')), text: 'Size of key was not the expected size for the type partial signature pubkey' },
  { hex: withInput(pair(`02${NO_POINT}`, 'aa')), text: 'Invalid pubkey' },
  {
    hex: withInput(pair(`02${KEY}`, 'aa'), pair(`02${KEY}`, 'aa')),
    text: 'Duplicate Key, input partial signature for pubkey already provided',
  },
  { hex: withInput(pair('03', '01000000'), pair('03', '01000000')), text: 'Duplicate Key, input sighash type already provided' },
  { hex: withInput(pair('0300', '01000000')), text: 'Sighash type key is more than one byte type' },
  { hex: withInput(pair('04', '51'), pair('04', '51')), text: 'Duplicate Key, input redeemScript already provided' },
  { hex: withInput(pair('0400', '51')), text: 'Input redeemScript key is more than one byte type' },
  { hex: withInput(pair('05', '51'), pair('05', '51')), text: 'Duplicate Key, input witnessScript already provided' },
  { hex: withInput(pair('0500', '51')), text: 'Input witnessScript key is more than one byte type' },
  { hex: withInput(pair('06', '00000000')), text: 'Size of key was not the expected size for the type BIP32 keypath' },
  { hex: withInput(pair(`06${NO_POINT}`, '00000000')), text: 'Invalid pubkey' },
  {
    hex: withInput(pair(`06${KEY}`, '00000000'), pair(`06${KEY}`, '00000000')),
    text: 'Duplicate Key, pubkey derivation path already provided',
  },
  { hex: withInput(pair(`06${KEY}`, '')), text: 'Invalid length for HD key path' },
  { hex: withInput(pair(`06${KEY}`, '0000000000')), text: 'Invalid length for HD key path' },
  { hex: withInput(pair('07', '51'), pair('07', '51')), text: 'Duplicate Key, input final scriptSig already provided' },
  { hex: withInput(pair('0700', '51')), text: 'Final scriptSig key is more than one byte type' },
  { hex: withInput(pair('08', STACK), pair('08', STACK)), text: 'Duplicate Key, input final scriptWitness already provided' },
  { hex: withInput(pair('0800', STACK)), text: 'Final scriptWitness key is more than one byte type' },
  { hex: psbt(map(TX), pair('04', '51')), text: 'Separator is missing at the end of an input map' },
  { hex: withOutput(pair('00', '51'), pair('00', '51')), text: 'Duplicate Key, output redeemScript already provided' },
  { hex: withOutput(pair('0000', '51')), text: 'Output redeemScript key is more than one byte type' },
  { hex: withOutput(pair('01', '51'), pair('01', '51')), text: 'Duplicate Key, output witnessScript already provided' },
  { hex: withOutput(pair('0100', '51')), text: 'Output witnessScript key is more than one byte type' },
  { hex: psbt(map(TX), map(), pair('00', '51')), text: 'Separator is missing at the end of an output map' },
  { hex: withInput(pair('00', PARENT.replace('00e1f505', '01e1f505'))), text: 'Non-witness UTXO does not match outpoint hash' },
  { hex: psbt(map(TX)), text: 'Inputs provided does not match the number of inputs in transaction.' },
  { hex: psbt(map(TX), map()), text: 'Outputs provided does not match the number of outputs in transaction.' },
  { hex: withInput(pair('00', PARENT), pair('01', UTXO)), text: 'PSBT is not sane.' },
  { hex: withInput(pair('05', '51')), text: 'PSBT is not sane.' },
  { hex: withInput(pair('08', STACK)), text: 'PSBT is not sane.' },
  { hex: withInput(pair('03', '0100000000')), text: 'Size of value was not the stated size' },
  { hex: withInput(`${sized('04')}05`), text: 'CDataStream::read(): end of data' },
  { hex: withInput(`${sized('04')}ffffffffffffffffff`), text: 'ReadCompactSize(): size too large' },
  { hex: withInput(`${sized('04')}fd0100`), text: 'non-canonical ReadCompactSize()' },
  { hex: withInput(pair('00', `04000000 0002 01 ${TXID}00000000 00 ffffffff 00 00000000`)), text: 'Unknown transaction optional data' },
  { hex: `${withInput()}00`, text: 'extra data after PSBT', plain: true },
];
for (const { hex, text, plain = false } of faults) {
  test(`psbt: ${text} (${hex.length / 2} bytes)`, () => {
    const message = plain ? text : `${text}: iostream error`;
    assert.throws(() => parsePsbt(encodeBase64(fromHex(compact(hex))), format), { name: 'DecodeError', message });
  });
}

for (const text of ['=', 'zz', '00', 'cHNidP8B?', ' ', 'cHNidP8B=']) {
  test(`psbt: '${text}' is not base64`, () => assert.throws(() => parsePsbt(text, format), { message: 'invalid base64' }));
}

test('psbt: entries are written in a fixed order', () => {
  const mixed = withInput(
    pair('10', 'bb'),
    pair(`06${OTHER_KEY}`, '0102030400000080'),
    pair(`06${KEY}`, '01020304'),
    pair('0f01', 'aa'),
    pair('04', '51'),
    pair('03', '81000000'),
    pair(`02${KEY}`, 'cc'),
    pair(`02${OTHER_KEY}`, 'dd'),
    pair('01', UTXO),
  );
  const ordered = withInput(
    pair('01', UTXO),
    // By key id: 06afd46b... of the second, 751e76e8... of the first.
    pair(`02${OTHER_KEY}`, 'dd'),
    pair(`02${KEY}`, 'cc'),
    pair('03', '81000000'),
    pair('04', '51'),
    pair(`06${KEY}`, '01020304'),
    pair(`06${OTHER_KEY}`, '0102030400000080'),
    pair('0f01', 'aa'),
    pair('10', 'bb'),
  );
  assert.equal(toHex(encode(codec, decode(codec, fromHex(compact(mixed))))), compact(ordered));
});

test('psbt: nonWitnessUtxo is kept without its witness', () => {
  const stripped = compact(`04000000 01 ${'77'.repeat(32)}00000000 00 ffffffff 01 00e1f50500000000 0151 00 00000000`);
  assert.notEqual(PARENT, stripped);
  const read = decode(codec, fromHex(compact(withInput(pair('00', PARENT)))));
  assert.equal(toHex(encode(codec, read)), compact(withInput(pair('00', stripped))));
});

test('psbt: a final input keeps only final scripts and unknown entries', () => {
  const entries = [
    pair('01', UTXO),
    pair(`02${KEY}`, 'cc'),
    pair('04', '51'),
    pair(`06${KEY}`, '01020304'),
    pair('07', '0151'),
    pair('0f', 'aa'),
  ];
  const read = decode(codec, fromHex(compact(withInput(...entries))));
  assert.equal(toHex(encode(codec, read)), compact(withInput(pair('01', UTXO), pair('07', '0151'), pair('0f', 'aa'))));
});

test('psbt: witnessUtxo has no token id', () => {
  const read = decode(codec, fromHex(compact(withInput(pair('01', UTXO)))));
  assert.deepEqual(read.inputs[0]?.witnessUtxo, { value: 100_000_000n, scriptPubKey: Buffer.from('51', 'hex'), tokenId: 0 });
  assert.equal(read.tx.vout[0]?.tokenId, 0);
});

const valid = vectorFile<{ readonly valid: readonly string[] }>('rpc_psbt.json').valid.map((text) => Buffer.from(text, 'base64'));

/** Bytes that decode are encoded to bytes that decode to the same; all others throw a DecodeError. */
function check(bytes: Uint8Array): void {
  let first: Uint8Array;
  try {
    first = encode(codec, decode(codec, bytes));
  } catch (error) {
    if (error instanceof DecodeError) return;
    throw error;
  }
  assert.deepEqual(encode(codec, decode(codec, first)), first);
}

test('psbt: random bytes decode or throw DecodeError', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => check(concatBytes(fromHex(MAGIC), bytes))));
});

test('psbt: mutated bytes decode or throw DecodeError', () => {
  const mutation = fc.record({ at: fc.nat(), size: fc.nat({ max: 3 }), bytes: fc.uint8Array({ maxLength: 3 }) });
  fc.assert(
    fc.property(fc.constantFrom(...valid), fc.array(mutation, { minLength: 1, maxLength: 4 }), (base, mutations) => {
      let bytes: Uint8Array = base;
      for (const { at, size, bytes: inserted } of mutations) {
        const from = at % (bytes.length + 1);
        bytes = concatBytes(bytes.subarray(0, from), inserted, bytes.subarray(from + size));
      }
      check(bytes);
    }),
    process.env.FC_RUNS ? {} : { numRuns: 500 },
  );
});
