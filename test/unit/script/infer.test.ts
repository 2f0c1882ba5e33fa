import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkParams } from '../../../src/params/index.js';
import { parseDescriptor } from '../../../src/script/descriptor-parser.js';
import { inferDescriptor } from '../../../src/script/infer.js';
import { KnownScripts } from '../../../src/script/known-scripts.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';

const { address } = networkParams({ network: 'regtest' });
const A = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const B = '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5';
const TPUB = 'tpubD6NzVbkrYhZ4WaWSyoBvQwbpLkojyoTZPRsgXELWz3Popb3qkjcJyJUGLnL4qHHoQvao8ESaAstxYSnhyswJ76uZPStJRJCTKvosUCJZL5B';

/** The descriptors of a descriptor's own scripts, without checksums. */
function inferred(text: string, index = 0): string[] {
  const expansion = parseDescriptor(text, address).expand(index);
  assert.ok(expansion);
  const known = new KnownScripts();
  known.add(expansion);
  return expansion.scripts.map((script) => inferDescriptor(script, known, address).format().split('#')[0] as string);
}

function inferredOfNothing(text: string): string[] {
  const scripts = parseDescriptor(text, address).expand(0)?.scripts ?? [];
  return scripts.map((script) => inferDescriptor(script, new KnownScripts(), address).format());
}

test('scripts of known keys are described by the keys with their origins', () => {
  assert.deepEqual(inferred(`pk(${A})`), [`pk([751e76e8]${A})`]);
  assert.deepEqual(inferred(`pkh(${A})`), [`pkh([751e76e8]${A})`]);
  assert.deepEqual(inferred(`wpkh([01234567/1h]${A})`), [`wpkh([01234567/1']${A})`]);
  assert.deepEqual(inferred(`sh(wpkh(${A}))`), [`sh(wpkh([751e76e8]${A}))`]);
  assert.deepEqual(inferred(`combo(${A})`), [
    `pk([751e76e8]${A})`,
    `pkh([751e76e8]${A})`,
    `wpkh([751e76e8]${A})`,
    `sh(wpkh([751e76e8]${A}))`,
  ]);
  assert.deepEqual(inferred(`sh(multi(2,${A},${B}))`), [`sh(multi(2,[751e76e8]${A},[06afd46b]${B}))`]);
  assert.deepEqual(inferred(`sh(wsh(multi(1,${B})))`), [`sh(wsh(multi(1,[06afd46b]${B})))`]);
  assert.deepEqual(inferred(`wsh(pkh(${A}))`), [`wsh(pkh([751e76e8]${A}))`]);
  assert.deepEqual(inferred(`multi(1,${A},${B})`), [`multi(1,[751e76e8]${A},[06afd46b]${B})`]);
});

test('a derived key is described with the path of its origin', () => {
  const derived = parseDescriptor(`pkh(${TPUB}/1/*)`, address).expand(5)?.keys[0];
  assert.ok(derived);
  const fingerprint = toHex(derived.origin.fingerprint);
  assert.deepEqual(inferred(`pkh(${TPUB}/1/*)`, 5), [`pkh([${fingerprint}/1/5]${toHex(derived.publicKey)})`]);
  assert.deepEqual(inferred(`pkh([deadbeef/44h]${TPUB}/1/*)`, 5), [`pkh([deadbeef/44'/1/5]${toHex(derived.publicKey)})`]);
});

test('without the key or the inner script it is addr, and without an address raw', () => {
  assert.match(inferredOfNothing(`pkh(${A})`)[0] as string, /^addr\(mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r\)#/);
  assert.match(inferredOfNothing(`sh(wpkh(${A}))`)[0] as string, /^addr\(2N/);
  assert.match(inferredOfNothing(`wsh(pk(${A}))`)[0] as string, /^addr\(bcrt1q/);
  assert.deepEqual(inferredOfNothing('raw(deadbeef)'), ['raw(deadbeef)#89f8spxm']);
  assert.match(inferredOfNothing('raw(6a0401020304)')[0] as string, /^raw\(6a0401020304\)/);
});

test('keys in the script need not be known, and then have no origin', () => {
  assert.deepEqual(inferredOfNothing(`pk(${A})`), [`pk(${A})#gn28ywm7`]);
  assert.match(inferredOfNothing(`multi(1,${A},${B})`)[0] as string, new RegExp(`^multi\\(1,${A},${B}\\)#`));
});

test('a known inner script of no other form is shown in hex', () => {
  const known = new KnownScripts();
  known.add({ scripts: [], subscripts: [fromHex('51')], keys: [] });
  const script = fromHex('a914da1745e9b549bd0bfa1a569971c77eba30cd5a4b87');
  assert.match(inferDescriptor(script, known, address).format(), /^sh\(raw\(51\)\)#/);
});

test('EVM addresses are named where they are known', () => {
  const script = fromHex('6014e759ed8e33022837c883c55daa86d7470989ca58');
  const text = (options = {}) => inferDescriptor(script, new KnownScripts(options), address).format();
  assert.match(text({ metachain: true }), /^addr\(0x58cA890947d786AA5DC583c8372802338eeD59e7\)#/);
  assert.match(text(), /^addr\(bcrt1/);
});

test('the first origin of a key wins', () => {
  const known = new KnownScripts();
  for (const text of [`pk([01234567/1]${A})`, `pkh([deadbeef/2]${A})`]) {
    const expansion = parseDescriptor(text, address).expand(0);
    assert.ok(expansion);
    known.add(expansion);
  }
  assert.equal(
    inferDescriptor(fromHex(`21${A}ac`), known, address)
      .format()
      .slice(0, 18),
    'pk([01234567/1]027',
  );
});
