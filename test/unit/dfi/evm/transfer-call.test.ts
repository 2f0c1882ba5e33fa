import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeTransferCall, encodeTransferCall, isTransferCall } from '../../../../src/dfi/evm/transfer-call.js';
import { TRANSFER_DOMAIN, tokenAddress } from '../../../../src/evm/contracts/addresses.js';
import { DecodeError } from '../../../../src/primitives/codec.js';
import { toHex } from '../../../../src/util/bytes.js';

const ascii = (text: string): Uint8Array => Buffer.from(text, 'ascii');

describe('calls of the transfer contract', () => {
  const call = { from: TRANSFER_DOMAIN, to: 0x9b8a4af42140d8a4c153a822f02571a1dd037e89n, wei: 10n ** 18n, native: 'df1qxyz' };
  const word = (hex: string) => hex.padStart(64, '0');

  test('are encoded for DFI', () => {
    const data = encodeTransferCall({ ...call, contract: undefined });
    const words = [
      word(`df${'0'.repeat(37)}1`),
      word('9b8a4af42140d8a4c153a822f02571a1dd037e89'),
      word('de0b6b3a7640000'),
      word('80'),
      word('7'),
      toHex(ascii('df1qxyz')).padEnd(64, '0'),
    ];
    assert.equal(toHex(data), `d57b2826${words.join('')}`);
    assert.deepEqual([isTransferCall(data, false), isTransferCall(data, true)], [true, false]);
  });

  test('are encoded for tokens', () => {
    const data = encodeTransferCall({ ...call, contract: tokenAddress(1) });
    assert.equal(toHex(data).slice(0, 72), `917e9b69${word(`ff${'0'.repeat(37)}1`)}`);
    assert.deepEqual([isTransferCall(data, false), isTransferCall(data, true)], [false, true]);
  });

  test('survive a round trip', () => {
    for (const native of ['', 'a', 'a'.repeat(31), 'a'.repeat(32), 'ä€'.repeat(40)]) {
      for (const contract of [undefined, tokenAddress(127)]) {
        const given = { ...call, contract, native };
        const found = decodeTransferCall(encodeTransferCall(given), contract !== undefined);
        assert.deepEqual(found, given);
      }
    }
  });

  test('are rejected if truncated; what pads an address is ignored', () => {
    const data = encodeTransferCall({ ...call, contract: undefined });
    for (let size = 4; size < 4 + 32 * 5 + 7; size++) assert.throws(() => decodeTransferCall(data.subarray(0, size), false), DecodeError);
    const dirty = Uint8Array.from(data, (byte, i) => (i === 4 ? 1 : byte));
    assert.deepEqual(decodeTransferCall(dirty, false), { ...call, contract: undefined });
  });
});
