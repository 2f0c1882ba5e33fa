import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkParams } from '../../../../src/params/index.js';
import { formatScriptPubKey } from '../../../../src/services/format/script.js';
import { fromHex } from '../../../../src/util/bytes.js';

const regtest = networkParams({ network: 'regtest' });
const main = networkParams({ network: 'main' });

const cases = [
  {
    name: 'P2PKH',
    hex: '76a914b36814fd26190b321aa985809293a41273cfe15e88ac',
    asm: 'OP_DUP OP_HASH160 b36814fd26190b321aa985809293a41273cfe15e OP_EQUALVERIFY OP_CHECKSIG',
    type: 'pubkeyhash',
    reqsigs: 1,
    addresses: ['mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU'],
  },
  {
    name: 'data',
    hex: '6a24aa21a9ede2f61c3f71d1defd3fa999dfa36953755c690689799962b48bebd836974e8cf9',
    asm: 'OP_RETURN aa21a9ede2f61c3f71d1defd3fa999dfa36953755c690689799962b48bebd836974e8cf9',
    type: 'nulldata',
    reqsigs: undefined,
    addresses: undefined,
  },
  { name: 'no script', hex: '', asm: '', type: 'nonstandard', reqsigs: undefined, addresses: undefined },
];
for (const { name, hex, asm, type, reqsigs, addresses } of cases) {
  test(`formatScriptPubKey: ${name}`, () => {
    const shown = formatScriptPubKey(fromHex(hex), regtest);
    assert.deepEqual(shown, { asm, hex, type, reqsigs, addresses: addresses && { addresses } });
  });
}

test('formatScriptPubKey: each network has its own addresses for one script', () => {
  const script = fromHex('76a914b36814fd26190b321aa985809293a41273cfe15e88ac');
  assert.deepEqual(formatScriptPubKey(script, regtest).addresses?.addresses, ['mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU']);
  const onMain = formatScriptPubKey(script, main).addresses?.addresses;
  assert.equal(onMain?.[0]?.[0], '8');
  assert.deepEqual(formatScriptPubKey(script, main).addresses?.addresses, onMain);
});

test('formatScriptPubKey: a repeated script is formatted the same, whatever was formatted in between', () => {
  const scripts = Array.from({ length: 12_000 }, (_, i) => fromHex(`76a914${i.toString(16).padStart(40, '0')}88ac`));
  const first = scripts.map((script) => formatScriptPubKey(script, regtest).addresses?.addresses[0]);
  assert.equal(new Set(first).size, scripts.length);
  for (let again = 0; again < 2; again++) {
    assert.deepEqual(
      scripts.map((script) => formatScriptPubKey(script, regtest).addresses?.addresses[0]),
      first,
    );
  }
});
