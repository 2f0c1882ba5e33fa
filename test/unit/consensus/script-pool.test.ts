import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { TxInvalid } from '../../../src/consensus/errors.js';
import { decodeScriptJob, encodeScriptJob, type ScriptJob } from '../../../src/consensus/script-jobs.js';
import { ScriptPool, threadsOf } from '../../../src/consensus/script-pool.js';
import { BlockScripts } from '../../../src/consensus/scripts.js';
import { publicKeyOf, signCompact } from '../../../src/crypto/ecdsa.js';
import { hash160 } from '../../../src/crypto/hash.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { makeTransaction, type Transaction } from '../../../src/primitives/transaction.js';
import { scriptOf } from '../../../src/script/address.js';
import { VerifyFlag } from '../../../src/script/flags.js';
import { KeyStore } from '../../../src/script/key-source.js';
import { Op } from '../../../src/script/opcodes.js';
import { buildScript } from '../../../src/script/script.js';
import { legacySignatureHash } from '../../../src/script/sighash.js';
import { signInputs } from '../../../src/script/sign-inputs.js';
import { SIGHASH_ALL } from '../../../src/script/signature-encoding.js';
import { concatBytes } from '../../../src/util/bytes.js';
import { scriptWorkerProgram, workerProgram } from '../../worker-program.js';
import { encodeDer } from '../crypto/der.js';

const FLAGS = 0xffff_ffff;
const format = { tokenIds: true };
const secret = new Uint8Array(32).fill(7);
const publicKey = publicKeyOf(secret);

const keys = new KeyStore();
keys.addKey({ secret, compressed: true });
const outputs = (['wpkh', 'pkh'] as const).map((type) => scriptOf({ type, hash: hash160(publicKey) }));

/** A transaction that spends outputs of both kinds. */
function payment(inputs: number, tag = 0): ScriptJob {
  const vin = Array.from({ length: inputs }, (_, vout) => ({
    prevout: { txid: new Uint8Array(32).fill(tag), vout },
    scriptSig: new Uint8Array(),
    sequence: 0xffffffff,
    witness: [],
  }));
  const out = (i: number) => ({ value: BigInt(1_000 + i), scriptPubKey: outputs[i % 2] as Uint8Array, tokenId: 0 });
  const { tx } = signInputs(
    { version: 4, vin, vout: [{ value: 1n, scriptPubKey: Uint8Array.of(Op.ONE), tokenId: 3 }], lockTime: 0 },
    { format, keys, output: ({ vout }) => out(vout), hashType: SIGHASH_ALL },
  );
  const spent = vin.map((_, i) => ({ out: out(i), height: 1, coinbase: false }));
  return { tx, spent, flags: VerifyFlag.P2SH | VerifyFlag.WITNESS, format };
}

/** The same with another value of one spent output, which its signature covers in a witness. */
function withWrongValue({ spent, ...job }: ScriptJob, input: number): ScriptJob {
  return { ...job, spent: spent.map((coin, i) => (i === input ? { ...coin, out: { ...coin.out, value: coin.out.value + 1n } } : coin)) };
}

test('a job: round trip', () => {
  const job = { ...payment(3), flags: FLAGS };
  const { tx, spent, flags, format: decodedFormat } = decodeScriptJob(Uint8Array.from(encodeScriptJob(job)));
  assert.deepEqual(
    [tx.vin, tx.vout, tx.version, tx.lockTime].map(plain),
    [job.tx.vin, job.tx.vout, job.tx.version, job.tx.lockTime].map(plain),
  );
  assert.deepEqual(
    plain(spent.map(({ out }) => [out.value, out.scriptPubKey])),
    plain(job.spent.map(({ out }) => [out.value, out.scriptPubKey])),
  );
  assert.deepEqual([flags >>> 0, decodedFormat], [FLAGS, format]);
});

function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, each) =>
      typeof each === 'bigint'
        ? `${each}`
        : each?.type === 'Buffer'
          ? each.data
          : ArrayBuffer.isView(each)
            ? [...(each as Uint8Array)]
            : each,
    ),
  );
}

describe('ScriptPool with two threads', () => {
  let pool: ScriptPool;
  before(() => {
    pool = new ScriptPool(2, { program: scriptWorkerProgram(), onError: (error) => assert.fail(error) });
  });
  after(() => pool.stop());

  const single = payment(1);
  const wide = payment(200, 1);

  test('valid scripts pass, more than the ring has room for', () => {
    const batch = pool.open();
    for (let i = 0; i < 9_000; i++) assert.equal(batch.add(i % 1_000 === 0 ? wide : single), true);
    assert.equal(batch.finish(), true);
  });

  test('one invalid input among many is detected, and does not affect the next batch', () => {
    for (const wrong of [0, 100, 8_500, 8_999]) {
      const batch = pool.open();
      for (let i = 0; i < 9_000; i++) batch.add(i === wrong ? withWrongValue(single, 0) : single);
      assert.equal(batch.finish(), false, `transaction ${wrong}`);
      for (const input of [0, 32, 198]) {
        const next = pool.open();
        next.add(wide);
        next.add(withWrongValue(wide, input));
        assert.equal(next.finish(), false, `input ${input}`);
        const good = pool.open();
        good.add(wide);
        assert.equal(good.finish(), true);
      }
    }
  });

  test('batches that alternate keep their own results', () => {
    const [good, bad] = [pool.open(), pool.open()];
    for (let i = 0; i < 100; i++) {
      good.add(i % 10 === 0 ? wide : single);
      bad.add(i === 50 ? withWrongValue(single, 0) : single);
    }
    assert.deepEqual([good.finish(), bad.finish()], [true, false]);
  });

  test('a third batch ends the oldest one, whose result is kept', () => {
    const wrong = withWrongValue(single, 0);
    const batches = [single, wrong, single, wrong, single].map((last) => {
      const batch = pool.open();
      for (let i = 0; i < 100; i++) batch.add(single);
      batch.add(last);
      return batch;
    });
    assert.deepEqual(
      batches.map((batch) => batch.finish()),
      [true, false, true, false, true],
    );
  });

  test('a batch that is discarded leaves nothing to the next one', () => {
    const batch = pool.open();
    for (let i = 0; i < 2_000; i++) batch.add(i === 1_000 ? withWrongValue(single, 0) : single);
    batch.discard();
    assert.equal(batch.help(), false);
    const next = pool.open();
    next.add(single);
    assert.equal(next.finish(), true);
  });

  test('without room nothing is added, and nothing is waited for', () => {
    const batch = pool.open();
    let added = 0;
    while (batch.addIfRoom(single)) added++;
    assert.ok(added >= 8_000 && added < 9_000, `${added} jobs`);
    assert.equal(batch.help(), true);
    assert.equal(batch.finish(), true);
  });

  test('only the batch that is processed can be helped', () => {
    const [first, second] = [pool.open(), pool.open()];
    for (let i = 0; i < 200; i++) first.add(single);
    assert.equal(second.help(), false);
    while (first.help()) {}
    assert.equal(first.finish(), true);
  });

  test('a transaction that the ring cannot hold is left to the caller', () => {
    const { tx, spent, ...rest } = single;
    const raw = new Uint8Array(5 * 2 ** 20);
    assert.equal(pool.open().add({ ...rest, tx: { ...tx, raw }, spent }), false);
  });

  describe('the scripts of a block', () => {
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
    const plainScript = buildScript(publicKey, Op.CHECKSIG);
    const run = ({ tx, spent }: ReturnType<typeof spend>) => {
      const scripts = new BlockScripts(0, format, { threads: pool });
      scripts.check(tx, spent);
      scripts.verifyDeferred();
    };

    test('a valid one passes', () => run(spend(plainScript, signFor(plainScript))));
    test('a signature of another key fails', () => {
      const other = spend(plainScript, signFor(plainScript, new Uint8Array(32).fill(8)));
      assert.throws(() => run(other), TxInvalid);
    });
    test('a failure is reported at the end of its block, and not of the next one', () => {
      const scripts = new BlockScripts(0, format, { threads: pool });
      const other = spend(buildScript(Op.ZERO), () => new Uint8Array(0));
      scripts.check(other.tx, other.spent);
      scripts.check(other.tx, other.spent);
      assert.throws(() => scripts.verifyDeferred(), TxInvalid);
      run(spend(plainScript, signFor(plainScript)));
    });
    test('scripts queued before their turn count when it comes', () => {
      const good = spend(plainScript, signFor(plainScript));
      const other = spend(buildScript(Op.ZERO), () => new Uint8Array(0));
      const scripts = new BlockScripts(0, format, { threads: pool });
      for (const { tx, spent } of [good, other]) scripts.queue(tx, spent);
      for (const { tx, spent } of [good, other]) scripts.check(tx, spent);
      assert.equal([...scripts.help()].length <= 2, true);
      assert.throws(() => scripts.verifyDeferred(), new RegExp(`CheckInputs on ${formatHash(other.tx.txid)} failed`));
      const abandoned = new BlockScripts(0, format, { threads: pool });
      abandoned.queue(other.tx, other.spent);
      abandoned.abandon();
      run(good);
    });
    test('without threads it is reported immediately', () => {
      const other = spend(plainScript, signFor(plainScript, new Uint8Array(32).fill(8)));
      assert.throws(() => new BlockScripts(0, format).check(other.tx, other.spent), TxInvalid);
    });
    test('a script may require an invalid signature', () => {
      const wantsWrong = buildScript(publicKey, Op.CHECKSIG, Op.NOT);
      run(spend(wantsWrong, signFor(wantsWrong, new Uint8Array(32).fill(8))));
      assert.throws(() => run(spend(wantsWrong, signFor(wantsWrong))), TxInvalid);
    });
  });
});

describe('a thread that ends while it processes a job', () => {
  const single = payment(1);
  const wrong = withWrongValue(single, 0);
  let errors: string[];
  let pool: ScriptPool;
  /** Resolves when a thread has ended. */
  let ended: Promise<void>;
  beforeEach(() => {
    errors = [];
    ended = new Promise((resolve) => {
      const onError = ({ message }: Error) => {
        errors.push(message);
        resolve();
      };
      pool = new ScriptPool(2, { program: workerProgram('test/e2e/fixtures/dying-script-worker.ts'), onError, stallMs: 20 });
    });
  });
  afterEach(() => pool.stop());
  // The threads alone do not keep the process alive.
  const alive = setInterval(() => {}, 1_000);
  after(() => clearInterval(alive));
  const stalled = ['out of memory', 'no script was verified within 20 ms'];

  test('its batch is not known to be valid, nor is another that was begun, and the next one is', async () => {
    const [first, second] = [pool.open(), pool.open()];
    for (let i = 0; i < 100; i++) first.add(single);
    await ended;
    second.add(single);
    assert.equal(first.finish(), false);
    assert.equal(second.finish(), false);
    assert.deepEqual(errors, stalled);
    const next = pool.open();
    next.add(single);
    assert.equal(next.finish(), true);
    const last = pool.open();
    last.add(wrong);
    assert.equal(last.finish(), false);
  });

  test('a full batch continues', async () => {
    const batch = pool.open();
    while (batch.addIfRoom(single)) {}
    await ended;
    assert.equal(batch.add(single), true);
    assert.equal(batch.finish(), false);
    assert.deepEqual(errors, stalled);
  });

  for (const [name, job, expected] of [
    ['valid', single, undefined],
    ['invalid', wrong, TxInvalid],
  ] as const) {
    test(`${name} scripts of a block get the same verdict`, async () => {
      const scripts = new BlockScripts(job.flags, format, { threads: pool });
      for (let i = 0; i < 100; i++) scripts.check(single.tx, single.spent);
      await ended;
      scripts.check(job.tx, job.spent);
      if (expected) assert.throws(() => scripts.verifyDeferred(), expected);
      else scripts.verifyDeferred();
      assert.deepEqual(errors, stalled);
    });
  }
});

test('threadsOf: number of threads for -par', () => {
  assert.equal(threadsOf(0, 8), 8);
  assert.equal(threadsOf(-2, 8), 6);
  assert.equal(threadsOf(-9, 8), 1);
  assert.equal(threadsOf(3, 8), 3);
  assert.equal(threadsOf(100, 8), 16);
});
