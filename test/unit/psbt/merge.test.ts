import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { networkParams } from '../../../src/params/index.js';
import { makeTransaction } from '../../../src/primitives/transaction.js';
import { combinePsbts } from '../../../src/psbt/combine.js';
import { joinPsbts } from '../../../src/psbt/join.js';
import { createPsbt, type Psbt, type UnknownEntries } from '../../../src/psbt/psbt.js';
import { EMPTY_BYTES } from '../../../src/util/bytes.js';
import { finish } from '../../../src/util/slicer.js';

const { txFormat: format } = networkParams({ network: 'regtest' });
const bare = createPsbt(makeTransaction({ version: 2, vin: [], vout: [], lockTime: 7 }, format));
const vin = [{ prevout: { txid: new Uint8Array(32), vout: 0 }, scriptSig: EMPTY_BYTES, sequence: 0, witness: [] }];
const spending = createPsbt(makeTransaction({ version: 2, vin, vout: [], lockTime: 0 }, format));

const ENTRIES = 500;
const OTHERS = 200;

function entries(from: number, count: number): UnknownEntries {
  return new Map(Array.from({ length: count }, (_, i) => [(0xf000_0000 + from + i).toString(16), Uint8Array.of(i)]));
}

/** Number of map entries that work writes. */
function writesOf(work: () => unknown): number {
  const set = mock.method(Map.prototype, 'set');
  try {
    work();
    return set.mock.callCount();
  } finally {
    set.mock.restore();
  }
}

test('many PSBTs are joined and combined without copies of the entries of the first one for each of them', () => {
  const many = (psbt: Psbt, merge: (psbts: [Psbt, ...Psbt[]]) => Psbt | undefined): void => {
    const others = Array.from({ length: OTHERS }, (_, i) => ({ ...psbt, unknown: entries(ENTRIES + i, 1) }));
    const first = { ...psbt, unknown: entries(0, ENTRIES) };
    let merged: Psbt | undefined;
    const writes = writesOf(() => {
      merged = merge([first, ...others]);
    });
    assert.equal(merged?.unknown.size, ENTRIES + OTHERS);
    assert.equal(first.unknown.size, ENTRIES, 'the first one is unchanged');
    assert.ok(writes < 3 * (ENTRIES + OTHERS), `${writes} writes`);
  };
  many(bare, (psbts) => finish(joinPsbts(psbts, format)));
  many(bare, combinePsbts);
  many(spending, combinePsbts);
});

test('the entries of an input are added to it, and those of the first PSBT stay', () => {
  const [input] = spending.inputs;
  assert.ok(input);
  const withInput = (unknown: UnknownEntries): Psbt => ({ ...spending, inputs: [{ ...input, unknown }] });
  const first = withInput(new Map([['f0', Uint8Array.of(1)]]));
  const second = new Map([
    ['f0', Uint8Array.of(2)],
    ['f1', Uint8Array.of(3)],
  ]);
  const combined = combinePsbts([first, withInput(second)]);
  assert.deepEqual(
    [...(combined?.inputs[0]?.unknown ?? [])],
    [
      ['f0', Uint8Array.of(1)],
      ['f1', Uint8Array.of(3)],
    ],
  );
  assert.deepEqual(first.inputs[0]?.unknown.size, 1);
});

test('as many PSBTs can be joined as a request may contain', () => {
  const { tx } = finish(joinPsbts(new Array<Psbt>(250_000).fill(bare), format));
  assert.deepEqual([tx.version, tx.lockTime], [2, 7]);
});
