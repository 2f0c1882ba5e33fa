import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DescMessage } from '../../src/rpc/descriptors.js';
import { help } from '../../src/rpc/help.js';
import { wireName } from '../../src/rpc/names.js';
import { committedCatalogue } from './catalogue.js';
import { catalogueOf } from './small-image.js';

const catalogue = committedCatalogue();

test('catalogue: an operation with all parts of its declaration', () => {
  const op = catalogue.byName('getblock');
  assert.ok(op);
  assert.equal(op, catalogue.byPath('/dfi.blockchain.v1.BlockchainService/GetBlock'));
  assert.deepEqual([op.service, op.method, op.heavy, op.streams], ['dfi.blockchain.v1.BlockchainService', 'getBlock', false, false]);
  assert.deepEqual(op.http[0], { verb: 'GET', path: '/v1/blocks/{blockhash}', body: '' });
  assert.deepEqual(
    op.params.map(({ name, names, required, documentDefault }) => ({ name, names, required, hasDefault: documentDefault !== undefined })),
    [
      { name: 'blockhash', names: ['blockhash'], required: true, hasDefault: false },
      { name: 'verbosity', names: ['verbosity', 'verbose'], required: false, hasDefault: true },
    ],
  );
  assert.deepEqual(
    op.signatures.map(({ least, most }) => ({ least, most })),
    [{ least: 1, most: 2 }],
  );
});

test('catalogue: every declaration can be used', () => {
  for (const op of catalogue.operations) {
    assert.ok(op.signatures.length > 0, op.name);
    assert.ok(op.usage.startsWith(op.name), op.usage);
    assert.ok(op.params.every((param) => param.documentDefault !== null));
  }
});

/** Messages of all operations, with nested ones. */
function messages(): Set<DescMessage> {
  const found = new Set<DescMessage>();
  const collect = (message: DescMessage): void => {
    if (found.has(message) || !message.typeName.startsWith('dfi.')) return;
    found.add(message);
    for (const { message: inner } of message.fields) if (inner) collect(inner);
  };
  for (const op of catalogue.operations) {
    collect(op.input);
    collect(op.output);
  }
  return found;
}

test('a json_name never equals the derived name: the image could not tell that it was set', () => {
  const lost = [...messages()].flatMap((message) =>
    message.fields.filter((field) => catalogue.comments.hasJsonName(field) && wireName(field) !== field.jsonName),
  );
  assert.deepEqual(
    lost.map((field) => `${field.parent.typeName}.${field.name}`),
    [],
  );
});

test('catalogue: a call line that names no field is refused on use', () => {
  const broken = catalogueOf(`
service TestService { rpc Go(GoRequest) returns (GoRequest) { option (dfi.rpc.v1.operation) = {name: "go", call: "a, {b, c}"}; } }
message GoRequest { string a = 1; string b = 2; }`);
  assert.throws(() => broken.byName('go')?.signatures, /call names c, which is no field of test\.v1\.GoRequest/);
});

test('catalogue: two operations with the same name are refused', () => {
  const rpc = (name: string): string => `rpc ${name}(Empty) returns (Empty) { option (dfi.rpc.v1.operation) = {name: "same"}; }`;
  assert.throws(() => catalogueOf(`service TestService { ${rpc('A')} ${rpc('B')} } message Empty {}`), /two operations are named same/);
});

test('help: the list has headings and usage lines in alphabetical order', () => {
  const text = help(catalogue, undefined);
  const headings = [...text.matchAll(/^== (.*) ==$/gm)].map(([, heading]) => heading);
  assert.deepEqual(headings, [...headings].sort());
  assert.ok(headings.includes('Blockchain') && headings.includes('Accounts'));
  assert.ok(!headings.includes('Hidden'));
  const [, blockchain = ''] = text.split('== Blockchain ==\n');
  const names = (blockchain.split('\n\n')[0] ?? '').split('\n').map((line) => line.split(' ')[0]);
  assert.deepEqual(names, [...names].sort());
  assert.match(text, /^getblock "blockhash" \( verbosity \)$/m);
});

test('help: one operation, its arguments and its result', () => {
  const text = help(catalogue, 'getblockheader');
  assert.match(text, /^getblockheader "blockhash" \( verbose \)\n\nReturns the header of a block/);
  assert.match(text, /\nArguments:\n1\. blockhash {4}\(string, required\) .+\n2\. verbose {4}\(bool, optional, default=true\) .+\n/);
  assert.match(text, /\nResult:\n/);
  assert.match(text, / {2}"previousblockhash" : "text"\n/);
  assert.match(text, /\nExamples:\n> dfi-cli getblockheader <blockhash>\n$/);
  assert.equal(help(catalogue, 'nope'), 'help: unknown command: nope');
});

test('help: arguments have the numbers of their positions, and members of an object are below it', () => {
  const text = help(catalogue, 'getaccount');
  const [, section = ''] = /\nArguments:\n([\s\S]*?)\n\nResult:\n/.exec(text) ?? [];
  assert.deepEqual(
    section.split('\n').map((line) => line.replace(/ {4}\(.*/, '')),
    ['1. owner', '2. pagination', '   {', '     "start"', '     "including_start"', '     "limit"', '   }', '3. indexed_amounts'],
  );
  assert.match(section, /^2\. pagination {4}\(object, optional\)$/m);
  assert.match(
    help(catalogue, 'poolswap'),
    /\nArguments:\n1\. metadata {4}\(object, required\)\n {3}\{\n {5}"from" {4}\(numeric or string, /,
  );
  assert.match(help(catalogue, 'listtokens'), /\n2\. verbose {4}\(bool, /);
});

test('help: pages, which JSON-RPC does not have, are not in it', () => {
  for (const { name, pages } of catalogue.operations) {
    if (pages) assert.doesNotMatch(help(catalogue, name), /Asks for a page|Page after this one/, name);
  }
});

test('help: a usage line is derived from the parameters if none is declared', () => {
  const small = catalogueOf(`
service TestService { rpc Go(GoRequest) returns (GoRequest) { option (dfi.rpc.v1.operation) = {name: "go"}; } }
message GoRequest {
  string a = 1 [(dfi.rpc.v1.param).required = true];
  int32 b = 2;
  repeated string c = 3;
}`);
  assert.equal(small.byName('go')?.usage, 'go "a" ( b ["c",...] )');
});

test('catalogue: fields of passphrases and private keys are secret', () => {
  const secret = catalogue.operations.filter(({ takesSecrets }) => takesSecrets);
  assert.deepEqual(secret.map(({ name }) => name).sort(), [
    'createwallet',
    'deriveaddresses',
    'encryptwallet',
    'getdescriptorinfo',
    'importmulti',
    'importprivkey',
    'scantxoutset',
    'sethdseed',
    'signmessagewithprivkey',
    'signrawtransactionwithkey',
    'spv_createanchor',
    'utxoupdatepsbt',
    'walletpassphrase',
    'walletpassphrasechange',
  ]);
  assert.deepEqual(
    secret.filter(({ reads }) => reads.length > 0).map(({ name }) => name),
    ['scantxoutset', 'getdescriptorinfo', 'deriveaddresses'],
    'answers are kept unless an argument could be a private key',
  );
  const named = /^(.*pass(word|phrase)|priv(ate)?_?keys?|seed)$/;
  const open = [...messages()]
    .flatMap(({ fields }) => fields)
    .filter((field) => named.test(field.name) && !catalogue.options.param(field).secret);
  assert.deepEqual(
    open.map(({ name, parent }) => `${parent.typeName}.${name}`).sort(),
    [
      'dfi.node.v1.IcxClaim.seed',
      'dfi.node.v1.IcxClaimDfcHtlcRequest.seed',
      'dfi.node.v1.SpvClaimHtlcRequest.seed',
      // Its hash.
      'dfi.node.v1.SpvCreateHtlcRequest.seed',
      'dfi.node.v1.SpvCreateHtlcResponse.seed',
      'dfi.node.v1.SpvGetHtlcSeedResponse.seed',
    ],
    'seeds of hash locks become public with the claim',
  );
});
