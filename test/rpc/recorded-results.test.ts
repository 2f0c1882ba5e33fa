import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJson } from '../../src/util/json.js';
import { readRecording, recordings } from '../shared.js';
import { Conformance } from '../tools/conforms.js';
import { committedCatalogue } from './catalogue.js';

/** Strict: members that only the operations document names are left out. */
const catalogue = committedCatalogue(true);
const conformance = new Conformance(catalogue);

test('answers of defid have the shape that the protos declare', () => {
  const wrong = new Map<string, string>();
  let compared = 0;
  for (const path of [...recordings('calls'), ...recordings('state')]) {
    for (const step of readRecording(path).steps) {
      if (!('check' in step)) continue;
      for (const { method, result } of step.answers) {
        const operation = catalogue.byName(method);
        if (!operation || result === undefined || wrong.has(method)) continue;
        compared++;
        const reason = conformance.check(operation.output, parseJson(result));
        if (reason !== undefined) wrong.set(method, `${reason} in ${result.slice(0, 300)}`);
      }
    }
  }
  console.log(`compared ${compared} recorded results with their declarations`);
  assert.deepEqual(Object.fromEntries(wrong), {});
});
