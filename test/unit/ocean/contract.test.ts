import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { oceanRoutes } from '../../../src/ocean/routes/index.js';
import { projectRoot } from '../../shared.js';

/** Path with the names of its parameters left out. */
function shapeOf(path: string): string {
  return path.replaceAll(/\{\w+\}/g, '{}');
}

test('the endpoints are those of the contract, each once', () => {
  const contract = readFileSync(join(projectRoot, 'docs', 'protocol', 'ocean.md'), 'utf8');
  const wanted = [...contract.matchAll(/\*\*E\d+ (POST )?`([^`?]+)/g)].map(
    ([, post, path = '']) => `${post ? 'POST' : 'GET'} ${shapeOf(path)}`,
  );
  assert.equal(wanted.length, 63);
  // The contract names a pair as one part here.
  const pair = /^GET prices\/\{\}(?!-)/;
  const named = wanted.map((each) => each.replace(pair, 'GET prices/{}-{}'));
  assert.deepEqual(oceanRoutes.map(({ method, path }) => `${method} ${shapeOf(path)}`).sort(), named.sort());
});
