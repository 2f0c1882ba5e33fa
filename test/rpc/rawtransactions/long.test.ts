import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkParams } from '../../../src/params/index.js';
import { decode } from '../../../src/primitives/codec.js';
import { decodeLongTransaction, makeTransaction, transaction } from '../../../src/primitives/transaction.js';
import { createPsbt } from '../../../src/psbt/psbt.js';
import { formatPsbt } from '../../../src/psbt/text.js';
import { encodeDestination } from '../../../src/script/address.js';
import { longScriptAsm, MAX_ASM_CHARS, scriptAsm } from '../../../src/script/asm.js';
import { Op } from '../../../src/script/opcodes.js';
import { decodeBase64, encodeBase64 } from '../../../src/util/base64.js';
import { EMPTY_BYTES, toHex } from '../../../src/util/bytes.js';
import { fromLongBase64, toLongBase64 } from '../../../src/util/long-base64.js';
import { fromLongHex, toLongHex } from '../../../src/util/long-hex.js';
import { finish } from '../../../src/util/slicer.js';
import { turnsOf } from '../../event-loop-turns.js';
import { startServices } from '../service-node.js';

const params = networkParams({ network: 'regtest' });
const { ask } = startServices(params);
const { txFormat } = params;

const SECRET = 'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA';
const SCRIPT = '76a914751e76e8199196d454941c45d1b3a323f1433bd688ac';
const ITEMS = 2_000;
const EMPTY_TX = '04000000000000000000';
const EMPTY_PSBT = 'cHNidP8BAAoCAAAAAAAAAAAAAA==';

const vin = Array.from({ length: ITEMS }, (_, vout) => ({
  prevout: { txid: new Uint8Array(32).fill(1), vout },
  scriptSig: EMPTY_BYTES,
  sequence: 0xffffffff,
  witness: [],
}));
const vout = vin.map((_, n) => ({ value: BigInt(n), scriptPubKey: Uint8Array.of(Op.ONE), tokenId: 0 }));
const long = makeTransaction({ version: 4, lockTime: 0, vin, vout }, txFormat);
const hex = toHex(long.raw);
const witnessed = makeTransaction({ ...long, vin: vin.map((input) => ({ ...input, witness: [Uint8Array.of(7)] })) }, txFormat);
const psbt = formatPsbt(createPsbt(long), txFormat);
const addressOf = (n: number): string =>
  encodeDestination({ type: 'pkh', hash: new Uint8Array(20).fill(n).fill(n >> 8, 10) }, params.address);
const prevtxs = vin.map(({ prevout }) => ({ txid: toHex(prevout.txid), vout: prevout.vout, scriptPubKey: SCRIPT, amount: 1 }));

test('a long transaction decodes the same synchronously and in steps', () => {
  for (const { raw } of [long, witnessed]) {
    const steps = decodeLongTransaction(raw, txFormat, true);
    let taken = 0;
    for (;;) {
      const { done, value } = steps.next();
      if (!done) {
        taken += 1;
        continue;
      }
      assert.deepEqual(value, decode(transaction(txFormat), raw));
      break;
    }
    assert.ok(taken > 10, `${taken} steps`);
  }
});

test('a long script is shown in steps, up to a limit', () => {
  const script = new Uint8Array(100_000).fill(Op.CHECKLOCKTIMEVERIFY);
  assert.equal([...longScriptAsm(script)].length, 99);
  assert.equal(scriptAsm(script), new Array<string>(100_000).fill('OP_CHECKLOCKTIMEVERIFY').join(' '));
  const tooLong = new Uint8Array(MAX_ASM_CHARS / 'OP_CHECKLOCKTIMEVERIFY '.length + 2_000).fill(Op.CHECKLOCKTIMEVERIFY);
  assert.throws(() => scriptAsm(tooLong), /Script is too long to be shown/);
});

test('long hex is read and written in steps', () => {
  const text = 'a5'.repeat(300_000);
  const bytes = finish(fromLongHex(text.toUpperCase()));
  assert.ok(bytes);
  assert.equal(finish(toLongHex(bytes)), text);
  assert.ok([...fromLongHex(text)].length > 3);
  for (const bad of ['', 'a', 'zz', `${text}a`, `${text}zz`, `${text.slice(2)}0x`]) assert.equal(finish(fromLongHex(bad)), undefined);
});

test('long Base64 is read and written in steps', () => {
  for (const size of [98_303, 98_304, 98_305, 300_000, 300_001]) {
    const bytes = Buffer.alloc(size, 'defi');
    const text = encodeBase64(bytes);
    assert.equal(finish(toLongBase64(bytes)), text);
    assert.deepEqual(finish(fromLongBase64(text)), bytes);
    for (const bad of [`${text}A`, `${text}*`, `${text.slice(0, 131_070)}==${text.slice(131_072)}`]) {
      assert.deepEqual(finish(fromLongBase64(bad)), decodeBase64(bad));
    }
  }
  assert.ok([...fromLongBase64(encodeBase64(Buffer.alloc(300_000)))].length > 3);
});

const longCalls: readonly {
  readonly method: string;
  readonly args: readonly unknown[];
  readonly answer: RegExp;
  readonly least: number;
}[] = [
  { method: 'decoderawtransaction', args: [hex], answer: /^\{"txid":/, least: 10 },
  { method: 'decodescript', args: ['51'.repeat(100_000)], answer: /"asm":"1 1 1/, least: 15 },
  { method: 'signrawtransactionwithkey', args: [hex, [SECRET], prevtxs.slice(0, 300)], answer: /"complete":false/, least: 400 },
  { method: 'combinerawtransaction', args: [[hex]], answer: /^-25 Input not found or already spent$/, least: 3 },
  { method: 'combinerawtransaction', args: [new Array(ITEMS).fill(EMPTY_TX)], answer: /^"/, least: 300 },
  { method: 'joinpsbts', args: [new Array(ITEMS).fill(EMPTY_PSBT)], answer: /^"cH/, least: 300 },
  { method: 'combinepsbt', args: [new Array(ITEMS).fill(EMPTY_PSBT)], answer: /^"cH/, least: 300 },
  { method: 'decodecustomtx', args: [hex], answer: /./, least: 3 },
  { method: 'sendrawtransaction', args: [hex], answer: /^-/, least: 3 },
  { method: 'testmempoolaccept', args: [[hex]], answer: /./, least: 3 },
  {
    method: 'createrawtransaction',
    args: [vin.map(({ prevout }) => ({ txid: toHex(prevout.txid), vout: prevout.vout })), []],
    answer: /^"02/,
    least: 400,
  },
  { method: 'createpsbt', args: [[], vin.map((_, n) => ({ [addressOf(n)]: 1 }))], answer: /^"cH/, least: 400 },
  { method: 'decodepsbt', args: [psbt], answer: /^\{"tx":/, least: 800 },
  { method: 'analyzepsbt', args: [psbt], answer: /^\{"inputs":/, least: 400 },
  { method: 'combinepsbt', args: [[psbt, psbt]], answer: /^"cH/, least: 800 },
  { method: 'finalizepsbt', args: [psbt], answer: /"complete":false/, least: 400 },
  { method: 'joinpsbts', args: [[psbt, psbt]], answer: /exists in multiple PSBTs$/, least: 400 },
  { method: 'utxoupdatepsbt', args: [psbt], answer: /^"cH/, least: 800 },
  { method: 'converttopsbt', args: [hex], answer: /^"/, least: 3 },
];
for (const { method, args, answer, least } of longCalls) {
  test(`${method}: yields while it processes a long argument`, async () => {
    const text = JSON.stringify(args);
    let answered = '';
    const turns = await turnsOf(async () => {
      answered = await ask(method, text);
    });
    assert.ok(answer.test(answered), answered.slice(0, 100));
    assert.ok(turns >= least, `${turns} turns`);
  });
}
