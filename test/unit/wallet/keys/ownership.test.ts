import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hash160, sha256 } from '../../../../src/crypto/hash.js';
import { scriptOf } from '../../../../src/script/address.js';
import { evmAddressOf } from '../../../../src/script/erc55.js';
import { Op } from '../../../../src/script/opcodes.js';
import { buildScript } from '../../../../src/script/script.js';
import { equalBytes, fromHex, toHex } from '../../../../src/util/bytes.js';
import { payToPublicKey } from '../../../../src/wallet/keys/key-scripts.js';
import type { Keys } from '../../../../src/wallet/keys/keys.js';
import { hashAt, type KnownKeys, mayOwn, Ownership, ownershipOf } from '../../../../src/wallet/keys/ownership.js';

const COMPRESSED = Uint8Array.of(2, ...new Uint8Array(32).fill(7));
const UNCOMPRESSED = Uint8Array.of(4, ...new Uint8Array(64).fill(7));
/** Key of the secret 1, and the output script of its EVM address. */
const POINT = fromHex('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798');
const EVM = scriptOf({ type: 'evm', hash: fromHex('7e5f4552091a69125d5dfcb7b8c2659029395bdf') });
const OTHER = Uint8Array.of(3, ...new Uint8Array(32).fill(9));

const p2pkh = (key: Uint8Array) => scriptOf({ type: 'pkh', hash: hash160(key) });
const p2wpkh = (key: Uint8Array) => scriptOf({ type: 'wpkh', hash: hash160(key) });
const p2sh = (script: Uint8Array) => scriptOf({ type: 'sh', hash: hash160(script) });
const p2wsh = (script: Uint8Array) => scriptOf({ type: 'wsh', hash: sha256(script) });
const oneOf = (...keys: Uint8Array[]) => buildScript(Op.ONE, ...keys, Op.ONE + keys.length - 1, Op.CHECKMULTISIG);

interface Known {
  /** Public keys whose private keys the wallet has. */
  readonly held?: readonly Uint8Array[];
  readonly publicKeys?: readonly Uint8Array[];
  readonly scripts?: readonly Uint8Array[];
  readonly watched?: readonly Uint8Array[];
  readonly metachain?: boolean;
}

function known({
  held = [],
  publicKeys = [],
  scripts = [],
  watched = [],
  metachain = false,
}: Known): KnownKeys & { readonly mayKnow: Keys['mayKnow'] } {
  const byHash = (all: readonly Uint8Array[]) => new Map(all.map((each) => [toHex(hash160(each)), each]));
  const [heldKeys, keys, byId] = [byHash(held), byHash([...held, ...publicKeys]), byHash(scripts)];
  const watchedTexts = new Set(watched.map(toHex));
  const hashOf = (script: Uint8Array, at: number | undefined) => (at === undefined ? '' : toHex(script.subarray(at, at + 20)));
  const watchedHashes = new Set(watched.map((script) => hashOf(script, hashAt(script))));
  return {
    exactKey: (id) => keys.get(toHex(id)),
    hasPrivateKey: (id) => heldKeys.has(toHex(id)),
    script: (id) => byId.get(toHex(id)),
    metachain,
    publicKeyOfEvm: (address) => [...keys.values()].find((key) => equalBytes(evmAddressOf(key) ?? key, address)),
    watchesAnything: watched.length > 0,
    isWatched: (script) => watchedTexts.has(toHex(script)),
    mayKnow: (bytes, at) => [heldKeys, byId, watchedHashes].some((each) => each.has(hashOf(bytes, at))),
  };
}

const { None, Watched, Spendable } = Ownership;
const bare = oneOf(COMPRESSED, OTHER);
const cases: readonly (readonly [string, Uint8Array, Known, Ownership])[] = [
  ['a held key', payToPublicKey(COMPRESSED), { held: [COMPRESSED] }, Spendable],
  ['its hash', p2pkh(UNCOMPRESSED), { held: [UNCOMPRESSED] }, Spendable],
  ['a known key', p2pkh(COMPRESSED), { publicKeys: [COMPRESSED] }, None],
  ['a watched hash', p2pkh(COMPRESSED), { watched: [p2pkh(COMPRESSED)] }, Watched],
  ['the program of a held key', p2wpkh(COMPRESSED), { held: [COMPRESSED] }, Spendable],
  ['the program of a key whose hash is watched', p2wpkh(COMPRESSED), { publicKeys: [COMPRESSED], watched: [p2pkh(COMPRESSED)] }, Watched],
  ['the same, with the key not known', p2wpkh(COMPRESSED), { watched: [p2pkh(COMPRESSED)] }, None],
  ['a program of a key that is not compressed', p2wpkh(UNCOMPRESSED), { held: [UNCOMPRESSED] }, None],
  ['the same watched, its script unknown', p2wpkh(UNCOMPRESSED), { held: [UNCOMPRESSED], watched: [p2wpkh(UNCOMPRESSED)] }, Watched],
  [
    'the same watched, its script known: no one can spend it',
    p2wpkh(UNCOMPRESSED),
    { publicKeys: [UNCOMPRESSED], scripts: [p2wpkh(UNCOMPRESSED)], watched: [p2wpkh(UNCOMPRESSED)] },
    None,
  ],
  [
    'the same in a hash',
    p2sh(p2wpkh(UNCOMPRESSED)),
    { publicKeys: [UNCOMPRESSED], scripts: [p2wpkh(UNCOMPRESSED)], watched: [p2sh(p2wpkh(UNCOMPRESSED))] },
    None,
  ],
  ['several keys, bare', bare, { held: [COMPRESSED, OTHER] }, None],
  ['several keys, bare and watched', bare, { held: [COMPRESSED, OTHER], watched: [bare] }, Watched],
  ['several keys in a hash', p2sh(bare), { held: [COMPRESSED, OTHER], scripts: [bare] }, Spendable],
  ['several keys in a hash, one of them not held', p2sh(bare), { held: [COMPRESSED], scripts: [bare] }, None],
  ['the hash of a script that is watched', p2sh(bare), { scripts: [bare], watched: [bare] }, Watched],
  ['the same, with the script not known', p2sh(bare), { watched: [bare] }, None],
  ['the witness hash of a script that is watched', p2wsh(bare), { scripts: [bare, p2wsh(bare)], watched: [bare] }, Watched],
  ['the same, with its program not known', p2wsh(bare), { scripts: [bare], watched: [bare] }, None],
  ['the EVM address of a held key', EVM, { held: [POINT], metachain: true }, Spendable],
  ['the same, where EVM addresses are not known', EVM, { held: [POINT] }, None],
  ['the EVM address of a known key', EVM, { publicKeys: [POINT], metachain: true }, None],
  ['the EVM address of a known key, watched', EVM, { publicKeys: [POINT], watched: [EVM], metachain: true }, Watched],
  ['an EVM address in a hash, watched', p2sh(EVM), { held: [POINT], scripts: [EVM], watched: [p2sh(EVM)], metachain: true }, None],
  ['a hash in a hash', p2sh(p2sh(bare)), { scripts: [bare, p2sh(bare)], watched: [p2sh(p2sh(bare))] }, None],
];

for (const [name, script, facts, expected] of cases) {
  test(`ownership: ${name}`, () => {
    assert.equal(ownershipOf(script, known(facts)), expected);
    assert.ok(mayOwn(script, known(facts)) || expected === None);
  });
}

test('ownership: a foreign hash, a short script and OP_RETURN are seen at once', () => {
  const mine = known({ held: [COMPRESSED], scripts: [bare] });
  const hashes = [p2pkh(OTHER), p2wpkh(OTHER), p2sh(payToPublicKey(OTHER))];
  const others = [Uint8Array.of(Op.ONE), buildScript(Op.RETURN, OTHER)];
  for (const script of [...hashes, ...others]) assert.ok(!mayOwn(script, mine));
  // A wallet may watch scripts of any form.
  const watching = known({ watched: others });
  for (const script of hashes) assert.ok(!mayOwn(script, watching));
  for (const script of others) assert.ok(mayOwn(script, watching));
});
