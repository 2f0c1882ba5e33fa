import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publicKeyOf } from '../../../src/crypto/ecdsa.js';
import { hash160, sha256 } from '../../../src/crypto/hash.js';
import { scriptOf } from '../../../src/script/address.js';
import { Op } from '../../../src/script/opcodes.js';
import { buildScript } from '../../../src/script/script.js';
import { toHex } from '../../../src/util/bytes.js';
import { addressOwnership } from '../../../src/wallet/coins/address-ownership.js';
import { Ownership } from '../../../src/wallet/keys/ownership.js';

const KEY = publicKeyOf(sha256(Uint8Array.of(1)));
const HASHED = scriptOf({ type: 'pkh', hash: hash160(KEY) });
const BARE = buildScript(KEY, Op.CHECKSIG);

const watched = [
  { of: 'the bare key', script: BARE, expected: [Ownership.None, Ownership.None] },
  { of: 'the hash of the key', script: HASHED, expected: [Ownership.Watched, Ownership.Watched] },
];
for (const { of, script, expected } of watched) {
  test(`outputs to a key and to its hash have the ownership of the same address: a wallet that watches ${of}`, () => {
    const ownershipOf = (each: Uint8Array) => (toHex(each) === toHex(script) ? Ownership.Watched : Ownership.None);
    const scripts = [BARE, HASHED];
    const wallet = { ownershipOf, outputOwnership: () => scripts.map(ownershipOf) };
    const wtx = { tx: { vout: scripts.map((scriptPubKey) => ({ scriptPubKey })) } };
    assert.deepEqual(addressOwnership(wallet as never, wtx as never), expected);
  });
}
