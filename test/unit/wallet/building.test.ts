import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sha256 } from '../../../src/crypto/hash.js';
import { feeForSize } from '../../../src/mempool/fee-rate.js';
import { pointKey } from '../../../src/primitives/outpoint.js';
import { makeTransaction, type TxOut, virtualSize } from '../../../src/primitives/transaction.js';
import { scriptOf } from '../../../src/script/address.js';
import { Op } from '../../../src/script/opcodes.js';
import { buildScript } from '../../../src/script/script.js';
import { EMPTY_BYTES, toHex } from '../../../src/util/bytes.js';
import { BuildFailed, type BuildOptions, type Recipient } from '../../../src/wallet/spend/build-request.js';
import { buildTransaction, buildUnsigned } from '../../../src/wallet/spend/builder.js';
import { Wallet } from '../../../src/wallet/wallet.js';
import { fc } from '../../property.js';
import { ModelChain, ModelMempool, modelDeps } from './model-node.js';

const directory = mkdtempSync(join(tmpdir(), 'wallet-building-'));
after(() => rmSync(directory, { recursive: true }));

const TOKEN = 3;
const MIN_RATE = 1_000n;
const WITNESS_PROGRAM = [Op.ZERO, 20] as const;

/** A wallet with DFI coins of the given values and a coin of another token, with six confirmations. */
async function walletWith(name: string, values: readonly bigint[]): Promise<Wallet> {
  const chain = new ModelChain();
  const deps = modelDeps(chain, new ModelMempool(), { keypoolSize: 2, maxFee: 10n ** 9n });
  const wallet = await Wallet.create(
    name,
    join(directory, name),
    { disablePrivateKeys: false, blank: false, avoidReuse: false, passphrase: undefined },
    deps,
  );
  await wallet.start();
  const scripts = (['bech32', 'legacy', 'p2sh-segwit'] as const).map((type) => scriptOf(wallet.newAddress('', type)));
  const outs = [...values.map((value) => ({ value, tokenId: 0 })), { value: 10n ** 12n, tokenId: TOKEN }];
  const transactions = outs.map(({ value, tokenId }, n) => {
    const prevout = { txid: sha256(Uint8Array.of(n, n >> 8)), vout: 0 };
    const vout = [{ value, tokenId, scriptPubKey: scripts[n % scripts.length] as Uint8Array }];
    const vin = [{ prevout, scriptSig: EMPTY_BYTES, sequence: 0, witness: [] }];
    return makeTransaction({ version: 4, vin, vout, lockTime: 0 }, chain.params.txFormat);
  });
  chain.connect(transactions);
  for (let n = 0; n < 6; n++) chain.connect([]);
  return wallet;
}

function recipientOf(n: number, amount: bigint, paysFee: boolean): Recipient {
  const script = buildScript(WITNESS_PROGRAM[0], sha256(Uint8Array.of(n, 9)).subarray(0, WITNESS_PROGRAM[1]));
  return { script, amount, tokenId: 0, paysFee };
}

const amounts = fc.bigInt({ min: 1_000n, max: 5_000_000_000n });
const wishes = fc.record({
  coins: fc.array(amounts, { minLength: 1, maxLength: 40 }),
  payments: fc.array(fc.tuple(amounts, fc.boolean()), { minLength: 1, maxLength: 4 }),
  feeRate: fc.option(fc.bigInt({ min: MIN_RATE, max: 200_000n }), { nil: undefined }),
  avoidPartialSpends: fc.boolean(),
  presets: fc.nat({ max: 2 }),
});

let wallets = 0;
let built = 0;
let refused = 0;

test('property: a transaction spends own DFI coins once, pays the requested amounts, and at least the minimum fee', async () => {
  await fc.assert(
    fc.asyncProperty(wishes, async ({ coins, payments, feeRate, avoidPartialSpends, presets }) => {
      const wallet = await walletWith(String(++wallets), coins);
      const owned = new Map([...wallet.unspent.confirmed()].map(({ wtx, vout, out }) => [pointKey({ txid: wtx.tx.txid, vout }), out]));
      const inputs = [...wallet.unspent.confirmed()]
        .filter(({ out }) => out.tokenId === 0)
        .slice(0, presets)
        .map(({ wtx, vout }) => ({ txid: wtx.tx.txid, vout }));
      const recipients = payments.map(([amount, paysFee], n) => recipientOf(n, amount, paysFee));
      const options: BuildOptions = { feeRate, avoidPartialSpends, inputs };
      const had = [...owned.values()].reduce((sum, out) => sum + (out.tokenId === 0 ? out.value : 0n), 0n);
      const asked = recipients.reduce((sum, { amount }) => sum + amount, 0n);
      try {
        const { tx, fee, changePosition } = buildTransaction(wallet, recipients, options);
        built += 1;
        const spent = tx.vin.map(({ prevout }) => owned.get(pointKey(prevout)) as TxOut);
        assert.ok(
          spent.every((out) => out?.tokenId === 0),
          'every input is an own coin of DFI',
        );
        assert.equal(new Set(tx.vin.map(({ prevout }) => pointKey(prevout))).size, tx.vin.length, 'no coin is spent twice');
        for (const point of inputs) assert.ok(tx.vin.some(({ prevout }) => pointKey(prevout) === pointKey(point)));
        const into = spent.reduce((sum, { value }) => sum + value, 0n);
        const out = tx.vout.reduce((sum, { value }) => sum + value, 0n);
        assert.equal(into - out, fee, 'inputs less outputs are the fee');
        assert.ok(tx.vout.every(({ tokenId }) => tokenId === 0));
        assert.ok(fee >= feeForSize(feeRate ?? MIN_RATE, virtualSize(tx)), `a fee of ${fee} for ${virtualSize(tx)} bytes`);
        assert.equal(tx.vout.length, recipients.length + (changePosition < 0 ? 0 : 1));
        const payers = recipients.filter(({ paysFee }) => paysFee);
        const paid = tx.vout.filter((_, i) => i !== changePosition);
        paid.forEach(({ value, scriptPubKey }, i) => {
          const { amount, script, paysFee } = recipients[i] as Recipient;
          assert.equal(toHex(scriptPubKey), toHex(script));
          assert.ok(paysFee ? value <= amount : value === amount, `${value} of ${amount}`);
        });
        const short = asked - paid.reduce((sum, { value }) => sum + value, 0n);
        assert.ok(payers.length > 0 ? short >= 0n && short <= fee : short === 0n, 'payers pay the fee and no more');
      } catch (error) {
        if (!(error instanceof BuildFailed)) throw error;
        refused += 1;
        // With less than twice the amount the coins may not suffice for the fee.
        if (error.message === 'Insufficient funds') assert.ok(had < 2n * asked + 10_000_000n, `${had} for ${asked}`);
      }
      await wallet.stop();
    }),
    { numRuns: 40 },
  );
  assert.ok(built > 15 && refused > 3, `${built} were built, ${refused} refused`);
});

test('a selection from a sample of very many coins covers the target', async () => {
  const values = Array.from({ length: 2_050 }, (_, n) => BigInt(100_000 + n));
  const wallet = await walletWith('many', values);
  const some = buildTransaction(wallet, [recipientOf(0, 2_000_000n, false)], { feeRate: MIN_RATE });
  assert.ok(some.tx.vin.length >= 15 && some.fee >= feeForSize(MIN_RATE, virtualSize(some.tx)));
  const tooMuch = values.reduce((sum, value) => sum + value, 1n);
  assert.throws(() => buildTransaction(wallet, [recipientOf(0, tooMuch, false)], { feeRate: MIN_RATE }), /Insufficient funds/);
  await wallet.stop();
});

const EVERYWHERE = { fast: false, skipSolvable: false, eager: false };
/** Amount that an eager search finds in addition to the payment. */
const MARGIN = 10_000_000n;

test('an eager search selects among the first coins by txid whose sum is the payment and a tenth of a DFI', async () => {
  const values = Array.from({ length: 60 }, (_, n) => BigInt(1_000_000 + n * 10_000));
  const wallet = await walletWith('eager', values);
  const payment = 3_000_000n;
  const first = new Set<string>();
  let sum = 0n;
  for (const { wtx, vout, out } of wallet.unspent.confirmed()) {
    if (out.tokenId !== 0 || sum >= payment + MARGIN) continue;
    sum += out.value;
    first.add(pointKey({ txid: wtx.tx.txid, vout }));
  }
  assert.ok(first.size > 5 && first.size < 15);
  const usesOthers = (coinSearch: BuildOptions['coinSearch']) => {
    const { tx } = buildTransaction(wallet, [recipientOf(0, payment, false)], { feeRate: MIN_RATE, coinSearch });
    return tx.vin.some(({ prevout }) => !first.has(pointKey(prevout)));
  };
  for (let n = 0; n < 20; n++) {
    assert.equal(usesOthers({ ...EVERYWHERE, eager: true }), false);
    assert.equal(usesOthers({ ...EVERYWHERE, fast: true }), false);
  }
  assert.ok(Array.from({ length: 20 }, () => usesOthers(EVERYWHERE)).includes(true));
  const all = values.reduce((total, value) => total + value, 0n);
  // The coins exceed the payment by less than the margin: all of them are searched, and suffice.
  const { tx } = buildTransaction(wallet, [recipientOf(0, all - 100_000n, false)], {
    feeRate: MIN_RATE,
    coinSearch: { ...EVERYWHERE, eager: true },
  });
  assert.equal(tx.vin.length, values.length);
  await wallet.stop();
});

test('watch-only coins that cannot be solved are selected if solvability is not checked, and then cannot be sized', async () => {
  const wallet = await walletWith('watching', [1_000_000n]);
  const watched = recipientOf(1, 0n, false).script;
  wallet.addWatched(watched, 1);
  const { chain } = wallet.deps;
  const paid = makeTransaction(
    {
      version: 4,
      vin: [{ prevout: { txid: sha256(Uint8Array.of(200)), vout: 0 }, scriptSig: EMPTY_BYTES, sequence: 0, witness: [] }],
      vout: [{ value: 50_000_000n, tokenId: 0, scriptPubKey: watched }],
      lockTime: 0,
    },
    chain.params.txFormat,
  );
  (chain as unknown as ModelChain).connect([paid]);
  const build = (coinSearch: BuildOptions['coinSearch']) => () =>
    buildUnsigned(wallet, [recipientOf(0, 20_000_000n, false)], { feeRate: MIN_RATE, spendWatched: true, coinSearch });
  assert.throws(build(EVERYWHERE), /^BuildFailed: Insufficient funds/);
  assert.throws(build({ ...EVERYWHERE, skipSolvable: true }), /^BuildFailed: Signing transaction failed/);
  assert.throws(build({ ...EVERYWHERE, fast: true }), /^BuildFailed: Signing transaction failed/);
  await wallet.stop();
});
