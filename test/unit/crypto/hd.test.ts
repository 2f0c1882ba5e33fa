import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HDKey } from '@scure/bip32';
import { decodeBase58Check, encodeBase58Check } from '../../../src/crypto/base58.js';
import { ExtendedKey } from '../../../src/crypto/hd.js';
import { formatKeyPath, HARDENED } from '../../../src/crypto/key-path.js';
import { networkParams } from '../../../src/params/index.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { fc } from '../../property.js';
import { vectorFile } from '../../vectors.js';

interface Pair {
  readonly pub: string;
  readonly prv: string;
}
type Chain = { readonly seed: string } & Readonly<Record<string, Pair>>;
type Texts = Readonly<Record<string, string>>;

const vectors = vectorFile<{ readonly vector1: Chain; readonly vector2: Chain }>('bip32.json');
const texts = vectors as unknown as Texts;
// Main uses the version bytes of the published keys.
const { address: main } = networkParams({ network: 'main' });
const { address: regtest } = networkParams({ network: 'regtest' });

function pathOf(text: string): number[] {
  const steps = text.split('/').slice(1);
  return steps.map((step) => (step.endsWith("'") ? HARDENED + Number(step.slice(0, -1)) : Number(step)));
}

for (const name of ['vector1', 'vector2'] as const) {
  const { seed, ...chain } = vectors[name] as unknown as Record<string, Pair> & { readonly seed: string };
  const paths = Object.keys(chain);
  test(`BIP32 ${name}: ${paths.length} keys from the seed, and their texts back`, () => {
    assert.equal(paths.length, 6);
    const master = ExtendedKey.fromSeed(fromHex(seed), main);
    for (const path of paths) {
      const { pub, prv } = chain[path] as Pair;
      const key = master.derive(pathOf(path));
      assert.equal(key?.publicText, pub, path);
      assert.equal(key?.privateText, prv, path);
      assert.equal(ExtendedKey.parse(prv, main)?.publicText, pub);
      assert.equal(ExtendedKey.parse(pub, main)?.publicText, pub);
      assert.equal(ExtendedKey.parse(pub, main)?.privateText, undefined);
    }
  });
}

test('children derived from the public key equal those from the secret', () => {
  const master = ExtendedKey.fromSeed(fromHex(texts.seed as string), main);
  assert.equal(master.privateText, texts.master_priv);
  assert.equal(master.publicText, texts.master_pub);
  const paths = { child1: [0], child3: [1], child4: [2], child5: [2, 0], child6: [2, 1] };
  for (const [name, path] of Object.entries(paths)) {
    assert.equal(master.derive(path)?.privateText, texts[`${name}_priv`], name);
    const publicOnly = ExtendedKey.parse(texts.master_pub as string, main)?.derive(path);
    assert.equal(publicOnly?.publicText, texts[`${name}_pub`], name);
    assert.equal(publicOnly?.privateKey, undefined);
  }
});

test('leading zeros of a chain code or secret are kept', () => {
  const key = ExtendedKey.parse(texts.zero_priv as string, main);
  assert.equal(key?.privateText, texts.zero_priv);
  const child = key?.derive([HARDENED + 44, HARDENED, HARDENED, 0, HARDENED]);
  assert.equal(toHex(child?.privateKey?.secret ?? new Uint8Array()), '3348069561d2a0fb925e74bf198762acc47dce7db27372257d2d959a9e6f8aeb');
});

test('a hardened child requires the secret', () => {
  const publicOnly = ExtendedKey.parse(texts.master_pub as string, main);
  assert.equal(publicOnly?.privateKey, undefined);
  assert.ok(publicOnly?.derive([HARDENED - 1]));
  assert.equal(publicOnly?.derive([HARDENED]), undefined);
});

test('a path has at most 255 steps', () => {
  const master = ExtendedKey.fromSeed(new Uint8Array(32), main);
  const deepest = master.derive(new Array<number>(255).fill(0));
  assert.ok(deepest);
  assert.equal(deepest.derive([0]), undefined);
});

test('text of other networks, malformed text and invalid keys are rejected', () => {
  const { pub, prv } = vectors.vector1.m as Pair;
  assert.equal(ExtendedKey.parse(pub, regtest), undefined);
  assert.equal(ExtendedKey.parse(prv, regtest), undefined);
  assert.equal(ExtendedKey.parse(`${pub.slice(0, -1)}9`, main), undefined);
  assert.equal(ExtendedKey.parse('', main), undefined);
  const onRegtest = ExtendedKey.fromSeed(fromHex(vectors.vector1.seed as unknown as string), regtest);
  assert.equal(onRegtest.publicText.slice(0, 4), 'tpub');
  assert.equal(onRegtest.privateText?.slice(0, 4), 'tprv');
  assert.equal(toHex(onRegtest.fingerprint), '3442193e');
});

test('key paths as text', () => {
  assert.equal(formatKeyPath([]), '');
  assert.equal(formatKeyPath([HARDENED + 44, 0, HARDENED - 1, 0xffff_ffff]), "/44'/0/2147483647/2147483647'");
});

test('every step equals that of the library', () => {
  const seed = fc.uint8Array({ minLength: 16, maxLength: 64 });
  const path = fc.array(fc.oneof(fc.nat(3), fc.nat(0xffff_ffff)), { maxLength: 3 });
  fc.assert(
    fc.property(seed, path, fc.nat(HARDENED - 1), (bytes, steps, last) => {
      const oracle = steps.reduce((key, step) => key.deriveChild(step), HDKey.fromMasterSeed(bytes));
      const ours = ExtendedKey.fromSeed(bytes, main).derive(steps);
      assert.equal(ours?.privateText, oracle.privateExtendedKey);
      assert.equal(ours?.publicText, oracle.publicExtendedKey);
      const child = ExtendedKey.parse(oracle.publicExtendedKey, main)?.derive([last]);
      assert.equal(child?.publicText, oracle.deriveChild(last).publicExtendedKey);
    }),
    { numRuns: 20 },
  );
});

test('texts with changed bytes are accepted exactly if the library accepts them', () => {
  const { pub, prv } = vectors.vector1["m/0'"] as unknown as Pair;
  const texts = [pub, prv].map((text) => decodeBase58Check(text) as Uint8Array);
  const change = fc.tuple(fc.nat(77), fc.oneof(fc.constantFrom(0, 1, 2, 3, 4), fc.nat(255)));
  fc.assert(
    fc.property(fc.constantFrom(...texts), fc.array(change, { maxLength: 3 }), fc.boolean(), (bytes, changes, zeros) => {
      const changed = Uint8Array.from(bytes);
      if (zeros) changed.fill(0, 4, 13);
      for (const [at, byte] of changes) changed[at] = byte;
      const text = encodeBase58Check(changed);
      assert.equal(ExtendedKey.parse(text, main)?.publicText, libraryText(text));
    }),
  );
});

function libraryText(text: string): string | undefined {
  try {
    return HDKey.fromExtendedKey(text).publicExtendedKey;
  } catch {
    return undefined;
  }
}
