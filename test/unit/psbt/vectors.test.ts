import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseWif } from '../../../src/crypto/keys.js';
import { networkParams } from '../../../src/params/index.js';
import { DecodeError } from '../../../src/primitives/codec.js';
import { combinePsbts } from '../../../src/psbt/combine.js';
import { extractTransaction, finalizePsbt } from '../../../src/psbt/finalize.js';
import { isFinal, isSane } from '../../../src/psbt/psbt.js';
import { solveInputs } from '../../../src/psbt/solve.js';
import { formatPsbt, parsePsbt } from '../../../src/psbt/text.js';
import { KeyStore } from '../../../src/script/key-source.js';
import { toHex } from '../../../src/util/bytes.js';
import { startServices } from '../../rpc/service-node.js';
import { vectorFile } from '../../vectors.js';

interface Vectors {
  readonly invalid: readonly string[];
  readonly valid: readonly string[];
  readonly creator: readonly { readonly inputs: unknown; readonly outputs: unknown; readonly result: string }[];
  readonly signer: readonly { readonly privkeys: readonly string[]; readonly psbt: string; readonly result: string }[];
  readonly combiner: readonly { readonly combine: readonly string[]; readonly result: string }[];
  readonly finalizer: readonly { readonly finalize: string; readonly result: string }[];
  readonly extractor: readonly { readonly extract: string; readonly result: string }[];
}

const vectors = vectorFile<Vectors>('rpc_psbt.json');
const params = networkParams({ network: 'regtest' });
const { txFormat: format, address } = params;

test('psbt vectors: there are vectors of each role', () => {
  const counts = Object.entries(vectors).map(([role, cases]) => `${role} ${(cases as readonly unknown[]).length}`);
  assert.deepEqual(counts, ['invalid 19', 'valid 6', 'creator 1', 'signer 6', 'combiner 2', 'finalizer 1', 'extractor 1']);
});

vectors.invalid.forEach((text, i) => {
  test(`psbt vectors: invalid ${i}`, () => assert.throws(() => parsePsbt(text, format), DecodeError));
});

vectors.valid.forEach((text, i) => {
  test(`psbt vectors: valid ${i}`, () => {
    const psbt = parsePsbt(text, format);
    const again = formatPsbt(psbt, format);
    assert.equal(formatPsbt(parsePsbt(again, format), format), again);
    // Omitted are the witness of `nonWitnessUtxo`, and fields that a final input no longer needs.
    const shortened = psbt.inputs.some((input) => isFinal(input) || input.nonWitnessUtxo?.vin.some(({ witness }) => witness.length > 0));
    if (!shortened) assert.equal(again, text);
  });
});

vectors.creator.forEach(({ inputs, outputs, result }, i) => {
  test(`psbt vectors: creator ${i}`, async () => {
    const { ask } = startServices(params);
    assert.equal(await ask('createpsbt', JSON.stringify([inputs, outputs])), JSON.stringify(result));
  });
});

vectors.signer.forEach(({ privkeys, psbt, result }, i) => {
  test(`psbt vectors: signer ${i}`, () => {
    const keys = new KeyStore();
    for (const text of privkeys) {
      const key = parseWif(text, address);
      assert.ok(key, text);
      keys.addKey(key);
    }
    assert.equal(formatPsbt(solveInputs(parsePsbt(psbt, format), { format, keys }).psbt, format), result);
  });
});

vectors.combiner.forEach(({ combine, result }, i) => {
  test(`psbt vectors: combiner ${i}`, () => {
    const [first, ...others] = combine.map((text) => parsePsbt(text, format));
    assert.ok(first);
    const combined = combinePsbts([first, ...others]);
    assert.ok(combined && isSane(combined));
    assert.equal(formatPsbt(combined, format), result);
  });
});

vectors.finalizer.forEach(({ finalize, result }, i) => {
  test(`psbt vectors: finalizer ${i}`, () => {
    const { psbt, complete } = finalizePsbt(parsePsbt(finalize, format), format);
    assert.deepEqual([formatPsbt(psbt, format), complete], [result, true]);
  });
});

vectors.extractor.forEach(({ extract, result }, i) => {
  test(`psbt vectors: extractor ${i}`, () => {
    assert.equal(toHex(extractTransaction(parsePsbt(extract, format), format).raw), result);
  });
});
