import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  claimScriptSig,
  type HtlcTerms,
  htlcScript,
  parseHtlcScript,
  refundScriptSig,
  seedInScriptSig,
} from '../../../src/bitcoin/htlc.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';

const HASH = 'df95183883789f237977543885e1f82ddc045a3ba90c8f25b43a5b797a35d20e';
const RECEIVER = '0224e7de2f3a9d4cdc4fdc14601c75176287297c212aae9091404956955f1aea86';
const OWNER = '035fb3eadde611a39036e61d4c8288d1b896f2c94cee49e60a3d1c02236f4be490';
const START = `63a820${HASH}8821${RECEIVER}67`;
const END = `b27521${OWNER}68ac`;
const terms = (blocks: number): HtlcTerms => ({ receiver: fromHex(RECEIVER), owner: fromHex(OWNER), blocks, hash: fromHex(HASH) });

const numbers = [
  { blocks: 9, hex: '59' },
  { blocks: 16, hex: '60' },
  { blocks: 17, hex: '0111' },
  { blocks: 127, hex: '017f' },
  { blocks: 128, hex: '028000' },
  { blocks: 65_535, hex: '03ffff00' },
  { blocks: 65_536, hex: '03000001' },
  { blocks: 65_537, hex: '03010001', shown: 65_536 },
  { blocks: 4_194_303, hex: '03ffff3f', shown: 65_536 },
];

for (const { blocks, hex, shown = blocks } of numbers) {
  test(`HTLC script of ${blocks} blocks`, () => {
    const script = htlcScript(terms(blocks));
    assert.equal(toHex(script), `${START}${hex}${END}`);
    assert.deepEqual(parseHtlcScript(script), terms(shown));
  });
}

const LENGTH = 'Incorrect redeemscript length';
const faults = [
  { name: 'nothing', script: '', message: LENGTH },
  { name: 'a script that ends before the size of the key', script: START.slice(0, 72), message: LENGTH },
  { name: 'a hash of another size', script: `63a821${START.slice(6)}5a${END}`, message: 'Incorrect seed hash length' },
  {
    name: 'a receiver of another size',
    script: `63a820${HASH}8820${RECEIVER}675a${END}`,
    message: 'Seller pubkey incorrect pubkey length',
  },
  { name: 'a receiver without time', script: START, message: LENGTH },
  { name: 'a receiver with a wrong prefix', script: `63a820${HASH}882105${RECEIVER.slice(2)}675a${END}`, message: 'Invalid seller pubkey' },
  { name: 'a time of five bytes', script: `${START}050000000000${END}`, message: 'Incorrect timeout length' },
  { name: 'OP_RESERVED as time', script: `${START}50${END}`, message: 'Incorrect timeout length' },
  { name: 'an opcode above 16 as time', script: `${START}61${END}`, message: 'Incorrect timeout length' },
  { name: 'an incomplete time', script: `${START}0401`, message: LENGTH },
  { name: 'a time without owner', script: `${START}5ab275`, message: LENGTH },
  { name: 'an owner of another size', script: `${START}5ab27520${OWNER}68ac`, message: 'Buyer pubkey incorrect pubkey length' },
  { name: 'a missing last byte', script: `${START}5a${END.slice(0, -2)}`, message: LENGTH },
  { name: 'a byte too many', script: `${START}5a${END}00`, message: LENGTH },
  { name: 'an owner with a wrong prefix', script: `${START}5ab27521ff${OWNER.slice(2)}68ac`, message: 'Invalid buyer pubkey' },
];

for (const { name, script, message } of faults) {
  test(`HTLC script: ${name} is refused`, () => {
    assert.throws(() => parseHtlcScript(fromHex(script)), { kind: 'invalid-address', message });
  });
}

test('HTLC script: keys may be uncompressed, and opcodes are not compared', () => {
  const receiver = fromHex(`04${'11'.repeat(64)}`);
  const owner = fromHex(`07${'22'.repeat(64)}`);
  const script = fromHex(`000020${HASH}0041${toHex(receiver)}000211220000${'41'}${toHex(owner)}0000`);
  assert.deepEqual(parseHtlcScript(script), { receiver, owner, blocks: 0x2211, hash: fromHex(HASH) });
});

const SIGNATURE = new Uint8Array(71).fill(0x30);

test('the seed is found in the spend of the receiver, and in no other', () => {
  const script = htlcScript(terms(10));
  for (const size of [1, 32, 75]) {
    const seed = new Uint8Array(size).fill(7);
    assert.equal(toHex(seedInScriptSig(claimScriptSig(SIGNATURE, seed, script)) ?? assert.fail()), toHex(seed));
  }
  assert.equal(seedInScriptSig(refundScriptSig(SIGNATURE, script)), undefined);
  assert.equal(seedInScriptSig(new Uint8Array(0)), undefined);
  assert.equal(seedInScriptSig(SIGNATURE), undefined);
});

test('the spends have the pushes of defid', () => {
  const script = htlcScript(terms(10));
  const seed = fromHex('aba5f7e9');
  const signature = toHex(SIGNATURE);
  assert.equal(toHex(claimScriptSig(SIGNATURE, seed, script)), `47${signature}04aba5f7e9514c6e${toHex(script)}`);
  assert.equal(toHex(refundScriptSig(SIGNATURE, script)), `47${signature}004c6e${toHex(script)}`);
});
