import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { namedParams, positionalParams } from '../../../src/cli/convert.js';
import { loadCatalogue } from '../../../src/rpc/catalogue.js';
import { writeJson } from '../../../src/util/json.js';

const catalogue = loadCatalogue(readFileSync(join(import.meta.dirname, '../../../gen/image.binpb')));

const positional: readonly { readonly call: readonly [string, ...string[]]; readonly json: string }[] = [
  { call: ['getblockhash', '5'], json: '[5]' },
  { call: ['getblock', '00', '2'], json: '["00",2]' },
  { call: ['getblock', '00', 'true'], json: '["00",true]' },
  { call: ['getblockstats', '5', '["txs"]'], json: '[5,["txs"]]' },
  { call: ['getblockstats', 'abcd'], json: '["abcd"]' },
  { call: ['getblockstats', '"abcd"'], json: '["abcd"]' },
  { call: ['getrawtransaction', '12', 'null', '34'], json: '["12",null,"34"]' },
  { call: ['sendtoaddress', '2N', '0.10'], json: '["2N",0.10]' },
  { call: ['createrawtransaction', '[]', '{"a":1e-8}'], json: '[[],{"a":1e-8}]' },
  { call: ['listaccounts', '{"limit":2}', 'false'], json: '[{"limit":2},false]' },
  { call: ['listaccounts', 'abc', 'false', '3'], json: '["abc",false,3]' },
  { call: ['gettoken', '128'], json: '[128]' },
  { call: ['echo', '1', '[]'], json: '["1","[]"]' },
  { call: ['echojson', '1', '[]'], json: '[1,[]]' },
  { call: ['help', '5'], json: '["5"]' },
  { call: ['nonsense', '5', '{'], json: '["5","{"]' },
];

for (const { call, json } of positional) {
  test(`${call.join(' ')} -> ${json}`, () => assert.equal(writeJson(positionalParams(catalogue, call[0], call.slice(1))), json));
}

test('an argument that must be JSON and is not', () => {
  assert.throws(() => positionalParams(catalogue, 'getblockhash', ['abc']), { message: 'Error parsing JSON:abc' });
});

test('named arguments, under every name', () => {
  const json = writeJson(namedParams(catalogue, 'getblock', ['blockhash=12', 'verbose=true', 'verbosity=0']));
  assert.equal(json, '{"blockhash":"12","verbose":true,"verbosity":0}');
  assert.equal(writeJson(namedParams(catalogue, 'echo', ['arg0=a=b', 'arg1='])), '{"arg0":"a=b","arg1":""}');
});

test('a named argument without =', () => {
  const message = "No '=' in named argument '5', this needs to be present for every argument (even if it is empty)";
  assert.throws(() => namedParams(catalogue, 'getblockhash', ['5']), { message });
});
