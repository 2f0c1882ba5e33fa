import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { networkParams } from '../../src/params/index.js';
import { addressesOf } from '../../src/script/address.js';
import { scriptAsm } from '../../src/script/asm.js';
import { classify } from '../../src/script/standard.js';
import { fromHex } from '../../src/util/bytes.js';
import { readRecording, recordings } from '../shared.js';

const { address } = networkParams({ network: 'regtest' });

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Members of a PSBT whose scripts are shown in a short form: no count of signatures, at most one address. */
const SHORT_FORMS = new Set(['witness_utxo', 'redeem_script', 'witness_script']);
type Form = 'full' | 'short';

/** Our representation of a script, with the members that `recorded` may have. */
function shownScript(script: Uint8Array, recorded: JsonObject, form: Form): JsonObject {
  // Only scripts of inputs are shown without a type.
  if (recorded.type === undefined) return { asm: scriptAsm(script, { sighash: true }) };
  const { type, reqSigs } = classify(script);
  const addresses = addressesOf(script, address);
  const shown = { asm: scriptAsm(script), type };
  if (form === 'short') return recorded.address === undefined ? shown : { ...shown, address: addresses[0] ?? null };
  return { ...shown, ...(reqSigs === undefined ? {} : { reqSigs }), ...(addresses.length === 0 ? {} : { addresses }) };
}

const COMPARED = ['asm', 'type', 'reqSigs', 'addresses', 'address'];

interface Tally {
  outputs: number;
  inputs: number;
  readonly types: Map<string, number>;
  readonly wrong: string[];
}

function compare(tally: Tally, hex: string, recorded: JsonObject, form: Form): void {
  const shown = shownScript(fromHex(hex), recorded, form);
  const expected = Object.fromEntries(COMPARED.flatMap((key) => (recorded[key] === undefined ? [] : [[key, recorded[key]]])));
  if (recorded.type === undefined) tally.inputs += 1;
  else {
    tally.outputs += 1;
    const type = String(recorded.type);
    tally.types.set(type, (tally.types.get(type) ?? 0) + 1);
  }
  if (!isDeepStrictEqual(shown, expected)) {
    tally.wrong.push(`${hex}: ${JSON.stringify(shown)} instead of ${JSON.stringify(expected)}`);
  }
}

/** Compares every `{hex, asm, ...}` inside a recorded answer. */
function walk(tally: Tally, value: Json, form: Form): void {
  if (Array.isArray(value)) for (const item of value) walk(tally, item as Json, form);
  else if (isObject(value)) {
    if (typeof value.hex === 'string' && typeof value.asm === 'string') compare(tally, value.hex, value, form);
    for (const [key, item] of Object.entries(value)) walk(tally, item, SHORT_FORMS.has(key) ? 'short' : form);
  }
}

for (const folder of ['base', 'calls', 'state', 'finance']) {
  const paths = recordings(folder);
  test(`scripts in the answers of golden/${folder} are shown as by defid`, { skip: paths.length === 0 }, () => {
    const tally: Tally = { outputs: 0, inputs: 0, types: new Map(), wrong: [] };
    let described = 0;
    for (const path of paths) {
      for (const step of readRecording(path).steps) {
        if (!('answers' in step)) continue;
        for (const { method, params, result } of step.answers) {
          if (!result?.includes('"asm"')) continue;
          const answer = JSON.parse(result) as Json;
          walk(tally, answer, 'full');
          const [hex] = params as Json[];
          if (method === 'decodescript' && isObject(answer) && typeof hex === 'string') {
            described += 1;
            compare(tally, hex, answer, 'full');
          }
        }
      }
    }
    const types = [...tally.types].map(([type, count]) => `${type} ${count}`).join(', ');
    console.log(`golden/${folder}: ${tally.outputs} output scripts (${types}) and ${tally.inputs} input scripts compared`);
    console.log(`golden/${folder}: ${described} answers of decodescript among them; ${tally.wrong.length} scripts differ`);
    assert.deepEqual(tally.wrong.slice(0, 5), []);
    assert.ok(tally.outputs > 0);
  });
}
