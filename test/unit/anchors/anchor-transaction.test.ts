import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Anchor, anchor as anchorCodec, isSignedBy } from '../../../src/anchors/anchor.js';
import { anchorCost, anchorTemplate, makeAnchorTransaction, NotEnoughMoney, parseAnchor } from '../../../src/anchors/anchor-transaction.js';
import { anchorDataHash } from '../../../src/anchors/auth-message.js';
import { readTeamData, teamData } from '../../../src/anchors/team-data.js';
import { BITCOIN_FORMAT } from '../../../src/bitcoin/regtest-bitcoin.js';
import { publicKeyOf, signCompact } from '../../../src/crypto/ecdsa.js';
import { hash160 } from '../../../src/crypto/hash.js';
import { P2PKH } from '../../../src/dfi/masternodes/columns.js';
import { encode } from '../../../src/primitives/codec.js';
import type { TxOut } from '../../../src/primitives/transaction.js';
import { scriptOf } from '../../../src/script/address.js';
import { TransactionChecker } from '../../../src/script/checker.js';
import { STANDARD_FLAGS } from '../../../src/script/flags.js';
import { Op } from '../../../src/script/opcodes.js';
import { buildScript } from '../../../src/script/script.js';
import { verifyScript } from '../../../src/script/verify.js';
import { concatBytes, toHex } from '../../../src/util/bytes.js';
import { anchorParams, operators } from './fixture.js';

const KEY = { secret: new Uint8Array(32).fill(9), compressed: true };

function anchorWith(signatures: number): Anchor {
  return {
    previousAnchor: new Uint8Array(32).fill(1),
    height: 30,
    blockHash: new Uint8Array(32).fill(2),
    nextTeam: teamData(60, new Uint8Array(32).fill(3)),
    signatures: Array.from({ length: signatures }, (_, i) => new Uint8Array(65).fill(i + 4)),
    rewardKeyId: new Uint8Array(20).fill(5),
    rewardKeyType: P2PKH,
  };
}

function input(value: bigint) {
  return { prevout: { txid: new Uint8Array(32).fill(6), vout: 3 }, value, key: KEY };
}

function parse(vout: readonly TxOut[]): Anchor | undefined {
  return parseAnchor({ version: 1, vin: [], vout, lockTime: 0 }, anchorParams);
}

function textOf(anchor: Anchor | undefined): string | undefined {
  return anchor && toHex(encode(anchorCodec, anchor));
}

test('an anchor survives its transaction, whatever the number of signatures', () => {
  for (const signatures of [0, 1, 2, 3, 5, 40]) {
    const anchor = anchorWith(signatures);
    assert.equal(textOf(parse(anchorTemplate(anchor, anchorParams).vout)), textOf(anchor));
    const { tx } = makeAnchorTransaction(anchor, [input(1_000_000n)], 1_000n, anchorParams);
    assert.equal(textOf(parseAnchor(tx, anchorParams)), textOf(anchor));
  }
});

test('the transaction costs its fee and what its outputs hold, and the rest is change', () => {
  const anchor = anchorWith(2);
  const outputs = anchorTemplate(anchor, anchorParams).vout;
  assert.equal(outputs.length, 8);
  const fixed = 546n + 330n * 6n;
  const size = 8n + 1n + 1n + 148n + 34n + (8n + 1n + 83n) + 6n * 43n;
  assert.equal(anchorCost(anchor, 1_000n, anchorParams), fixed + size + 34n);
  assert.equal(anchorCost(anchor, 2_500n, anchorParams), fixed + ((size + 34n) * 2_500n) / 1_000n);

  const paid = fixed + size;
  const two = makeAnchorTransaction(anchor, [input(paid), input(148n)], 1_000n, anchorParams);
  assert.equal(two.cost, paid + 148n, 'each input adds to the fee');
  const exact = makeAnchorTransaction(anchor, [input(paid + 546n)], 1_000n, anchorParams);
  assert.deepEqual([exact.cost, exact.tx.vout.length], [paid + 546n, 8], 'change below the dust is left to the fee');
  const more = makeAnchorTransaction(anchor, [input(paid + 547n)], 1_000n, anchorParams);
  assert.deepEqual([more.cost, more.tx.vout.length, more.tx.vout[8]?.value], [paid + 34n, 9, 547n]);
  assert.throws(
    () => makeAnchorTransaction(anchor, [input(paid - 1n)], 1_000n, anchorParams),
    (error) => error instanceof NotEnoughMoney && error.message === `Not enough money to create anchor: ${paid - 1n} (need ${paid})`,
  );
});

test('each input is signed by its key', () => {
  const other = { secret: new Uint8Array(32).fill(8), compressed: false };
  const inputs = [input(1_000_000n), { ...input(1_000n), key: other }];
  const { tx } = makeAnchorTransaction(anchorWith(2), inputs, 1_000n, anchorParams);
  for (const [index, { key, value }] of inputs.entries()) {
    const scriptPubKey = scriptOf({ type: 'pkh', hash: hash160(publicKeyOf(key.secret, key.compressed)) });
    const { scriptSig, witness } = tx.vin[index] as (typeof tx.vin)[number];
    verifyScript({ scriptSig, witness, scriptPubKey }, STANDARD_FLAGS, new TransactionChecker(tx, BITCOIN_FORMAT, index, value));
  }
});

test('an anchor is signed if enough different members signed, and no other key', () => {
  const sign = (...signers: number[]): Anchor => {
    const unsigned = anchorWith(0);
    const hash = anchorDataHash(unsigned);
    return {
      ...unsigned,
      signatures: signers.map((index) => signCompact(hash, (operators[index] as (typeof operators)[number]).key.secret)),
    };
  };
  const members = operators.slice(0, 3).map(({ id }) => id);
  assert.equal(isSignedBy(sign(0, 1), members, 2), true);
  assert.equal(isSignedBy(sign(0), members, 2), false);
  assert.equal(isSignedBy(sign(0, 0), members, 2), false);
  assert.equal(isSignedBy(sign(0, 1, 3), members, 2), false);
  assert.equal(isSignedBy({ ...sign(0, 1), height: 31 }, members, 2), false);
});

test('malformed transactions have no anchor', () => {
  const good = anchorTemplate(anchorWith(2), anchorParams).vout;
  const [payment, first, second, ...rest] = good;
  assert.ok(payment && first && second);
  const data = first.scriptPubKey.subarray(3);
  const returning = (bytes: Uint8Array): TxOut => ({ ...first, scriptPubKey: buildScript(Op.RETURN, bytes) });
  assert.ok(parse([payment, returning(data), second, ...rest]));
  assert.equal(parse([payment]), undefined, 'no data');
  assert.equal(parse([second, first, second, ...rest]), undefined, 'another address');
  assert.equal(parse([payment, second, second, ...rest]), undefined, 'no output that returns data');
  assert.equal(
    parse([payment, returning(concatBytes(Uint8Array.of(0x45), data.subarray(1))), second, ...rest]),
    undefined,
    'another marker',
  );
  assert.equal(parse([payment, returning(data.subarray(0, 6)), second, ...rest]), undefined, 'no size');
  assert.equal(parse([payment, first, second]), undefined, 'outputs are missing');
  assert.equal(parse([payment, first, payment, ...rest]), undefined, 'an output of another size');
  const altered = (at: number): TxOut => ({ ...second, scriptPubKey: second.scriptPubKey.map((byte, i) => (i === at ? byte ^ 1 : byte)) });
  for (const at of [0, 1]) assert.equal(parse([payment, first, altered(at), ...rest]), undefined, 'an output of another form');
  const size = Uint8Array.from(data);
  new DataView(size.buffer).setUint32(3, 10, true);
  assert.equal(parse([payment, returning(size), second, ...rest]), undefined, 'less than the first output has');
});

test('team data names a block by its height and the beginning of its hash', () => {
  const hash = Uint8Array.from({ length: 32 }, (_, i) => i);
  const read = readTeamData(teamData(1_234_567, hash));
  assert.deepEqual([read?.creation, toHex(read?.hashPrefix ?? hash)], [1_234_567, '000102030405060708']);
  const [only] = teamData(1, hash);
  assert.ok(only);
  assert.equal(readTeamData([]), undefined);
  assert.equal(readTeamData([only, only]), undefined);
  assert.equal(readTeamData([Uint8Array.from([0x44, 0x46, 0x42, ...only.subarray(3)])]), undefined);
});
