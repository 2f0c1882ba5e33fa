import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { TxInvalid } from '../../../src/consensus/errors.js';
import { BlockScripts } from '../../../src/consensus/scripts.js';
import { publicKeyOf, signCompact } from '../../../src/crypto/ecdsa.js';
import { threadsOf, VerifyPool } from '../../../src/crypto/verify-pool.js';
import { makeTransaction, type Transaction } from '../../../src/primitives/transaction.js';
import { Op } from '../../../src/script/opcodes.js';
import { buildScript } from '../../../src/script/script.js';
import { legacySignatureHash } from '../../../src/script/sighash.js';
import { concatBytes } from '../../../src/util/bytes.js';
import { verifyWorkerProgram } from '../../verify-worker.js';
import { encodeDer } from './der.js';

const secret = new Uint8Array(32).fill(7);
const publicKey = publicKeyOf(secret);
const hash = new Uint8Array(32).fill(9);

const signature = encodeDer(signCompact(hash, secret));

describe('VerifyPool with two threads', () => {
  let pool: VerifyPool;
  before(() => {
    pool = new VerifyPool(2, { program: verifyWorkerProgram(), onError: (error) => assert.fail(error) });
  });
  after(() => pool.stop());

  test('valid signatures pass, more than the ring has room for', () => {
    for (let i = 0; i < 5_000; i++) assert.equal(pool.add(publicKey, signature, hash), true);
    assert.equal(pool.finish(), true);
  });

  test('one invalid signature among many is detected, and does not affect the next batch', () => {
    for (const wrong of [0, 4_500, 4_999]) {
      for (let i = 0; i < 5_000; i++) pool.add(publicKey, signature, i === wrong ? new Uint8Array(32) : hash);
      assert.equal(pool.finish(), false, `signature ${wrong}`);
      pool.add(publicKey, signature, hash);
      assert.equal(pool.finish(), true);
    }
  });

  test('malformed keys and signatures are rejected immediately', () => {
    assert.equal(pool.add(publicKey.subarray(1), signature, hash), false);
    assert.equal(pool.add(publicKey, Uint8Array.of(1, 2, 3), hash), false);
    assert.equal(pool.finish(), true);
  });

  describe('the scripts of a block', () => {
    const format = { tokenIds: true };
    const spend = (script: Uint8Array, sign: (tx: Transaction) => Uint8Array) => {
      const input = { prevout: { txid: new Uint8Array(32).fill(1), vout: 0 }, sequence: 0xffffffff, witness: [] };
      const fields = { version: 1, vout: [{ value: 1n, scriptPubKey: Uint8Array.of(Op.ONE), tokenId: 0 }], lockTime: 0 };
      const unsigned = makeTransaction({ ...fields, vin: [{ ...input, scriptSig: new Uint8Array(0) }] }, format);
      const scriptSig = sign(unsigned);
      const tx = makeTransaction({ ...fields, vin: [{ ...input, scriptSig }] }, format);
      return { tx, spent: [{ out: { value: 5n, scriptPubKey: script, tokenId: 0 }, height: 1, coinbase: false }] };
    };
    const signFor =
      (script: Uint8Array, key = secret) =>
      (tx: Transaction) => {
        const signed = legacySignatureHash({ tx, format, input: 0 }, script, 1);
        return buildScript(concatBytes(encodeDer(signCompact(signed, key)), Uint8Array.of(1)));
      };
    const plain = buildScript(publicKey, Op.CHECKSIG);
    const run = ({ tx, spent }: ReturnType<typeof spend>) => {
      const scripts = new BlockScripts(0, format, { batch: pool });
      scripts.check(tx, spent);
      scripts.verifyDeferred();
    };

    test('a valid one passes', () => run(spend(plain, signFor(plain))));
    test('a signature of another key fails', () => {
      const other = spend(plain, signFor(plain, new Uint8Array(32).fill(8)));
      assert.throws(() => run(other), TxInvalid);
    });
    test('a failure is reported at the end of its block, and not of the next one', () => {
      const scripts = new BlockScripts(0, format, { batch: pool });
      const other = spend(buildScript(Op.ZERO), () => new Uint8Array(0));
      scripts.check(other.tx, other.spent);
      scripts.check(other.tx, other.spent);
      assert.throws(() => scripts.verifyDeferred(), TxInvalid);
      run(spend(plain, signFor(plain)));
    });
    test('without threads it is reported immediately', () => {
      const other = spend(plain, signFor(plain, new Uint8Array(32).fill(8)));
      assert.throws(() => new BlockScripts(0, format).check(other.tx, other.spent), TxInvalid);
    });
    test('a script that requires an invalid signature is run again with immediate verification', () => {
      const wantsWrong = buildScript(publicKey, Op.CHECKSIG, Op.NOT);
      run(spend(wantsWrong, signFor(wantsWrong, new Uint8Array(32).fill(8))));
      assert.throws(() => run(spend(wantsWrong, signFor(wantsWrong))), TxInvalid);
    });
  });
});

test('threadsOf: number of threads for -par', () => {
  assert.equal(threadsOf(0, 8), 8);
  assert.equal(threadsOf(-2, 8), 6);
  assert.equal(threadsOf(-9, 8), 1);
  assert.equal(threadsOf(3, 8), 3);
  assert.equal(threadsOf(100, 8), 16);
});
