import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restTransaction } from '../../../src/gateway/defid-transaction.js';
import { textOf } from '../../../src/gateway/reply.js';

const BLOCK = `"blockhash":"${'ab'.repeat(32)}"`;
const OUTPUTS = '{"txid":"01","vin":[{"scriptSig":{"asm":"","hex":"51"}}],"vout":[{"scriptPubKey":{"asm":"é","hex":"52"}}]';
const CASES = [
  [`${OUTPUTS},"hex":"0203",${BLOCK},"confirmations":3,"time":5,"blocktime":5}`, `${OUTPUTS},${BLOCK},"hex":"0203"}`],
  [`${OUTPUTS},"hex":"0203"}`, `${OUTPUTS},"hex":"0203"}`],
] as const;

test('after the outputs follow the block and the hex, wherever a long answer is cut into pieces', () => {
  for (const [answer, expected] of CASES) {
    assert.equal(restTransaction(answer), expected);
    const bytes = Buffer.from(answer);
    for (let size = 1; size <= bytes.length; size++) {
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
      assert.equal(textOf(restTransaction(pieces)), expected);
    }
  }
});

test('an answer without hex is none of a transaction', () => {
  for (const answer of ['"00"', [Buffer.from('"00"')], '{"txid":"01"']) assert.throws(() => restTransaction(answer), TypeError);
});
