import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publicKeyOf } from '../../../src/crypto/ecdsa.js';
import { hash160, sha256 } from '../../../src/crypto/hash.js';
import { formatWif } from '../../../src/crypto/keys.js';
import { networkParams } from '../../../src/params/index.js';
import { scriptOf } from '../../../src/script/address.js';
import { multisigScript } from '../../../src/script/multisig.js';
import { toHex } from '../../../src/util/bytes.js';
import { heights } from '../../unit/dfi/fixture.js';
import { startServices } from '../service-node.js';

const params = networkParams({ network: 'regtest', upgradeHeights: { amk: 0 } });
const { ask } = startServices(params);

const keyOf = (n: number) => {
  const privateKey = { secret: sha256(Uint8Array.of(n, 3)), compressed: true };
  const publicKey = publicKeyOf(privateKey.secret);
  return { wif: formatWif(privateKey, params.address), publicKey, id: hash160(publicKey) };
};
const [first, second, third] = [keyOf(1), keyOf(2), keyOf(3)];

const TXID = '22'.repeat(32);
const TO = 'mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU';

async function unsigned(inputs = 1): Promise<string> {
  const points = Array.from({ length: inputs }, (_, vout) => ({ txid: TXID, vout }));
  return JSON.parse(await ask('createrawtransaction', JSON.stringify([points, { [TO]: 1 }]))) as string;
}

interface Signed {
  readonly hex: string;
  readonly complete: boolean;
  readonly errors?: readonly Record<string, unknown>[];
}

async function sign(...params: readonly unknown[]): Promise<Signed> {
  const text = await ask('signrawtransactionwithkey', JSON.stringify(params));
  assert.match(text, /^\{/, text);
  return JSON.parse(text) as Signed;
}

const hexOf = (script: Uint8Array) => toHex(script);
const payToKeyHash = hexOf(scriptOf({ type: 'pkh', hash: first.id }));
const payToWitness = hexOf(scriptOf({ type: 'wpkh', hash: first.id }));
const prevout = (more: object, vout = 0) => ({ txid: TXID, vout, ...more });

test('signrawtransactionwithkey: an output that the caller passes', async () => {
  const raw = await unsigned();
  const signed = await sign(raw, [first.wif], [prevout({ scriptPubKey: payToKeyHash })]);
  assert.equal(signed.complete, true);
  assert.ok(!('errors' in signed));
  assert.notEqual(signed.hex, raw);
  // Existing signatures stay, also without keys.
  assert.deepEqual(await sign(signed.hex, [], [prevout({ scriptPubKey: payToKeyHash })]), signed);
});

test('signrawtransactionwithkey: every hash type, except SINGLE without its output', async () => {
  const raw = await unsigned(2);
  const outputs = [0, 1].map((vout) => prevout({ scriptPubKey: payToWitness, amount: 2 }, vout));
  for (const type of ['ALL', 'NONE', 'ALL|ANYONECANPAY', 'NONE|ANYONECANPAY'])
    assert.ok((await sign(raw, [first.wif], outputs, type)).complete);
  for (const type of ['SINGLE', 'SINGLE|ANYONECANPAY']) {
    const { complete, errors } = await sign(raw, [first.wif], outputs, type);
    assert.equal(complete, false);
    assert.deepEqual(
      errors?.map(({ vout, error }) => [vout, error]),
      [[1, 'Witness program hash mismatch']],
    );
  }
});

test('signrawtransactionwithkey: a witness needs the amount', async () => {
  const raw = await unsigned();
  const error = await ask('signrawtransactionwithkey', JSON.stringify([raw, [first.wif], [prevout({ scriptPubKey: payToWitness })]]));
  assert.equal(error, `-3 Missing amount for CTxOut(nValue=1200000000.00000000, nTokenId=0, scriptPubKey=${payToWitness.slice(0, 30)})`);
  assert.ok((await sign(raw, [first.wif], [prevout({ scriptPubKey: payToWitness, amount: '0.5' })])).complete);
});

const twoOfThree = multisigScript(
  2,
  [first, second, third].map(({ publicKey }) => publicKey),
);
const wrapped = scriptOf({ type: 'wsh', hash: sha256(twoOfThree) });
const scripts = [
  { name: 'P2SH', given: { scriptPubKey: hexOf(scriptOf({ type: 'sh', hash: hash160(twoOfThree) })), redeemScript: hexOf(twoOfThree) } },
  { name: 'P2WSH', given: { scriptPubKey: hexOf(wrapped), witnessScript: hexOf(twoOfThree), amount: 1 } },
  {
    name: 'P2SH-P2WSH',
    given: {
      scriptPubKey: hexOf(scriptOf({ type: 'sh', hash: hash160(wrapped) })),
      redeemScript: hexOf(wrapped),
      witnessScript: hexOf(twoOfThree),
      amount: 1,
    },
  },
  {
    name: 'P2SH-P2WSH by the witness script alone',
    given: { scriptPubKey: hexOf(scriptOf({ type: 'sh', hash: hash160(wrapped) })), redeemScript: hexOf(twoOfThree), amount: 1 },
  },
];
for (const { name, given } of scripts) {
  test(`signrawtransactionwithkey: ${name} in two steps is the same as in one`, async () => {
    const raw = await unsigned();
    const half = await sign(raw, [third.wif], [prevout(given)]);
    assert.equal(half.complete, false);
    const whole = await sign(half.hex, [first.wif], [prevout(given)]);
    assert.equal(whole.complete, true);
    assert.deepEqual(await sign(raw, [first.wif, third.wif], [prevout(given)]), whole);
  });
}

test('signrawtransactionwithkey: without the key the error is that of the input', async () => {
  const raw = await unsigned();
  const { errors } = await sign(raw, [second.wif], [prevout({ scriptPubKey: payToKeyHash })]);
  const error = 'Unable to sign input, invalid stack size (possibly missing key)';
  assert.deepEqual(errors, [{ txid: TXID, vout: 0, witness: [], scriptSig: '', sequence: 0xffffffff, error }]);
});

const P2SH = hexOf(scriptOf({ type: 'sh', hash: hash160(twoOfThree) }));
const refused: readonly { readonly previous: unknown; readonly error: string }[] = [
  { previous: {}, error: '-3 Missing scriptPubKey' },
  { previous: { scriptPubKey: 1, txid: 1, vout: 'x' }, error: '-3 Expected type string for scriptPubKey, got number' },
  { previous: { scriptPubKey: '51' }, error: '-3 Missing txid' },
  { previous: { scriptPubKey: '51', txid: 5 }, error: '-3 Expected type string for txid, got number' },
  { previous: { scriptPubKey: '51', txid: TXID }, error: '-3 Missing vout' },
  { previous: prevout({ scriptPubKey: '51', vout: '0' }), error: '-3 Expected type number for vout, got string' },
  { previous: prevout({ scriptPubKey: '51', txid: 'zz' }), error: "-8 txid must be of length 64 (not 2, for 'zz')" },
  { previous: prevout({ scriptPubKey: '51', vout: -1 }), error: '-22 vout must be positive' },
  { previous: prevout({ scriptPubKey: 'zz' }), error: "-8 scriptPubKey must be hexadecimal string (not 'zz')" },
  { previous: prevout({ scriptPubKey: '' }), error: "-8 scriptPubKey must be hexadecimal string (not '')" },
  { previous: prevout({ scriptPubKey: '51', amount: null }), error: '-3 Amount is not a number or string' },
  { previous: prevout({ scriptPubKey: '51', amount: -1 }), error: '-3 Amount out of range' },
  { previous: prevout({ scriptPubKey: P2SH }), error: '-8 Missing redeemScript/witnessScript' },
  { previous: prevout({ scriptPubKey: P2SH, redeemScript: null }), error: '-8 Missing redeemScript/witnessScript' },
  { previous: prevout({ scriptPubKey: P2SH, redeemScript: 5 }), error: '-3 Expected type string for redeemScript, got number' },
  { previous: prevout({ scriptPubKey: P2SH, witnessScript: {} }), error: '-3 Expected type string for witnessScript, got object' },
  { previous: prevout({ scriptPubKey: P2SH, redeemScript: 'x' }), error: "-8 redeemScript must be hexadecimal string (not 'x')" },
  { previous: 'x', error: '-22 expected object with {"txid\'","vout","scriptPubKey"}' },
  { previous: null, error: '-22 expected object with {"txid\'","vout","scriptPubKey"}' },
];
for (const { previous, error } of refused) {
  test(`signrawtransactionwithkey: refuses ${JSON.stringify(previous).replaceAll(TXID, 'txid')}`, async () => {
    assert.equal(await ask('signrawtransactionwithkey', JSON.stringify([await unsigned(), [first.wif], [previous]])), error);
  });
}

test('signrawtransactionwithkey: repeated previous outputs must agree', async () => {
  const previous = [prevout({ scriptPubKey: '51' }), prevout({ scriptPubKey: '5152' })];
  const error = await ask('signrawtransactionwithkey', JSON.stringify([await unsigned(), [], previous]));
  assert.equal(error, '-22 Previous output scriptPubKey mismatch:\n1\nvs:\n1 2');
});

test('signrawtransactionwithkey: the error names the first of several invalid keys', async () => {
  const raw = await unsigned();
  assert.equal(await ask('signrawtransactionwithkey', JSON.stringify([raw, ['bad', 1]])), '-5 Invalid private key');
  assert.equal(await ask('signrawtransactionwithkey', JSON.stringify([raw, [1, 'bad']])), '-1 JSON value is not a string as expected');
});

test('signrawtransactionwithkey: on networks with an EVM a key signs for both its forms', async () => {
  const later = startServices(heights({ metachain: 1000 }));
  const raw = await unsigned();
  const wifOf = (compressed: boolean) => formatWif({ secret: sha256(Uint8Array.of(1, 3)), compressed }, params.address);
  const signBy = async (node: Pick<typeof later, 'ask'>, compressed: boolean, scriptPubKey: string) => {
    const answer = JSON.parse(
      await node.ask('signrawtransactionwithkey', JSON.stringify([raw, [wifOf(compressed)], [prevout({ scriptPubKey, amount: 1 })]])),
    ) as Signed;
    return answer.complete || answer.errors?.[0]?.error;
  };
  const noKey = 'Unable to sign input, invalid stack size (possibly missing key)';
  const long = publicKeyOf(sha256(Uint8Array.of(1, 3)), false);
  const payToKey = `21${hexOf(first.publicKey)}ac`;
  assert.equal(await signBy({ ask }, false, payToKey), noKey);
  assert.equal(await signBy(later, false, payToKey), true);
  assert.equal(await signBy(later, true, `41${hexOf(long)}ac`), true);
  // The public key is pushed in the form that was given.
  const payToLongHash = hexOf(scriptOf({ type: 'pkh', hash: hash160(long) }));
  assert.equal(await signBy({ ask }, true, payToLongHash), noKey);
  assert.equal(await signBy(later, true, payToLongHash), 'Script failed an OP_EQUALVERIFY operation');
  assert.equal(await signBy(later, false, payToWitness), 'Witness program hash mismatch');
});
