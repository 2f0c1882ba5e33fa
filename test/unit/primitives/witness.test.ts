import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sha256 } from '../../../src/crypto/hash.js';
import { ByteWriter, compactSize, DecodeError, decode, varBytes } from '../../../src/primitives/codec.js';
import { decodeLongTransaction, serializeTransaction, type TxIn, transaction } from '../../../src/primitives/transaction.js';
import { SerialisedWitness } from '../../../src/primitives/witness.js';
import { VerifyFlag } from '../../../src/script/flags.js';
import { Op } from '../../../src/script/opcodes.js';
import { buildScript } from '../../../src/script/script.js';
import { verifyScript } from '../../../src/script/verify.js';
import { EMPTY_BYTES, toHex } from '../../../src/util/bytes.js';
import { finish } from '../../../src/util/slicer.js';
import { fc } from '../../property.js';

const format = { tokenIds: true };
const codec = transaction(format);

/** Transaction with one input for each witness. */
function withWitnesses(...witnesses: readonly (readonly Uint8Array[])[]): Uint8Array {
  const w = new ByteWriter();
  w.bytes(Uint8Array.of(2, 0, 0, 0, 0, 1));
  compactSize.write(w, witnesses.length);
  for (let i = 0; i < witnesses.length; i++) w.bytes(new Uint8Array(41).fill(i + 1, 0, 36));
  w.bytes(Uint8Array.of(1, ...new Uint8Array(8), 0));
  for (const items of witnesses) {
    compactSize.write(w, items.length);
    for (const item of items) varBytes.write(w, item);
  }
  w.bytes(new Uint8Array(4));
  return w.finish();
}

function witnessesOf(bytes: Uint8Array): TxIn['witness'][] {
  return decode(codec, bytes).vin.map(({ witness }) => witness);
}

const numbered = (count: number): Uint8Array[] => Array.from({ length: count }, (_, i) => new Uint8Array(i % 3).fill(i));
const hexOf = (items: Iterable<Uint8Array>): string[] => Array.from(items, (item) => toHex(item));

describe('a witness of very many items', () => {
  const items = numbered(5_000);
  const bytes = withWitnesses([Uint8Array.of(7)], items, []);

  test('is kept as bytes and equals the list of its items', () => {
    const [short, long, none] = witnessesOf(bytes);
    assert.ok(!(short instanceof SerialisedWitness) && long instanceof SerialisedWitness && none?.length === 0);
    assert.equal(long.length, items.length);
    assert.deepEqual(hexOf(long), hexOf(items));
    const indexes = fc.integer({ min: -5_100, max: 5_100 });
    fc.assert(
      fc.property(indexes, indexes, (from, to) => {
        assert.deepEqual(long.at(from), items.at(from) && Buffer.from(items.at(from) as Uint8Array));
        assert.deepEqual(hexOf(long.slice(from, to)), hexOf(items.slice(from, to)));
      }),
    );
    assert.deepEqual(hexOf(long.slice()), hexOf(items));
  });

  test('is written as it was read, also in slices', () => {
    assert.equal(toHex(serializeTransaction(decode(codec, bytes), format)), toHex(bytes));
    const steps = decodeLongTransaction(bytes, format, true);
    let yields = 0;
    for (let step = steps.next(); ; step = steps.next(), yields++) {
      if (!step.done) continue;
      assert.deepEqual(hexOf(step.value.vin[1]?.witness ?? []), hexOf(items));
      break;
    }
    assert.ok(yields > 0, 'read in one go');
  });

  test('that is cut off is an error wherever it is cut', () => {
    for (let size = bytes.length - 1; size > 100; size -= 997) {
      assert.throws(() => decode(codec, bytes.subarray(0, size)), DecodeError);
      assert.throws(() => finish(decodeLongTransaction(bytes.subarray(0, size), format, true)), DecodeError);
    }
  });
});

describe('a script with more items than it can use', () => {
  const checker = {} as Parameters<typeof verifyScript>[2];
  const verdict = (script: Uint8Array, count: number): string => {
    const program = buildScript(Op.ZERO, sha256(script));
    const witness = witnessesOf(withWitnesses([...numbered(count), script]))[0] as TxIn['witness'];
    try {
      verifyScript({ scriptSig: EMPTY_BYTES, witness, scriptPubKey: program }, VerifyFlag.P2SH | VerifyFlag.WITNESS, checker);
      return 'valid';
    } catch (error) {
      return (error as Error).message;
    }
  };

  test('fails in the same way, however many there are', () => {
    for (const script of [EMPTY_BYTES, Uint8Array.of(Op.TWO_DROP), Uint8Array.of(Op.RETURN), Uint8Array.of(Op.DEPTH)]) {
      const few = verdict(script, 1_050);
      assert.notEqual(few, 'valid');
      for (const count of [1_150, 1_201, 20_000]) assert.equal(verdict(script, count), few);
    }
  });
});
