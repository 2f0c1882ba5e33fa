import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { publicKeyOf } from '../../../../src/crypto/ecdsa.js';
import { isReserved, refusesCoins, TRANSFER_DOMAIN, tokenContract } from '../../../../src/dfi/evm/addresses.js';
import { decodeTransaction, type LegacyTransaction, signTransaction } from '../../../../src/dfi/evm/transaction.js';
import { decodeTransferCall, encodeTransferCall, isTransferCall } from '../../../../src/dfi/evm/transfer-call.js';
import { decodeRlp, encodeRlp, type Rlp } from '../../../../src/evm/codec/rlp.js';
import { DecodeError } from '../../../../src/primitives/codec.js';
import { evmAddressOf } from '../../../../src/script/erc55.js';
import { concatBytes, EMPTY_BYTES, fromHex, toHex } from '../../../../src/util/bytes.js';
import { fc } from '../../../property.js';

const ascii = (text: string): Uint8Array => Buffer.from(text, 'ascii');
const HELLO_SHORT = 'Lorem ipsum dolor sit amet, consectetur adipisicing eli';

describe('RLP', () => {
  /** @see Ethereum wiki, RLP examples */
  const known: readonly (readonly [string, Rlp, string])[] = [
    ['a text', ascii('dog'), '83646f67'],
    ['a list of texts', [ascii('cat'), ascii('dog')], 'c88363617483646f67'],
    ['nothing', EMPTY_BYTES, '80'],
    ['an empty list', [], 'c0'],
    ['a small byte', Uint8Array.of(0x0f), '0f'],
    ['the byte 0x80', Uint8Array.of(0x80), '8180'],
    ['nested lists', [[], [[]], [[], [[]]]], 'c7c0c1c0c3c0c1c0'],
    ['55 bytes', ascii(HELLO_SHORT), `b7${toHex(ascii(HELLO_SHORT))}`],
    ['56 bytes', ascii(`${HELLO_SHORT}t`), `b838${toHex(ascii(`${HELLO_SHORT}t`))}`],
    ['a list of 56 bytes', [ascii(HELLO_SHORT)], `f838b7${toHex(ascii(HELLO_SHORT))}`],
  ];
  for (const [name, value, hex] of known) {
    test(name, () => {
      assert.equal(toHex(encodeRlp(value)), hex);
      assert.equal(toHex(encodeRlp(decodeRlp(fromHex(hex)))), hex);
    });
  }

  const malformed: readonly (readonly [string, string])[] = [
    ['no bytes', ''],
    ['a truncated text', '83646f'],
    ['trailing bytes', '83646f6700'],
    ['the long form for a short text', 'b803646f67'],
    ['a length with leading zeros', `b90038${toHex(ascii(`${HELLO_SHORT}t`))}`],
    ['a single byte with a length', '810f'],
    ['a list that ends inside a text', 'c283646f67'],
    ['an excessive length', 'bf0fffffffffffffff00'],
  ];
  for (const [name, hex] of malformed) test(`rejects ${name}`, () => assert.throws(() => decodeRlp(fromHex(hex)), DecodeError));
});

/** @see EIP-155, example */
const EXAMPLE: LegacyTransaction = {
  nonce: 9n,
  gasPrice: 20_000_000_000n,
  gasLimit: 21_000n,
  to: fromHex('35'.repeat(20)),
  value: 10n ** 18n,
  data: EMPTY_BYTES,
};
const EXAMPLE_RAW =
  'f86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d' +
  '3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83';
const SECRET = fromHex('46'.repeat(32));

describe('EVM transactions', () => {
  test('are signed for a chain', () => assert.equal(toHex(signTransaction(EXAMPLE, SECRET, 1)), EXAMPLE_RAW));

  test('yield their sender', () => {
    const { sender, ...fields } = decodeTransaction(fromHex(EXAMPLE_RAW));
    assert.equal(toHex(sender), '9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f');
    assert.deepEqual(
      { ...fields, to: toHex(fields.to ?? EMPTY_BYTES), data: toHex(fields.data) },
      {
        ...EXAMPLE,
        type: 0,
        to: '35'.repeat(20),
        data: '',
      },
    );
  });

  test('are decoded for several chain ids and nonces', () => {
    const address = evmAddressOf(publicKeyOf(SECRET));
    for (const chainId of [1, 1130, 1133]) {
      for (const nonce of [0n, 1n, 127n, 128n, 2n ** 64n - 2n]) {
        const decoded = decodeTransaction(signTransaction({ ...EXAMPLE, nonce, gasPrice: 0n, gasLimit: 0n, value: 0n }, SECRET, chainId));
        assert.deepEqual([decoded.nonce, toHex(decoded.sender)], [nonce, toHex(address as Uint8Array)]);
      }
    }
  });

  test('of types 1 and 2 yield their type only', () => {
    const fields = (count: number) => encodeRlp(Array.from({ length: count }, () => EMPTY_BYTES));
    assert.equal(decodeTransaction(concatBytes(Uint8Array.of(1), fields(11))).type, 1);
    assert.equal(decodeTransaction(concatBytes(Uint8Array.of(2), fields(12))).type, 2);
    assert.throws(() => decodeTransaction(concatBytes(Uint8Array.of(2), fields(11))), DecodeError);
    assert.throws(() => decodeTransaction(concatBytes(Uint8Array.of(3), fields(12))), DecodeError);
  });

  test('with an invalid signature are rejected', () => {
    const raw = fromHex(EXAMPLE_RAW);
    const fields = decodeRlp(raw) as readonly Uint8Array[];
    const withScalars = (v: number, r: Uint8Array, s: Uint8Array) => encodeRlp([...fields.slice(0, 6), Uint8Array.of(v), r, s]);
    const [r, s] = [fields[7], fields[8]] as [Uint8Array, Uint8Array];
    assert.equal(toHex(withScalars(37, r, s)), EXAMPLE_RAW);
    for (const wrong of [withScalars(29, r, s), withScalars(37, EMPTY_BYTES, s), withScalars(37, r, new Uint8Array(32).fill(0xff))]) {
      assert.throws(() => decodeTransaction(wrong), DecodeError);
    }
    assert.throws(() => decodeTransaction(encodeRlp(fields.slice(0, 8))), DecodeError);
  });

  test('of random bytes throw nothing but DecodeError', () => {
    const raw = fromHex(EXAMPLE_RAW);
    const decodes = (bytes: Uint8Array) => {
      try {
        decodeTransaction(bytes);
      } catch (error) {
        assert.ok(error instanceof DecodeError, String(error));
      }
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 120 }), decodes));
    const broken = fc
      .tuple(fc.nat(raw.length - 1), fc.nat(255))
      .map(([at, byte]) => Uint8Array.from(raw, (own, i) => (i === at ? byte : own)));
    fc.assert(fc.property(broken, decodes));
  });
});

describe('calls of the transfer contract', () => {
  const call = { from: TRANSFER_DOMAIN, to: fromHex('9b8a4af42140d8a4c153a822f02571a1dd037e89'), wei: 10n ** 18n, native: 'df1qxyz' };
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
    const data = encodeTransferCall({ ...call, contract: tokenContract(1) });
    assert.equal(toHex(data).slice(0, 72), `917e9b69${word(`ff${'0'.repeat(37)}1`)}`);
    assert.deepEqual([isTransferCall(data, false), isTransferCall(data, true)], [false, true]);
  });

  test('survive a round trip', () => {
    for (const native of ['', 'a', 'a'.repeat(31), 'a'.repeat(32), 'ä€'.repeat(40)]) {
      for (const contract of [undefined, tokenContract(127)]) {
        const given = { ...call, contract, native };
        const found = decodeTransferCall(encodeTransferCall(given), contract !== undefined);
        const shown = ({ contract: c, from, to, ...rest }: typeof found) => [c && toHex(c), toHex(from), toHex(to), rest];
        assert.deepEqual(shown(found), shown(given));
      }
    }
  });

  test('are rejected if truncated or if an address is padded with other bytes than 0', () => {
    const data = encodeTransferCall({ ...call, contract: undefined });
    for (let size = 4; size < 4 + 32 * 5 + 7; size++) assert.throws(() => decodeTransferCall(data.subarray(0, size), false), DecodeError);
    assert.throws(
      () =>
        decodeTransferCall(
          Uint8Array.from(data, (byte, i) => (i === 4 ? 1 : byte)),
          false,
        ),
      DecodeError,
    );
  });
});

test('reserved addresses are recognised, and precompiled contracts that revert transfers', () => {
  const at = (prefix: string, end: string) => fromHex(prefix + end.padStart(38, '0'));
  const reserved = [at('df', ''), TRANSFER_DOMAIN, at('df', '7f'), tokenContract(0), tokenContract(0x3ff)];
  const free = [at('df', '80'), at('ff', '400'), at('df', `1${'0'.repeat(20)}`), at('00', '01'), fromHex('35'.repeat(20))];
  assert.deepEqual([...reserved, ...free].map(isReserved), [...reserved.map(() => true), ...free.map(() => false)]);
  const refusing = [1, 2, 6, 7, 8, 9, 10].filter((n) => refusesCoins(at('00', n.toString(16))));
  assert.deepEqual(refusing, [1, 7, 8, 9]);
});

test('decodeRlp rejects lists that are nested too deeply', () => {
  let nested: Rlp = [];
  for (let depth = 1; depth < 16; depth++) nested = [nested];
  assert.deepEqual(decodeRlp(encodeRlp(nested)), nested);
  assert.throws(() => decodeRlp(encodeRlp([nested])), /nested too deeply/);
});
