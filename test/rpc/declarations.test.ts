import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wireName } from '../../src/rpc/names.js';
import { Role } from '../../src/rpc/options.js';
import { committedCatalogue } from './catalogue.js';

const catalogue = committedCatalogue();

test('names are in lower case, those for development networks in the case of Hardhat, and unique', () => {
  const names = catalogue.operations.map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => !/^(?:[a-z][a-z0-9_]*|dev_[a-z][a-zA-Z]*)$/.test(name)),
    [],
  );
  assert.equal(new Set(names).size, names.length);
});

test('every method of our services is an operation with a role', () => {
  const services = catalogue.descriptors.files.flatMap((file) => file.services).filter(({ typeName }) => typeName.startsWith('dfi.'));
  const declared = new Set(catalogue.operations.map(({ descriptor }) => descriptor));
  for (const service of services) {
    for (const method of service.methods) assert.ok(declared.has(method), `${service.typeName}.${method.name} declares no operation`);
  }
  assert.deepEqual(
    catalogue.operations.filter(({ role }) => role === Role.UNSPECIFIED).map(({ name }) => name),
    [],
  );
});

test('no operation that spends or administers is declared free of side effects', () => {
  const wrong = catalogue.operations.filter(({ role, descriptor }) => role !== Role.READ && descriptor.isFreeOfEffects);
  assert.deepEqual(
    wrong.map(({ name }) => name),
    [],
  );
});

test('GET routes belong to operations without side effects', () => {
  for (const { name, http, descriptor } of catalogue.operations) {
    if (http.some(({ verb }) => verb === 'GET')) {
      assert.equal(descriptor.isFreeOfEffects, true, name);
    }
  }
});

test('every operation has a route of its own, except some streams', () => {
  const taken = new Map<string, string>();
  for (const { name, http, streams } of catalogue.operations) {
    assert.ok(http.length > 0 || streams, `${name} and google.api.http`);
    for (const { verb, path } of http) {
      const route = `${verb} ${path.replace(/\{[^}]*\}/g, '{}')}`;
      assert.equal(taken.get(route), undefined, `${name} has the same route: ${route}`);
      taken.set(route, name);
    }
  }
});

test('variables of a path are required parameters, or the wallet', () => {
  for (const { name, http, params, wallet } of catalogue.operations) {
    for (const [, variable] of http.flatMap(({ path }) => [...path.matchAll(/\{([^}=.]*)/g)])) {
      if (variable === 'wallet' && wallet) continue;
      const param = params.find(({ field }) => field.name === variable);
      assert.ok(param?.required, `${name}: {${variable}} is no required parameter`);
    }
  }
});

test('every operation has a description', () => {
  const silent = catalogue.operations.filter(({ descriptor }) => catalogue.comments.of(descriptor) === '');
  assert.deepEqual(
    silent.map(({ name }) => name),
    [],
  );
});

test('a json_name differs from the derived name, so that the image shows it', () => {
  const messages = catalogue.descriptors.messages.filter((each) => each.typeName.startsWith('dfi.'));
  const unseen = messages.flatMap(({ fields }) =>
    fields.filter((field) => catalogue.comments.hasJsonName(field) && wireName(field) === field.name),
  );
  assert.deepEqual(
    unseen.filter(({ name, jsonName }) => name !== jsonName).map(({ parent, name }) => `${parent.typeName}.${name}`),
    [],
  );
});

/** Number of arguments that a usage line requires: up to the last one outside round brackets. */
function askedFor(usage: string): number {
  const words = [...usage.matchAll(/[([{]|[)\]}]|"[^"]*"|[^\s()[\]{}"]+| /g)].map(([word]) => word);
  let [depth, inBrackets, count, asked, between] = [0, false, 0, 0, true];
  for (const word of words) {
    if (depth === 0 && '() '.includes(word)) {
      if (word !== ' ') inBrackets = word === '(';
      between = true;
      continue;
    }
    if (depth === 0 && between) {
      count += 1;
      if (!inBrackets) asked = count;
      between = false;
    }
    if ('[{('.includes(word)) depth += 1;
    else if (']})'.includes(word)) depth -= 1;
  }
  return asked;
}

test('a call requires as many arguments as its usage line', () => {
  // The first two accept any arguments; for the third the operations document omits the last argument (docs/protocol/rpc-chain.md 3.2.3).
  const lenient = new Set(['echo', 'echojson', 'prioritisetransaction']);
  const wrong = catalogue.operations.flatMap(({ name, help, signatures: [first] }) => {
    const [usage = ''] = help.split('\n');
    const asked = askedFor(usage.slice(name.length + 1));
    return !first || lenient.has(name) || asked === first.least ? [] : [`${usage}: ${asked}, not ${first.least}`];
  });
  assert.deepEqual(wrong, []);
});
