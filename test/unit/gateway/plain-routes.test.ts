import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Request, type Response, Router } from 'express';
import { PlainRoutes, pathTemplate } from '../../../src/gateway/route.js';
import { fc } from '../../property.js';
import { committedCatalogue } from '../../rpc/catalogue.js';

const templates = committedCatalogue()
  .operations.filter(({ streams }) => !streams)
  .flatMap(({ http }) => http)
  .filter(({ verb }) => verb === 'GET')
  .map(({ path }) => path)
  .sort((a, b) => pathTemplate(a).fields.length - pathTemplate(b).fields.length || b.length - a.length);
const plain = new PlainRoutes(templates.map((path) => ({ path, route: path })));
const router = Router({ caseSensitive: true, strict: true });
for (const template of templates) {
  router.get(pathTemplate(template).expressPath, (req: Request, res: Response) => {
    const params: Record<string, string | string[]> = req.params;
    Object.assign(res, { found: { route: template, values: Object.values(params).map((value) => [value].flat().join('/')) } });
  });
}

/** The route that Express finds. */
function routed(path: string): unknown {
  const res: { found?: { readonly route: string; readonly values: readonly string[] } } = {};
  router({ method: 'GET', url: path } as Request, res as unknown as Response, () => {});
  return res.found;
}

const text = fc.string({ unit: fc.constantFrom('a', 'Z', '0', '-', '_', '.', '~'), minLength: 1, maxLength: 8 });
const anything = fc.string({ unit: fc.constantFrom('a', '%', '%41', ':', '/', '*', '(', ' '), maxLength: 8 });
const segment = fc.constantFrom(
  ...new Set(templates.flatMap((template) => template.split('/').slice(2)).filter((each) => !each.includes('{'))),
);
const filled = fc
  .tuple(fc.constantFrom(...templates), fc.array(fc.oneof(text, segment), { minLength: 6, maxLength: 6 }))
  .map(([template, values]) => template.replace(/\{[^}]*\}/g, () => values.pop() as string));
const mixed = fc.array(fc.oneof(segment, text), { minLength: 1, maxLength: 5 }).map((segments) => `/v1/${segments.join('/')}`);
const altered = fc.tuple(filled, anything).map(([path, more]) => path + more);

test('a plain path has the route that Express finds', () => {
  let found = 0;
  fc.assert(
    fc.property(fc.oneof(filled, mixed, altered), (path) => {
      const known = plain.find(path);
      if (!known) return;
      found += 1;
      assert.deepEqual(known, routed(path), path);
    }),
    { numRuns: 3_000 },
  );
  assert.ok(found > 1_000, `${found} found`);
});

test('every GET route is found, except those whose text needs Express', () => {
  for (const template of templates) {
    if (template.includes(':')) continue;
    const path = template.replace(/\{[^}]*\}/g, 'x1');
    assert.deepEqual(plain.find(path), routed(path), path);
    assert.ok(plain.find(path), path);
  }
});

for (const path of [
  '/v1',
  '/v1/',
  '/v1/chain/',
  '/v1//chain',
  '/v1/ch%61in',
  '/v2/chain',
  '/v1/chain/tip?',
  '/V1/chain',
  '/v1/Chain/tip',
]) {
  test(`left to Express: ${path}`, () => assert.equal(plain.find(path), undefined));
}
