import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { handlerTables, operationsSection, operationsTable, readmePath, withOperations } from '../tools/operations-table.js';
import { committedCatalogue } from './catalogue.js';

const catalogue = committedCatalogue();

test('the README lists the implemented operations (node --import tsx test/tools/operations-table.ts --write)', () => {
  assert.equal(operationsSection(readFileSync(readmePath, 'utf8')), operationsTable(catalogue));
});

test('the table has every operation once', () => {
  const table = operationsTable(catalogue);
  const listed = [...table.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
  assert.deepEqual(listed.sort(), catalogue.operations.map(({ name }) => name).sort());
});

test('every handler belongs to a method of its service', () => {
  for (const [service, handlers] of Object.entries(handlerTables)) {
    const methods = catalogue.operations.filter((operation) => operation.service === service).map(({ method }) => method);
    assert.deepEqual(
      Object.keys(handlers).filter((name) => !methods.includes(name)),
      [],
      service,
    );
  }
});

test('only the section between the markers is rewritten', () => {
  const readme = 'before\n<!-- operations -->\nold\n<!-- /operations -->\nafter\n';
  assert.equal(withOperations(readme, 'new'), 'before\n<!-- operations -->\nnew\n<!-- /operations -->\nafter\n');
  assert.throws(() => withOperations('no markers', 'new'), /README.md has no section/);
});
