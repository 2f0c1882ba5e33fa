import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publicKeyOf } from '../../../src/crypto/ecdsa.js';
import { hash160, sha256 } from '../../../src/crypto/hash.js';
import { formatWif } from '../../../src/crypto/keys.js';
import { networkParams } from '../../../src/params/index.js';
import { formatAmount } from '../../../src/primitives/amount.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { analyzePsbt } from '../../../src/psbt/analyze.js';
import { isFinal } from '../../../src/psbt/psbt.js';
import { solveInputs } from '../../../src/psbt/solve.js';
import { formatPsbt, parsePsbt } from '../../../src/psbt/text.js';
import { encodeDestination, scriptOf } from '../../../src/script/address.js';
import { KeyStore } from '../../../src/script/key-source.js';
import { multisigScript } from '../../../src/script/multisig.js';
import { toHex } from '../../../src/util/bytes.js';
import { finish } from '../../../src/util/slicer.js';
import { startServices } from '../service-node.js';

const params = networkParams({ network: 'regtest' });
const { address, txFormat: format } = params;
const { ask, chain } = startServices(params, { operate: [0] });

const keyOf = (n: number) => {
  const privateKey = { secret: sha256(Uint8Array.of(n, 5)), compressed: true };
  const publicKey = publicKeyOf(privateKey.secret);
  return { privateKey, wif: formatWif(privateKey, address), publicKey, hex: toHex(publicKey), id: hash160(publicKey) };
};
const [first, second] = [keyOf(1), keyOf(2)];
const twoOfTwo = multisigScript(2, [first.publicKey, second.publicKey]);

const DESTINATIONS = {
  pkh: { type: 'pkh', hash: first.id },
  wpkh: { type: 'wpkh', hash: first.id },
  nested: { type: 'sh', hash: hash160(scriptOf({ type: 'wpkh', hash: first.id })) },
  multisig: { type: 'sh', hash: hash160(twoOfTwo) },
  wsh: { type: 'wsh', hash: sha256(twoOfTwo) },
} as const;
type Kind = keyof typeof DESTINATIONS;
const DESCRIPTORS: Readonly<Record<Kind, string>> = {
  pkh: `pkh(${first.hex})`,
  wpkh: `wpkh(${first.hex})`,
  nested: `sh(wpkh([aabbccdd/1/2']${first.hex}))`,
  multisig: `sh(multi(2,${first.hex},${second.hex}))`,
  wsh: `wsh(multi(2,${first.hex},${second.hex}))`,
};

interface Owned {
  readonly txid: string;
  readonly vout: number;
  /** Value after a fee of 0.001 DFI. */
  readonly afterFee: string;
}

const FEE = 100_000n;

/** Coinbase output of a new block, paid to the address. */
async function mine(kind: Kind): Promise<Owned> {
  const made = await ask('generatetoaddress', JSON.stringify([1, encodeDestination(DESTINATIONS[kind], address), 100_000]));
  assert.equal(made, '1', made);
  const [coinbase] = chain.block(chain.tip)?.transactions ?? [];
  assert.ok(coinbase);
  return { txid: formatHash(coinbase.txid), vout: 0, afterFee: formatAmount((coinbase.vout[0]?.value ?? 0n) - FEE) };
}

const owned = {
  pkh: await mine('pkh'),
  wpkh: await mine('wpkh'),
  nested: await mine('nested'),
  multisig: await mine('multisig'),
  wsh: await mine('wsh'),
};
const TO = encodeDestination(DESTINATIONS.nested, address);

async function call<T>(method: string, ...params: readonly unknown[]): Promise<T> {
  const text = await ask(method, JSON.stringify(params));
  assert.match(text, /^[{"]/, text);
  return JSON.parse(text) as T;
}

/** Spends one output and pays the fee. */
function spend(kind: Kind): Promise<string> {
  const { txid, vout, afterFee } = owned[kind];
  return call<string>('createpsbt', [{ txid, vout }], { [TO]: afterFee });
}

interface Analysis {
  readonly inputs: readonly { readonly has_utxo: boolean; readonly is_final: boolean; readonly next: string; readonly missing?: object }[];
  readonly next: string;
}

function signWith(text: string, ...keys: readonly (typeof first)[]): string {
  const store = new KeyStore();
  for (const { privateKey } of keys) store.addKey(privateKey);
  return formatPsbt(solveInputs(parsePsbt(text, format), { format, keys: store }).psbt, format);
}

test('analyzepsbt and utxoupdatepsbt: a P2SH-P2WPKH input through all roles', async () => {
  const created = await spend('nested');
  assert.deepEqual(await call<Analysis>('analyzepsbt', created), {
    inputs: [{ has_utxo: false, is_final: false, next: 'updater' }],
    next: 'updater',
  });
  // The node finds the output, but does not recognise its script as a witness script.
  const { inputs: unaware } = await call<{ inputs: object[] }>('decodepsbt', await call<string>('utxoupdatepsbt', created));
  assert.deepEqual(unaware, [{}]);
  const updated = await call<string>('utxoupdatepsbt', created, [DESCRIPTORS.nested]);
  assert.deepEqual(await call('analyzepsbt', updated), {
    inputs: [{ has_utxo: true, is_final: false, next: 'signer', missing: { signatures: [toHex(first.id)] } }],
    estimated_vsize: 134,
    estimated_feerate: 0.00746268,
    fee: 0.001,
    next: 'signer',
  });
  // One signature operation in a witness, of 1,000 weight units with this option.
  const { size } = finish(analyzePsbt(parsePsbt(updated, format), { format, bytesPerSigOp: 1000 }));
  assert.deepEqual(size, { virtualSize: 250, feePerKb: 400_000n });
  const signed = signWith(updated, first);
  assert.deepEqual(await call('analyzepsbt', signed), {
    inputs: [{ has_utxo: true, is_final: true, next: 'updater' }],
    estimated_vsize: 134,
    estimated_feerate: 0.00746268,
    fee: 0.001,
    next: 'extractor',
  });
  const { hex, complete } = await call<{ hex: string; complete: boolean }>('finalizepsbt', signed);
  assert.equal(complete, true);
  const raw = await call<string>('createrawtransaction', [owned.nested], { [TO]: owned.nested.afterFee });
  const direct = await call<{ hex: string }>('signrawtransactionwithkey', raw, [first.wif]);
  assert.equal(hex, direct.hex);
});

test('decodepsbt: scripts, key paths, the output and the fee', async () => {
  const updated = await call<string>('utxoupdatepsbt', await spend('nested'), [DESCRIPTORS.nested]);
  const shown = await call<{ inputs: unknown; outputs: unknown; fee: number }>('decodepsbt', updated);
  const script = scriptOf(DESTINATIONS.nested);
  const redeemScript = scriptOf(DESTINATIONS.wpkh);
  const derivs = [{ pubkey: first.hex, master_fingerprint: 'aabbccdd', path: "m/1/2'" }];
  const redeem_script = { asm: `0 ${toHex(first.id)}`, hex: toHex(redeemScript), type: 'witness_v0_keyhash' };
  const scriptPubKey = { asm: `OP_HASH160 ${toHex(hash160(redeemScript))} OP_EQUAL`, hex: toHex(script), type: 'scripthash', address: TO };
  const witness_utxo = { amount: Number(owned.nested.afterFee) + 0.001, scriptPubKey };
  assert.deepEqual(shown.inputs, [{ witness_utxo, redeem_script, bip32_derivs: derivs }]);
  assert.deepEqual(shown.outputs, [{ redeem_script, bip32_derivs: derivs }]);
  assert.equal(shown.fee, 0.001);
});

test('utxoupdatepsbt: a witness output is recognised by its script, others stay as they are', async () => {
  const wpkh = await call<{ inputs: readonly object[] }>('decodepsbt', await call<string>('utxoupdatepsbt', await spend('wpkh')));
  assert.deepEqual(Object.keys(wpkh.inputs[0] ?? {}), ['witness_utxo']);
  for (const kind of ['pkh', 'multisig'] as const) {
    const updated = await call<string>('utxoupdatepsbt', await spend(kind), [DESCRIPTORS[kind]]);
    const { inputs } = await call<{ inputs: readonly object[] }>('decodepsbt', updated);
    assert.deepEqual(inputs, [{}]);
  }
});

test('combinepsbt and finalizepsbt: two signers of a P2WSH multisig', async () => {
  const updated = await call<string>('utxoupdatepsbt', await spend('wsh'), [DESCRIPTORS.wsh]);
  const halves = [second, first].map((key) => signWith(updated, key));
  const open = await call<{ psbt: string; complete: boolean }>('finalizepsbt', halves[0]);
  assert.deepEqual([open.complete, open.psbt], [false, halves[0]]);
  const combined = await call<string>('combinepsbt', halves);
  const { partial_signatures: signatures } =
    (await call<{ inputs: readonly { partial_signatures: object }[] }>('decodepsbt', combined)).inputs[0] ?? {};
  assert.deepEqual(Object.keys(signatures ?? {}).sort(), [first.hex, second.hex].sort());
  // All signatures are present, so the finalizer is next; but `defid` reports the signer as the next role of the whole.
  const analysis = await call<Analysis>('analyzepsbt', combined);
  assert.deepEqual([analysis.inputs[0]?.next, analysis.inputs[0]?.missing, analysis.next], ['finalizer', undefined, 'signer']);
  const kept = await call<{ psbt: string; complete: boolean }>('finalizepsbt', combined, false);
  assert.ok(kept.complete && parsePsbt(kept.psbt, format).inputs.every(isFinal));
  const { hex } = await call<{ hex: string }>('finalizepsbt', combined);
  const raw = await call<string>('createrawtransaction', [owned.wsh], { [TO]: owned.wsh.afterFee });
  const previous = {
    ...owned.wsh,
    amount: Number(owned.wsh.afterFee) + 0.001,
    scriptPubKey: toHex(scriptOf(DESTINATIONS.wsh)),
    witnessScript: toHex(twoOfTwo),
  };
  const direct = await call<{ hex: string; complete: boolean }>('signrawtransactionwithkey', raw, [first.wif, second.wif], [previous]);
  assert.deepEqual([direct.hex, direct.complete], [hex, true]);
});

test('combinerawtransaction: two signers of a P2SH multisig', async () => {
  const raw = await call<string>('createrawtransaction', [owned.multisig], { [TO]: 1 });
  const previous = [{ ...owned.multisig, scriptPubKey: toHex(scriptOf(DESTINATIONS.multisig)), redeemScript: toHex(twoOfTwo) }];
  const sign = (...keys: readonly string[]) => call<{ hex: string; complete: boolean }>('signrawtransactionwithkey', raw, keys, previous);
  const halves = [await sign(first.wif), await sign(second.wif)];
  const whole = await sign(first.wif, second.wif);
  assert.deepEqual(
    [...halves, whole].map(({ complete }) => complete),
    [false, false, true],
  );
  const [a, b] = halves.map(({ hex }) => hex);
  assert.equal(await call('combinerawtransaction', [b, a]), whole.hex);
  assert.equal(await call('combinerawtransaction', [raw, b, a]), whole.hex);
  assert.equal(await call('combinerawtransaction', [a, whole.hex]), whole.hex);
  assert.equal(await call('combinerawtransaction', [a]), a);
});

const cases: readonly { readonly method: string; readonly params: () => Promise<unknown[]>; readonly error: string }[] = [
  { method: 'combinerawtransaction', params: async () => [['00']], error: '-22 TX decode failed for tx 0' },
  {
    method: 'combinerawtransaction',
    params: async () => [[await call('createrawtransaction', [], {}), 'zz', 1]],
    error: '-22 TX decode failed for tx 1',
  },
  {
    method: 'combinerawtransaction',
    params: async () => [[await call('createrawtransaction', [{ txid: '33'.repeat(32), vout: 0 }], {})]],
    error: '-25 Input not found or already spent',
  },
  { method: 'combinepsbt', params: async () => [['zz', 1]], error: '-22 TX decode failed invalid base64' },
  {
    method: 'combinepsbt',
    params: async () => [[await spend('pkh'), await spend('wsh')]],
    error: '-8 PSBTs not compatible (different transactions)',
  },
  {
    method: 'joinpsbts',
    params: async () => [[await spend('pkh'), await spend('pkh')]],
    error: `-8 Input ${owned.pkh.txid}:0 exists in multiple PSBTs`,
  },
  { method: 'joinpsbts', params: async () => [['zz']], error: '-8 At least two PSBTs are required to join PSBTs.' },
  { method: 'joinpsbts', params: async () => [['zz', 'zz']], error: '-22 TX decode failed invalid base64' },
  {
    method: 'utxoupdatepsbt',
    params: async () => [await spend('pkh'), [{ desc: DESCRIPTORS.pkh, range: [2, 1] }]],
    error: '-8 Range specified as [begin,end] must not have begin after end',
  },
];
for (const { method, params, error } of cases) {
  test(`${method}: ${error.slice(0, 60)}`, async () => assert.equal(await ask(method, JSON.stringify(await params())), error));
}

test('combinepsbt: an output record and the transaction of another do not match', async () => {
  const created = parsePsbt(await spend('wpkh'), format);
  const [coinbase] = chain.block(chain.entryAt(2) ?? chain.tip)?.transactions ?? [];
  assert.ok(coinbase && formatHash(coinbase.txid) === owned.wpkh.txid);
  const withInput = (more: object) => formatPsbt({ ...created, inputs: created.inputs.map((input) => ({ ...input, ...more })) }, format);
  const whole = withInput({ nonWitnessUtxo: coinbase });
  const output = withInput({ witnessUtxo: coinbase.vout[0] });
  assert.equal(await ask('combinepsbt', JSON.stringify([[output, whole]])), '-8 PSBT is not sane');
  assert.equal(await ask('combinepsbt', JSON.stringify([[whole, output]])), JSON.stringify(output));
});

test('joinpsbts: the highest version, the lowest lock time, all inputs and outputs, no signatures', async () => {
  const signed = signWith(await call<string>('utxoupdatepsbt', await spend('wpkh'), [DESCRIPTORS.wpkh]), first);
  const { txid, vout } = owned.pkh;
  const late = await call<string>('createpsbt', [{ txid, vout, sequence: 5 }], { [TO]: 1 }, 77);
  const joined = await call<string>('joinpsbts', [late, signed]);
  const { tx, inputs, outputs } = parsePsbt(joined, format);
  assert.deepEqual([tx.version, tx.lockTime, tx.vin.map(({ sequence }) => sequence)], [2, 0, [5, 0xffffffff]]);
  assert.deepEqual([inputs.length, outputs.length, inputs.some(isFinal), inputs[1]?.witnessUtxo !== undefined], [2, 2, false, true]);
});

test('converttopsbt: refuses signatures unless they may be dropped', async () => {
  const raw = await call<string>('createrawtransaction', [owned.pkh], { [TO]: 1 });
  const signed = await call<{ hex: string; complete: boolean }>('signrawtransactionwithkey', raw, [first.wif]);
  assert.ok(signed.complete);
  const refused = '-22 Inputs must not have scriptSigs and scriptWitnesses';
  assert.equal(await ask('converttopsbt', JSON.stringify([signed.hex])), refused);
  assert.equal(await ask('converttopsbt', JSON.stringify([signed.hex, false])), refused);
  assert.equal(await call('converttopsbt', signed.hex, true), await call('converttopsbt', raw));
});
