import assert from 'node:assert/strict';
import { test } from 'node:test';
import { htlcScript } from '../../../src/bitcoin/htlc.js';
import { type HtlcSpend, spendHtlcs } from '../../../src/bitcoin/htlc-spend.js';
import { BITCOIN_FORMAT } from '../../../src/bitcoin/regtest-bitcoin.js';
import { publicKeyOf } from '../../../src/crypto/ecdsa.js';
import { hash160, sha256 } from '../../../src/crypto/hash.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { scriptOf } from '../../../src/script/address.js';
import { TransactionChecker } from '../../../src/script/checker.js';
import { STANDARD_FLAGS } from '../../../src/script/flags.js';
import { KeyStore, NO_KEYS } from '../../../src/script/key-source.js';
import { verifyScript } from '../../../src/script/verify.js';
import { foreign, keyScript, outputOf, WalletFixture } from './fixture.js';

const COIN = 100_000_000n;
const SEED = new Uint8Array(32).fill(5);
const DESTINATION = keyScript(9);
const privateKey = (byte: number) => ({ secret: new Uint8Array(32).fill(byte), compressed: true });
const keyOf = (byte: number): Uint8Array => publicKeyOf(privateKey(byte).secret, true);

/** A wallet with an HTLC of key 1 for the receiver and key 2 for the owner. */
class Scene extends WalletFixture {
  readonly terms = { receiver: keyOf(1), owner: keyOf(2), blocks: 10, hash: sha256(SEED) };
  readonly script = htlcScript(this.terms);
  readonly keys = new KeyStore();
  readonly scriptPubKey = scriptOf({ type: 'sh', hash: hash160(this.script) });

  constructor() {
    super({});
    for (const byte of [1, 2]) this.keys.addKey(privateKey(byte));
    this.learn({ kind: 'script', hash: hash160(this.script) });
  }

  fund(byte: number, value = COIN): Transaction {
    return this.send({
      from: [foreign(byte)],
      to: [
        [keyScript(7), 1_000n],
        [this.scriptPubKey, value],
      ],
    });
  }

  spend(parts: Partial<HtlcSpend>): Transaction {
    const htlcs = [{ terms: this.terms, script: this.script }];
    return spendHtlcs(this.wallet, { htlcs, seed: undefined, destination: DESTINATION, feeRate: 10_000n, keys: this.keys, ...parts });
  }

  /** @throws {ScriptError} if a spend of an output of one coin is not valid */
  verify(tx: Transaction): void {
    for (const [i, { scriptSig, witness }] of tx.vin.entries()) {
      const checker = new TransactionChecker(tx, BITCOIN_FORMAT, i, COIN);
      verifyScript({ scriptSig, witness, scriptPubKey: this.scriptPubKey }, STANDARD_FLAGS, checker);
    }
  }
}

test('a claim spends all outputs with the seed', () => {
  const scene = new Scene();
  const funding = [scene.fund(1), scene.fund(2)];
  const tx = scene.spend({ seed: SEED });
  assert.equal(tx.version, 2);
  assert.deepEqual(
    tx.vin.map(({ prevout }) => prevout),
    funding.map((each) => outputOf(each, 1)),
  );
  assert.deepEqual(
    tx.vin.map(({ sequence }) => sequence),
    [0xffffffff, 0xffffffff],
  );
  assert.deepEqual(tx.vout, [{ value: 2n * COIN - 9_970n, scriptPubKey: DESTINATION, tokenId: 0 }]);
  scene.verify(tx);
});

test('a wrong seed makes no valid claim', () => {
  const scene = new Scene();
  scene.fund(1);
  const tx = scene.spend({ seed: new Uint8Array(32).fill(6) });
  assert.throws(() => scene.verify(tx), { name: 'ScriptError' });
});

test('a refund spends the outputs that have the confirmations, with that number as sequence', () => {
  const scene = new Scene();
  const old = scene.fund(1);
  scene.chain.setHeight(1);
  scene.fund(2);
  scene.chain.setHeight(9);
  const tx = scene.spend({});
  assert.deepEqual(
    tx.vin.map(({ prevout, sequence }) => ({ prevout, sequence })),
    [{ prevout: outputOf(old, 1), sequence: 10 }],
  );
  assert.deepEqual(tx.vout, [{ value: COIN - 2_690n, scriptPubKey: DESTINATION, tokenId: 0 }]);
  scene.verify(tx);
});

test('a refund waits for the last confirmation', () => {
  const scene = new Scene();
  scene.fund(1);
  scene.chain.setHeight(8);
  assert.throws(() => scene.spend({}), { kind: 'wallet', message: 'No unspent HTLC outputs found' });
  scene.chain.setHeight(9);
  assert.equal(scene.spend({}).vin.length, 1);
});

test('an output is spent once', () => {
  const scene = new Scene();
  scene.fund(1);
  scene.chain.send(scene.spend({ seed: SEED }));
  assert.throws(() => scene.spend({ seed: SEED }), { kind: 'wallet', message: 'No unspent HTLC outputs found' });
});

test('HTLCs without a key in the wallet are left out', () => {
  const scene = new Scene();
  scene.fund(1);
  scene.chain.setHeight(100);
  const message = 'Private key relating to a HTLC pubkey is not available in the wallet';
  assert.throws(() => scene.spend({ keys: NO_KEYS }), { kind: 'wallet', message });
  const foreignTerms = { ...scene.terms, owner: keyOf(3) };
  const htlcs = [
    { terms: foreignTerms, script: htlcScript(foreignTerms) },
    { terms: scene.terms, script: scene.script },
  ];
  assert.equal(scene.spend({ htlcs }).vin.length, 1);
});

test('the outputs must pay for the fee and leave more than dust', () => {
  const scene = new Scene();
  scene.fund(1, 3_010n + 545n);
  assert.throws(() => scene.spend({ seed: SEED }), { kind: 'misc', message: 'Not enough funds to cover fee' });
  const another = new Scene();
  another.fund(1, 3_010n + 546n);
  assert.equal(another.spend({ seed: SEED }).vout[0]?.value, 546n);
});
