import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Operation, Param } from '../../src/rpc/catalogue.js';
import { Dialect } from '../../src/rpc/options.js';
import { writeJson } from '../../src/util/json.js';
import { projectRoot } from '../shared.js';
import { committedCatalogue, groups } from './catalogue.js';
import { beyondDocument, defaultsInProse, differingDefaults, optionalOverJsonRpc, walletOperationsNotShown } from './operations-tables.js';

/** Row of test/vectors/operations.json: an operation of the operations document. */
interface DocumentedOperation {
  readonly group: string;
  readonly name: string;
  /** Null if the operations document does not show them. */
  readonly params: readonly DocumentedParam[] | null;
}

interface DocumentedParam {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
  readonly default?: string;
}

const documented = (
  JSON.parse(readFileSync(join(projectRoot, 'test/vectors/operations.json'), 'utf8')) as {
    readonly operations: readonly DocumentedOperation[];
  }
).operations;
const catalogue = committedCatalogue();
const inGroups = catalogue.operations.filter((operation) => Object.values(groups).includes(operation.service));

/** The operations document quotes strings with apostrophes; other values are JSON. */
function asJson(text: string): string {
  return /^'.*'$/.test(text) ? JSON.stringify(text.slice(1, -1)) : text;
}

function documentDefault(param: Param): string | undefined {
  return param.documentDefault === undefined ? undefined : writeJson(param.documentDefault);
}

function require(name: string): Operation {
  const operation = catalogue.byName(name);
  assert.ok(operation, `no proto declares ${name}`);
  return operation;
}

test('the operations document lists 142 operations', () => {
  assert.equal(documented.length, 142);
  assert.equal(new Set(documented.map(({ name }) => name)).size, 142);
});

test('the six services have the operations of the operations document, the wallet operations that it leaves out, and no other', () => {
  const expected = [...documented.map(({ name }) => name), ...walletOperationsNotShown].sort();
  assert.deepEqual(inGroups.map(({ name }) => name).sort(), [...new Set(expected)]);
  for (const name of walletOperationsNotShown) assert.equal(require(name).service, groups.Wallet);
});

for (const { group, name, params } of documented) {
  test(`${name}: group, parameters, order and defaults equal the operations document`, () => {
    const operation = require(name);
    assert.equal(operation.service, groups[group]);
    const declared = operation.params;
    // The operations document describes JSON-RPC, which has no pages.
    const extra = declared
      .slice(params?.length ?? 0)
      .filter((param) => !operation.pages || !['page', 'limit'].includes(param.name) || param.only !== Dialect.DOCUMENT);
    assert.deepEqual(
      extra.map((param) => param.name),
      beyondDocument[name] ?? [],
      'parameters beyond the operations document',
    );
    for (const [index, wanted] of (params ?? []).entries()) {
      const param = declared[index];
      assert.ok(param, `parameter ${index + 1} is missing`);
      assert.ok(
        [param.name, ...param.names].includes(wanted.name),
        `parameter ${index + 1} is ${wanted.name} in the operations document, not ${param.names.join(' or ')}`,
      );
      assert.equal(param.field.number, index + 1, `field number of ${wanted.name}`);
      assert.equal(param.required, !wanted.optional, `${wanted.name} is required`);
      const byDocument = wanted.default === undefined ? defaultsInProse[`${name}.${wanted.name}`] : asJson(wanted.default);
      assert.equal(documentDefault(param), byDocument, `default of ${wanted.name}`);
      assert.notEqual(param.only, Dialect.JSON_RPC, `${wanted.name} is in the document`);
    }
  });
}

test('each operation accepts the argument order of the operations document', () => {
  for (const { name, params } of documented) {
    if (params === null) continue;
    const flat = require(name).signatures.filter((signature) => signature.positions.every((position) => position.kind === 'param'));
    const orders = flat.map((signature) => signature.positions.flatMap((at) => (at.kind === 'param' ? [at.param.index] : [])));
    const wanted = params.map((_, index) => index);
    assert.ok(
      orders.some((order) => wanted.every((index) => order[index] === index)),
      `${name} has no signature with ${params.map((param) => param.name).join(', ')}`,
    );
  }
});

test('every parameter can be passed by position in some signature', () => {
  for (const operation of catalogue.operations) {
    const reachable = operation.signatures.flatMap(({ positions }) =>
      positions.flatMap((at) => (at.kind === 'param' ? [at.param] : at.params)),
    );
    for (const param of operation.params) {
      if (param.only !== Dialect.DOCUMENT) assert.ok(reachable.includes(param), `${operation.name}: no signature has ${param.name}`);
    }
  }
});

test('defaults that differ over JSON-RPC', () => {
  const found = catalogue.operations.flatMap(({ name, params }) =>
    params.flatMap((param) => {
      const document = documentDefault(param) ?? 'unset';
      const jsonRpc = param.jsonRpcDefault === undefined ? 'unset' : writeJson(param.jsonRpcDefault);
      return document === jsonRpc ? [] : [`${name}.${param.name}: ${document}, over JSON-RPC ${jsonRpc}`];
    }),
  );
  assert.deepEqual(found.sort(), [...differingDefaults].sort());
});

test('parameters that only the operations document requires', () => {
  const found = catalogue.operations.flatMap(({ name, params }) =>
    params.filter((param) => param.required && !param.jsonRpcRequired).map((param) => `${name}.${param.name}`),
  );
  assert.deepEqual(found.sort(), [...optionalOverJsonRpc].sort());
});
