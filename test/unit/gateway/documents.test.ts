import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openRpc } from '../../../src/gateway/documents/openrpc.js';
import { catalogue } from '../../e2e/gateway-fixture.js';
import { openApiFile, openApiText } from '../../tools/openapi.js';

type Node = { readonly [key: string]: Node };

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly example?: unknown;
  readonly schema?: { readonly type?: string | readonly string[] };
}

test('openapi: the file in gen/ equals the output of the generator', () => {
  // `node --import tsx test/tools/openapi.ts --write` updates it.
  assert.ok(readFileSync(openApiFile, 'utf8') === openApiText(), 'gen/openapi.json is out of date');
});

test('documents: amounts are said to have eight decimals, not to be integers', () => {
  const swap = openRpc(catalogue(), '1').methods as readonly { readonly name: string; readonly params: readonly Node[] }[];
  const properties = swap.find(({ name }) => name === 'poolswap')?.params[0]?.schema?.properties;
  assert.equal(properties?.amountFrom?.description, 'Amount to sell, with eight decimals.');
  assert.ok(openApiText().includes('with eight decimals') && !openApiText().includes('in 1e-8'));
});

test('openapi: no amount is a multiple of 1e-8, which validators deny of 33.33', () => {
  const { schemas } = JSON.parse(openApiText()).components as { schemas: Record<string, { properties?: Node }> };
  assert.equal(schemas['wallet.v1.TransactionDetail']?.properties?.amount?.format, 'amount');
  assert.ok(!openApiText().includes('multipleOf'));
});

test('openapi: contains every route of the catalogue, with a unique id', () => {
  const { paths } = JSON.parse(openApiText()) as { paths: Record<string, Record<string, { operationId: string }>> };
  const ids = Object.values(paths).flatMap((verbs) => Object.values(verbs).map((each) => each.operationId));
  assert.equal(new Set(ids).size, ids.length);
  const routes = catalogue().operations.flatMap((op) => op.http);
  assert.ok(routes.length > 150);
  assert.equal(ids.length, routes.length);
  const plainPath = (path: string): string => path.replaceAll(/[{]([^}]+)[}]/g, (_, field: string) => `{${field.split('.').at(-1)}}`);
  for (const { verb, path } of routes) assert.ok(paths[plainPath(path)]?.[verb.toLowerCase()], `${verb} ${path}`);
});

test('openapi: the parameters of a path have names without dots, which differ', () => {
  const { paths } = JSON.parse(openApiText()) as { paths: Record<string, Record<string, { parameters?: Parameter[] }>> };
  for (const [path, verbs] of Object.entries(paths)) {
    const names = [...path.matchAll(/[{](.*?)[}]/g)].map(([, name = '']) => name);
    assert.equal(new Set(names).size, names.length, path);
    for (const name of names) assert.match(name, /^\w+$/, path);
    for (const { parameters = [] } of Object.values(verbs)) {
      const declared = parameters.filter((each) => each.in === 'path').map((each) => each.name);
      assert.deepEqual(declared.sort(), [...names].sort(), path);
    }
  }
});

test('openapi: a field of the path is no parameter of the query too, although a query writes it differently', () => {
  const { paths } = JSON.parse(openApiText()) as { paths: Record<string, Record<string, { parameters?: Parameter[] }>> };
  const namesOf = (path: string): string[] => (paths[path]?.get?.parameters ?? []).flatMap(({ name }) => name ?? []);
  assert.deepEqual(namesOf('/v1/vaults/{vaultid}'), ['vaultid', 'verbose']);
  assert.deepEqual(namesOf('/v1/chain/hashes/{height}/stats'), ['height', 'stats']);
  for (const [path, verbs] of Object.entries(paths)) {
    for (const { parameters = [] } of Object.values(verbs)) {
      const inPath = parameters.filter((each) => each.in === 'path').map((each) => each.name.toLowerCase());
      const again = parameters.filter((each) => each.in === 'query' && inPath.includes(each.name.toLowerCase()));
      assert.deepEqual(again, [], path);
    }
  }
});

test('documents: the cursor of a page is next to its elements, and JSON-RPC has none', () => {
  const { paths, components } = JSON.parse(openApiText()) as { paths: Record<string, Record<string, Node>>; components: Node };
  const schemas = (components.schemas ?? {}) as Record<string, { type?: string; properties?: Node }>;
  assert.equal(schemas['node.v1.ListTokensResponse']?.type, 'object');
  assert.equal(schemas['wallet.v1.ListTransactionsResponse']?.type, 'array');
  assert.ok(JSON.stringify(paths['/v1/tokens']?.get?.responses).includes('"next"'));
  // An object has its cursor as a member.
  assert.ok(schemas['wallet.v1.ListSinceBlockResponse']?.properties?.next);
  const document = openRpc(catalogue(), '1');
  assert.ok(JSON.stringify(document).includes('"listsinceblock"'));
  assert.ok(!JSON.stringify(document).includes('Page after this one'));
});

test('openapi: a choice between values does not contain itself', () => {
  const { schemas } = JSON.parse(openApiText()).components as { schemas: Record<string, unknown> };
  const choices = Object.keys(schemas).filter((name) => 'anyOf' in (schemas[name] as object));
  assert.ok(choices.length > 10);
  for (const choice of choices) {
    const reached = new Set<string>();
    const visit = (name: string): void => {
      for (const inner of refsIn(schemas[name]).map((ref) => ref.slice(ref.lastIndexOf('/') + 1))) {
        if (reached.has(inner)) continue;
        reached.add(inner);
        visit(inner);
      }
    };
    visit(choice);
    assert.ok(!reached.has(choice), choice);
  }
});

test('openapi: an example has the type of its parameter, and the path of the unnamed wallet is said', () => {
  const { paths } = JSON.parse(openApiText()) as { paths: Record<string, Record<string, { parameters?: Parameter[] }>> };
  const parameters = Object.values(paths).flatMap((verbs) => Object.values(verbs).flatMap((each) => each.parameters ?? []));
  const examples = parameters.filter((each) => each.example !== undefined);
  assert.ok(examples.length > 100);
  for (const { name, example, schema } of examples) {
    const types = [schema?.type].flat().map((type) => (type === 'integer' ? 'number' : type));
    assert.ok(types.includes(typeof example), name);
  }
  const wallet = parameters.find((each) => each.name === 'wallet');
  assert.equal(wallet?.example, '-');
});

test('openapi: every operation says how it refuses', () => {
  const document = JSON.parse(openApiText());
  assert.deepEqual(document.servers[0].url, '/');
  assert.equal(document.info.license.identifier, 'MIT');
  const { responses } = document.paths['/v1/blocks/{blockhash}'].get;
  assert.deepEqual(Object.keys(responses), ['200', '400', '401', '403', '404', '429', 'default']);
  assert.ok(document.components.responses.NotFound);
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
    example: '279b1a87aedc7b9471d4ad4e5f12967ab6259926cd097ade188dfcf22ebfe72a',
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
