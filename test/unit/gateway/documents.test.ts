import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openRpc } from '../../../src/gateway/documents/openrpc.js';
import { catalogue } from '../../e2e/gateway-fixture.js';
import { openApiFile, openApiText } from '../../tools/openapi.js';

type Node = { readonly [key: string]: Node };

test('openapi: the file in gen/ equals the output of the generator', () => {
  // `node --import tsx test/tools/openapi.ts --write` updates it.
  assert.ok(readFileSync(openApiFile, 'utf8') === openApiText(), 'gen/openapi.json is out of date');
});

test('openapi: contains every route of the catalogue, with a unique id', () => {
  const { paths } = JSON.parse(openApiText()) as { paths: Record<string, Record<string, { operationId: string }>> };
  const ids = Object.values(paths).flatMap((verbs) => Object.values(verbs).map((each) => each.operationId));
  assert.equal(new Set(ids).size, ids.length);
  const routes = catalogue().operations.flatMap((op) => op.http);
  assert.ok(routes.length > 150);
  assert.equal(ids.length, routes.length);
  for (const { verb, path } of routes) assert.ok(paths[path]?.[verb.toLowerCase()], `${verb} ${path}`);
});

test('openapi and openrpc: every $ref has its target', () => {
  for (const document of [JSON.parse(openApiText()) as Node, openRpc(catalogue(), '1') as Node]) {
    for (const ref of refsIn(document)) {
      const target = ref
        .slice(2)
        .split('/')
        .reduce<Node | undefined>((node, name) => node?.[name], document);
      assert.ok(target, ref);
    }
  }
});

test('openapi: a parameter has its type, default and comment', () => {
  const document = JSON.parse(openApiText());
  const [blockhash, verbosity] = document.paths['/v1/blocks/{blockhash}'].get.parameters;
  assert.deepEqual(blockhash, {
    name: 'blockhash',
    in: 'path',
    required: true,
    description: 'Hash of the block.',
    schema: { type: 'string' },
  });
  assert.deepEqual([verbosity.in, verbosity.schema], ['query', { type: 'integer', format: 'int32', default: 1 }]);
  const response = document.components.schemas['blockchain.v1.GetTxOutResponse'];
  assert.deepEqual(response.anyOf[1], { type: 'null' });
});

test('openrpc: parameters are in the order of the call', () => {
  const { methods } = openRpc(catalogue(), '1') as unknown as {
    methods: { name: string; params: { name: string; required: boolean }[] }[];
  };
  const getblock = methods.find((each) => each.name === 'getblock');
  assert.deepEqual(
    getblock?.params.map(({ name, required }) => [name, required]),
    [
      ['blockhash', true],
      ['verbosity', false],
    ],
  );
  assert.equal(methods.length, catalogue().operations.filter((op) => !op.streams).length);
});

function refsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(refsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === '$ref' ? [String(inner)] : refsIn(inner)));
}
