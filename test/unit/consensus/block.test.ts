import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Ancestor } from '../../../src/consensus/ancestry.js';
import { type CheckedBlock, checkBlockContext } from '../../../src/consensus/block.js';
import { BlockInvalid } from '../../../src/consensus/errors.js';
import { networkParams } from '../../../src/params/index.js';
import { NULL_HASH } from '../../../src/primitives/hash.js';
import type { BlockHeader } from '../../../src/primitives/header.js';
import { makeTransaction, type Transaction } from '../../../src/primitives/transaction.js';
import { concatBytes, EMPTY_BYTES, fromHex } from '../../../src/util/bytes.js';

const regtest = networkParams({ network: 'regtest' });
const HEIGHT = 300;
const MEDIAN = 1_600_000_000;
const BLOCK_TIME = MEDIAN + 100;
const NONCE = new Uint8Array(32).fill(7);
/** Push of the height 300, with which the script of a coinbase begins. */
const HEIGHT_PUSH = fromHex('022c01');

const header: BlockHeader = {
  version: 0x20000000,
  prevHash: NULL_HASH,
  merkleRoot: NULL_HASH,
  time: BLOCK_TIME,
  bits: 0x207fffff,
  stakeModifier: NULL_HASH,
  height: BigInt(HEIGHT),
  mintedBlocks: 1n,
  signature: new Uint8Array(65),
};
const parent: Ancestor = {
  height: HEIGHT - 1,
  version: 0x20000000,
  time: MEDIAN + 50,
  bits: 0x207fffff,
  parent: undefined,
  ancestor: () => undefined,
  medianTimePast: () => MEDIAN,
};

const sha256d = (bytes: Uint8Array): Uint8Array => {
  const once = createHash('sha256').update(bytes).digest();
  return createHash('sha256').update(once).digest();
};

function payment(given: { lockTime?: number; sequence?: number; witness?: readonly Uint8Array[] } = {}): Transaction {
  const { lockTime = 0, sequence = 0, witness = [] } = given;
  const vin = [{ prevout: { txid: new Uint8Array(32).fill(1), vout: 0 }, scriptSig: EMPTY_BYTES, sequence, witness }];
  return makeTransaction({ version: 2, vin, vout: [{ value: 1n, scriptPubKey: EMPTY_BYTES, tokenId: 0 }], lockTime }, regtest.txFormat);
}

function coinbase(scriptSig: Uint8Array, outputs: readonly Uint8Array[] = [], witness: readonly Uint8Array[] = []): Transaction {
  const vin = [{ prevout: { txid: NULL_HASH, vout: 0xffffffff }, scriptSig, sequence: 0xffffffff, witness }];
  const vout = [EMPTY_BYTES, ...outputs].map((scriptPubKey) => ({ value: 0n, scriptPubKey, tokenId: 0 }));
  return makeTransaction({ version: 2, vin, vout, lockTime: 0 }, regtest.txFormat);
}

/** Reason for which a block of these transactions is refused. */
function refusal(transactions: readonly Transaction[], buried: Partial<typeof regtest.buried> = {}): string | undefined {
  const active = { bip34: 0, bip65: 0, bip66: 0, csv: 0, segwit: 0 };
  const block = { header, hash: NULL_HASH, transactions } as unknown as CheckedBlock;
  try {
    checkBlockContext(block, parent, { ...regtest, buried: { ...active, ...buried } });
    return undefined;
  } catch (error) {
    if (!(error instanceof BlockInvalid)) throw error;
    return error.message;
  }
}

describe('lock times in a block', () => {
  const refused = 'bad-txns-nonfinal, non-final transaction';
  const rows: readonly { lockTime: number; sequence?: number; csv?: number; expected: string | undefined }[] = [
    { lockTime: HEIGHT - 1, expected: undefined },
    { lockTime: HEIGHT, expected: refused },
    { lockTime: HEIGHT, sequence: 0xffffffff, expected: undefined },
    { lockTime: MEDIAN - 1, expected: undefined },
    { lockTime: MEDIAN, expected: refused },
    // Before CSV the time of the block itself counts.
    { lockTime: BLOCK_TIME - 1, csv: HEIGHT + 1, expected: undefined },
    { lockTime: BLOCK_TIME, csv: HEIGHT + 1, expected: refused },
    { lockTime: BLOCK_TIME - 1, csv: HEIGHT, expected: refused },
  ];
  for (const { lockTime, sequence, csv = 0, expected } of rows) {
    test(`${lockTime}, sequence ${sequence ?? 0}, CSV from ${csv} on: ${expected ?? 'final'}`, () => {
      assert.equal(
        refusal([coinbase(HEIGHT_PUSH), payment({ lockTime, ...(sequence === undefined ? {} : { sequence }) })], { csv }),
        expected,
      );
    });
  }
});

test('the script of a coinbase begins with the height, from BIP34 on', () => {
  const text = 'bad-cb-height, block height mismatch in coinbase';
  assert.equal(refusal([coinbase(concatBytes(HEIGHT_PUSH, Uint8Array.of(0)))]), undefined);
  for (const wrong of ['022d01', '012c', '', '03002c01']) {
    assert.equal(refusal([coinbase(fromHex(wrong))], { bip34: HEIGHT }), text);
    assert.equal(refusal([coinbase(fromHex(wrong))], { bip34: HEIGHT + 1 }), undefined);
  }
});

describe('the commitment to witnesses', () => {
  const signed = payment({ witness: [Uint8Array.of(1)] });
  const HEADER = fromHex('6a24aa21a9ed');
  const root = sha256d(concatBytes(NULL_HASH, signed.wtxid));
  const commitment = (nonce = NONCE) => concatBytes(HEADER, sha256d(concatBytes(root, nonce)));
  const wrong = concatBytes(HEADER, NULL_HASH);
  const blockWith = (outputs: readonly Uint8Array[], witness: readonly Uint8Array[] = [NONCE]) => [
    coinbase(HEIGHT_PUSH, outputs, witness),
    signed,
  ];
  const size = 'bad-witness-nonce-size, invalid witness reserved value size';
  const mismatch = 'bad-witness-merkle-match, witness merkle commitment mismatch';
  const unexpected = 'unexpected-witness, unexpected witness data found';

  test('covers the witnesses and the nonce', () => {
    assert.equal(refusal(blockWith([commitment()])), undefined);
    assert.equal(refusal(blockWith([commitment(new Uint8Array(32))])), mismatch);
    assert.equal(refusal([...blockWith([commitment()]), payment()]), mismatch);
  });

  test('needs one nonce of 32 bytes', () => {
    assert.equal(refusal(blockWith([commitment()], [])), size);
    assert.equal(refusal(blockWith([commitment()], [NONCE, NONCE])), size);
    for (const length of [31, 33]) {
      const nonce = new Uint8Array(length);
      assert.equal(refusal(blockWith([commitment(nonce)], [nonce])), size);
    }
  });

  test('is in the last output of its form, and may be followed by more bytes', () => {
    assert.equal(refusal(blockWith([wrong, commitment(), EMPTY_BYTES])), undefined);
    assert.equal(refusal(blockWith([commitment(), wrong])), mismatch);
    assert.equal(refusal(blockWith([commitment(), wrong.subarray(0, 37)])), undefined);
    assert.equal(refusal(blockWith([concatBytes(commitment(), Uint8Array.of(1))])), undefined);
  });

  test('is required by witnesses, and does not exist before SegWit', () => {
    assert.equal(refusal(blockWith([])), unexpected);
    assert.equal(refusal(blockWith([commitment()]), { segwit: HEIGHT }), undefined);
    assert.equal(refusal(blockWith([commitment()]), { segwit: HEIGHT + 1 }), unexpected);
    assert.equal(refusal([coinbase(HEIGHT_PUSH, [wrong]), payment()], { segwit: HEIGHT + 1 }), undefined);
  });
});
