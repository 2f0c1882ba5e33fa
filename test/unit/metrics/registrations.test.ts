import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createRegistry } from '../../../src/metrics/registry.js';
import { filesBelow, projectRoot } from '../../shared.js';

const src = join(projectRoot, 'src');
const folder = join(src, 'metrics');

test('every function that registers metrics is called by the program', () => {
  const registrations = readdirSync(folder).flatMap((name) =>
    [
      ...readFileSync(join(folder, name), 'utf8').matchAll(
        /^export (?:function (\w+)|class (\w+)\b[^{]*\{[^}]*?constructor)\(\s*registry: /gm,
      ),
    ].map(([, made, built]) => ({ name, call: made ?? `new ${built}` })),
  );
  assert.ok(registrations.length > 10, `only ${registrations.length} registrations were found`);
  const texts = filesBelow(src).map((path) => ({ path, text: readFileSync(path, 'utf8') }));
  const unused = registrations.filter(({ name, call }) => {
    const own = join(folder, name);
    const called = new RegExp(`(?<!function )\\b${call}(?:<[^>]*>)?\\(`);
    return !texts.some(({ path, text }) => path !== own && called.test(text));
  });
  assert.deepEqual(unused, []);
});

test('no gauge has the name of a counter', async () => {
  const text = await createRegistry({ version: '1', nativeEcdsa: true }).metrics();
  const gauges = [...text.matchAll(/^# TYPE (\w+) gauge$/gm)].map(([, name = '']) => name);
  assert.ok(gauges.length > 10);
  assert.deepEqual(
    gauges.filter((name) => name.endsWith('_total')),
    [],
  );
});
