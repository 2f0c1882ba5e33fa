import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publicKeyOf, uncompressed } from '../../../src/crypto/ecdsa.js';
import { hash160, sha256 } from '../../../src/crypto/hash.js';
import type { PrivateKey } from '../../../src/crypto/keys.js';
import type { TransactionFields } from '../../../src/primitives/transaction.js';
import { scriptOf } from '../../../src/script/address.js';
import { TransactionChecker } from '../../../src/script/checker.js';
import { erc55Script, evmAddressOf } from '../../../src/script/erc55.js';
import { extractSignatures } from '../../../src/script/extract.js';
import { KeyStore, NO_KEYS, noKeys } from '../../../src/script/key-source.js';
import { multisigScript } from '../../../src/script/multisig.js';
import { Op } from '../../../src/script/opcodes.js';
import { buildScript, scriptOps } from '../../../src/script/script.js';
import { completeSignature, satisfies } from '../../../src/script/sign.js';
import { SignatureData } from '../../../src/script/signature-data.js';
import { hashTypeName, parseHashType } from '../../../src/script/signature-encoding.js';
import { dummySigner, TransactionSigner } from '../../../src/script/signer.js';
import { EMPTY_BYTES, toHex } from '../../../src/util/bytes.js';

const format = { tokenIds: true };
const VALUE = 5_000_000_000n;

const key = (n: number, compressed = true): PrivateKey => ({ secret: sha256(Uint8Array.of(n, 9)), compressed });
const publicOf = ({ secret, compressed }: PrivateKey): Uint8Array => publicKeyOf(secret, compressed);
const [first, second, third, fat] = [key(1), key(2), key(3), key(4, false)];

const input = (n: number) => ({
  prevout: { txid: new Uint8Array(32).fill(n), vout: n },
  scriptSig: EMPTY_BYTES,
  sequence: 0xfffffffd,
  witness: [],
});
const tx: TransactionFields = {
  version: 4,
  lockTime: 0,
  vin: [input(1), input(2)],
  vout: [
    { value: 1n, scriptPubKey: Buffer.from('51', 'hex'), tokenId: 3 },
    { value: 2n, scriptPubKey: Buffer.from('52', 'hex'), tokenId: 0 },
  ],
};

const payToKey = (owner: PrivateKey) => buildScript(publicOf(owner), Op.CHECKSIG);
const payToKeyHash = (owner: PrivateKey) => scriptOf({ type: 'pkh', hash: hash160(publicOf(owner)) });
const payToWitnessKeyHash = (owner: PrivateKey) => scriptOf({ type: 'wpkh', hash: hash160(publicOf(owner)) });
const payToHash = (script: Uint8Array) => scriptOf({ type: 'sh', hash: hash160(script) });
const payToWitness = (script: Uint8Array) => scriptOf({ type: 'wsh', hash: sha256(script) });
const twoOfThree = multisigScript(2, [first, second, third].map(publicOf));

function store(keys: readonly PrivateKey[], scripts: readonly Uint8Array[] = []): KeyStore {
  const known = new KeyStore();
  for (const each of keys) known.addKey(each);
  for (const each of scripts) known.addScript(each);
  return known;
}

function signerOf(hashType = 1, index = 1, value = VALUE): TransactionSigner {
  return new TransactionSigner({ tx, format, input: index, value, hashType });
}

interface Case {
  readonly name: string;
  readonly script: Uint8Array;
  readonly keys: readonly PrivateKey[];
  readonly scripts?: readonly Uint8Array[];
  readonly witnessItems: number;
}

const cases: readonly Case[] = [
  { name: 'P2PK', script: payToKey(first), keys: [first], witnessItems: 0 },
  { name: 'P2PK, uncompressed', script: payToKey(fat), keys: [fat], witnessItems: 0 },
  { name: 'P2PKH', script: payToKeyHash(first), keys: [first], witnessItems: 0 },
  { name: 'P2PKH, uncompressed', script: payToKeyHash(fat), keys: [fat], witnessItems: 0 },
  { name: 'bare multisig', script: twoOfThree, keys: [third, first], witnessItems: 0 },
  { name: 'P2WPKH', script: payToWitnessKeyHash(first), keys: [first], witnessItems: 2 },
  { name: 'P2SH-P2WPKH, script known by the key', script: payToHash(payToWitnessKeyHash(first)), keys: [first], witnessItems: 2 },
  { name: 'P2SH multisig', script: payToHash(twoOfThree), keys: [first, second], scripts: [twoOfThree], witnessItems: 0 },
  { name: 'P2SH-P2PKH', script: payToHash(payToKeyHash(fat)), keys: [fat], scripts: [payToKeyHash(fat)], witnessItems: 0 },
  { name: 'P2WSH multisig', script: payToWitness(twoOfThree), keys: [second, third], scripts: [twoOfThree], witnessItems: 4 },
  { name: 'P2WSH-P2PK', script: payToWitness(payToKey(first)), keys: [first], scripts: [payToKey(first)], witnessItems: 2 },
  { name: 'P2WSH-P2PKH', script: payToWitness(payToKeyHash(first)), keys: [first], scripts: [payToKeyHash(first)], witnessItems: 3 },
  { name: 'P2SH-P2WSH', script: payToHash(payToWitness(twoOfThree)), keys: [first, third], scripts: [twoOfThree], witnessItems: 4 },
];

const HASH_TYPES = ['ALL', 'NONE', 'SINGLE', 'ALL|ANYONECANPAY', 'NONE|ANYONECANPAY', 'SINGLE|ANYONECANPAY'];

for (const { name, script, keys, scripts, witnessItems } of cases) {
  test(`sign ${name}: complete with every hash type, incomplete without the last key`, () => {
    for (const hashTypeText of HASH_TYPES) {
      const hashType = parseHashType(hashTypeText);
      assert.ok(hashType !== undefined);
      const data = new SignatureData();
      assert.ok(completeSignature(store(keys, scripts), signerOf(hashType), script, data), hashTypeText);
      assert.equal(data.witness.length, witnessItems);
      assert.equal(data.isWitness, witnessItems > 0);
      const checker = new TransactionChecker(tx, format, 1, VALUE);
      assert.ok(satisfies({ ...data, scriptPubKey: script }, checker));
      const otherInput = new TransactionChecker(tx, format, 0, VALUE);
      assert.equal(satisfies({ ...data, scriptPubKey: script }, otherInput), false);
      for (const { signature } of data.signatures.values()) assert.equal(signature.at(-1), hashType);
    }
    const lacking = new SignatureData();
    assert.equal(completeSignature(store(keys.slice(1), scripts), signerOf(), script, lacking), false);
  });
}

const evmScript = erc55Script(evmAddressOf(publicOf(first)) as Uint8Array);
const evmCases: readonly (readonly [name: string, script: Uint8Array])[] = [
  ['an EVM address', evmScript],
  ['an EVM address in P2SH, script known by the key', payToHash(evmScript)],
];

for (const [name, script] of evmCases) {
  test(`sign ${name}: with the uncompressed key, where EVM addresses are known`, () => {
    const keys = new KeyStore(true);
    keys.addKey(first);
    const data = new SignatureData();
    assert.ok(completeSignature(keys, signerOf(), script, data));
    assert.deepEqual(data.witness[1], uncompressed(publicOf(first)));
    assert.ok(data.isWitness);
    const checker = new TransactionChecker(tx, format, 1, VALUE);
    const extracted = (metachain: boolean) => extractSignatures(data, { scriptPubKey: script }, checker, { metachain }).complete;
    assert.deepEqual([extracted(true), extracted(false)], [true, false]);
    assert.equal(completeSignature(store([first]), signerOf(), script, new SignatureData()), false);
  });
}

test('sign an EVM address: the missing key is named by its address, reversed', () => {
  const data = new SignatureData();
  assert.equal(completeSignature(noKeys({ metachain: true }), signerOf(), evmScript, data), false);
  assert.deepEqual(data.missing.publicKeys.map(toHex), [toHex(evmScript.subarray(2))]);
});

test('sign: a witness signature commits to the amount', () => {
  const script = payToWitnessKeyHash(first);
  const data = new SignatureData();
  assert.ok(completeSignature(store([first]), signerOf(), script, data));
  assert.equal(satisfies({ ...data, scriptPubKey: script }, new TransactionChecker(tx, format, 1, VALUE + 1n)), false);
});

test('sign: witnesses require compressed keys', () => {
  const data = new SignatureData();
  assert.equal(completeSignature(store([fat]), signerOf(), payToWitnessKeyHash(fat), data), false);
  assert.deepEqual(data.missing.signatures.map(toHex), [toHex(hash160(publicOf(fat)))]);
});

test('sign: missing parts are recorded', () => {
  const missing = (keys: KeyStore, script: Uint8Array) => {
    const data = new SignatureData();
    assert.equal(completeSignature(keys, signerOf(), script, data), false);
    return data.missing;
  };
  const nobody = new KeyStore();
  assert.deepEqual(missing(nobody, payToKeyHash(first)).publicKeys, [hash160(publicOf(first))]);
  assert.deepEqual(missing(nobody, payToKey(first)).signatures, [hash160(publicOf(first))]);
  assert.deepEqual(missing(nobody, payToHash(twoOfThree)).redeemScript, hash160(twoOfThree));
  assert.deepEqual(missing(nobody, payToWitness(twoOfThree)).witnessScript, sha256(twoOfThree));
  const ids = [second, third].map((each) => hash160(publicOf(each)));
  assert.deepEqual(missing(store([first], [twoOfThree]), payToHash(twoOfThree)).signatures, ids);
});

test('sign: a script of more than 520 bytes is not accepted', () => {
  const long = multisigScript(
    1,
    Array.from({ length: 16 }, (_, i) => publicOf(key(20 + i))),
  );
  assert.ok(long.length > 520);
  const data = new SignatureData();
  assert.equal(completeSignature(store([key(20)], [long]), signerOf(), payToWitness(long), data), false);
  assert.ok(data.missing.witnessScript);
});

test('sign: invalid nesting of templates is not solved', () => {
  const inner = payToHash(payToKey(first));
  const witnessInWitness = payToWitness(payToWitnessKeyHash(first));
  for (const script of [payToHash(inner), witnessInWitness]) {
    const known = store([first], [payToKey(first), inner, payToWitnessKeyHash(first)]);
    assert.equal(completeSignature(known, signerOf(), script, new SignatureData()), false);
  }
});

for (const [name, script] of [
  ['bare', twoOfThree],
  ['P2SH', payToHash(twoOfThree)],
  ['P2WSH', payToWitness(twoOfThree)],
  ['P2SH-P2WSH', payToHash(payToWitness(twoOfThree))],
] as const) {
  test(`merge ${name}: two holders sign separately, and the versions are merged`, () => {
    const checker = new TransactionChecker(tx, format, 1, VALUE);
    const halves = [third, first].map((owner) => {
      const data = new SignatureData();
      assert.equal(completeSignature(store([owner], [twoOfThree]), signerOf(), script, data), false);
      return extractSignatures(data, { scriptPubKey: script }, checker);
    });
    for (const half of halves) assert.deepEqual([half.complete, half.signatures.size], [false, 1]);
    const merged = new SignatureData();
    for (const half of halves) merged.merge(half);
    assert.ok(completeSignature(NO_KEYS, signerOf(), script, merged));
    const whole = new SignatureData();
    completeSignature(store([first, third], [twoOfThree]), signerOf(), script, whole);
    assert.deepEqual([toHex(merged.scriptSig), merged.witness.map(toHex)], [toHex(whole.scriptSig), whole.witness.map(toHex)]);
    const again = extractSignatures(whole, { scriptPubKey: script }, checker);
    assert.deepEqual([again.complete, again.signatures.size], [true, 2]);
  });
}

test('merge: a complete version wins, and signatures of other transactions do not count', () => {
  const script = payToKeyHash(first);
  const whole = new SignatureData();
  completeSignature(store([first]), signerOf(), script, whole);
  const foreign = extractSignatures(whole, { scriptPubKey: script }, new TransactionChecker(tx, format, 0, VALUE));
  assert.deepEqual([foreign.complete, foreign.signatures.size], [false, 0]);
  const merged = new SignatureData();
  merged.merge(foreign);
  merged.merge(extractSignatures(whole, { scriptPubKey: script }, new TransactionChecker(tx, format, 1, VALUE)));
  assert.ok(merged.complete);
  assert.deepEqual(merged.scriptSig, whole.scriptSig);
});

test('sign in part: the pushes of a multisig leave gaps for signatures to come', () => {
  const data = new SignatureData();
  completeSignature(store([second], [twoOfThree]), signerOf(), payToHash(twoOfThree), data);
  const sizes = [...scriptOps(data.scriptSig)].map((op) => op.data?.length);
  assert.equal(sizes.length, 4);
  assert.deepEqual([sizes[0], sizes[2], sizes[3]], [0, 0, twoOfThree.length]);
});

for (const [required, pushes] of [
  [1, 2],
  [2, 2],
  [3, 3],
  [4, 3],
  [5, 4],
] as const) {
  test(`sign in part: without signatures a multisig of ${required} gets ${pushes} empty pushes`, () => {
    const script = multisigScript(required, Array(5).fill(publicOf(first)));
    const data = new SignatureData();
    assert.equal(completeSignature(NO_KEYS, signerOf(), script, data), false);
    assert.equal(toHex(data.scriptSig), '00'.repeat(pushes));
  });
}

test('sign in part: a redeem script of the byte 0x81 is pushed as data', () => {
  const data = new SignatureData();
  const script = Uint8Array.of(0x81);
  assert.equal(completeSignature(store([], [script]), signerOf(), payToHash(script), data), false);
  assert.equal(toHex(data.scriptSig), '0181');
});

test('sign for size: 71 bytes stand for each signature', () => {
  const data = new SignatureData();
  const known = store([first, second], [twoOfThree]);
  assert.ok(completeSignature(known, dummySigner, payToWitness(twoOfThree), data));
  assert.deepEqual(
    data.witness.map((item) => item.length),
    [0, 71, 71, twoOfThree.length],
  );
});

test('hash types: names and numbers', () => {
  assert.deepEqual(HASH_TYPES.map(parseHashType), [1, 2, 3, 0x81, 0x82, 0x83]);
  assert.deepEqual([1, 2, 3, 0x81, 0x82, 0x83].map(hashTypeName), HASH_TYPES);
  for (const other of ['', 'all', 'ALL|', 'ANYONECANPAY', 'ALL|NONE', '1', '|ANYONECANPAY']) assert.equal(parseHashType(other), undefined);
  for (const other of [0, 4, 0x80, 0x84, 0xff]) assert.equal(hashTypeName(other), undefined);
});
