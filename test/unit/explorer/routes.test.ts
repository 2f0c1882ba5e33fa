import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRoute, routeTo } from '../../../src/explorer/routes.js';

test('routes: what is written is read', () => {
  const cases: { name: string; argument?: string; query?: Record<string, string> }[] = [
    { name: 'blocks' },
    { name: 'tx', argument: 'ab'.repeat(32), query: { block: 'cd'.repeat(32) } },
    { name: 'token', argument: 'BTC#128/?&%' },
    { name: 'tokens', query: { start: '7 & 8' } },
  ];
  for (const { name, argument = '', query = {} } of cases) {
    const route = parseRoute(`#${routeTo(name, argument, query)}`);
    assert.deepEqual({ name: route.name, argument: route.argument, query: Object.fromEntries(route.query) }, { name, argument, query });
  }
});

test('routes: no route, empty parameters, a wrong encoding', () => {
  assert.equal(parseRoute('').name, '');
  assert.equal(parseRoute('#/').name, '');
  assert.equal(routeTo('events', '', { kind: '' }), '/events');
  assert.equal(parseRoute('#/token/%zz').argument, '%zz');
});
