import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { publicKeyOf } from '../../../src/crypto/ecdsa.js';
import { decodeRlp, encodeRlp, type Rlp } from '../../../src/evm/codec/rlp.js';
import { signEvmTransaction } from '../../../src/evm/codec/sign.js';
import { decodeEvmTransaction, type EvmTransaction, encodeEvmTransaction } from '../../../src/evm/codec/transaction.js';
import { addressBytes } from '../../../src/evm/words.js';
import { DecodeError } from '../../../src/primitives/codec.js';
import { evmAddressOf } from '../../../src/script/erc55.js';
import { concatBytes, EMPTY_BYTES, fromHex, toHex } from '../../../src/util/bytes.js';
import { fc } from '../../property.js';

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
const EXAMPLE = {
  type: 0,
  accessList: [],
  nonce: 9n,
  gasPrice: 20_000_000_000n,
  gasLimit: 21_000n,
  to: BigInt(`0x${'35'.repeat(20)}`),
  value: 10n ** 18n,
  data: EMPTY_BYTES,
} as const;
const EXAMPLE_RAW =
  'f86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d' +
  '3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83';
const SECRET = fromHex('46'.repeat(32));

function signed(tx: Omit<Extract<EvmTransaction, { type: 0 }>, 'signature' | 'chainId'>, chainId: bigint): Uint8Array {
  return encodeEvmTransaction(signEvmTransaction({ ...tx, chainId }, SECRET));
}

describe('EVM transactions', () => {
  test('are signed for a chain', () => assert.equal(toHex(signed(EXAMPLE, 1n)), EXAMPLE_RAW));

  test('yield their sender', () => {
    const { sender, tx } = decodeEvmTransaction(fromHex(EXAMPLE_RAW));
    assert.equal(toHex(addressBytes(sender)), '9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f');
    const { signature, ...fields } = tx;
    assert.deepEqual({ ...fields, data: toHex(fields.data) }, { ...EXAMPLE, chainId: 1n, data: '' });
    assert.equal(signature.parity, 0);
  });

  test('are decoded for several chain ids and nonces', () => {
    const address = evmAddressOf(publicKeyOf(SECRET));
    for (const chainId of [1n, 1130n, 1133n]) {
      for (const nonce of [0n, 1n, 127n, 128n, 2n ** 64n - 2n]) {
        const { tx, sender } = decodeEvmTransaction(signed({ ...EXAMPLE, nonce, gasPrice: 0n, gasLimit: 0n, value: 0n }, chainId));
        assert.deepEqual([tx.nonce, toHex(addressBytes(sender))], [nonce, toHex(address as Uint8Array)]);
      }
    }
  });

  test('of types 1 and 2 are signed and decoded', () => {
    const { to, data, value, nonce, gasLimit } = EXAMPLE;
    const common = { to, data, value, nonce, gasLimit, chainId: 1133n, accessList: [{ address: 5n, keys: [6n, 7n] }] };
    const unsigned = [{ ...common, type: 1, gasPrice: 3n } as const, { ...common, type: 2, maxFee: 4n, maxPriorityFee: 2n } as const];
    for (const each of unsigned) {
      const { tx, sender } = decodeEvmTransaction(encodeEvmTransaction(signEvmTransaction(each, SECRET)));
      const { signature: _, ...fields } = tx;
      assert.deepEqual({ ...fields, data: toHex(fields.data) }, { ...each, data: '' });
      assert.equal(toHex(addressBytes(sender)), '9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f');
    }
    const fields = (count: number) => encodeRlp(Array.from({ length: count }, () => EMPTY_BYTES));
    for (const [type, count] of [
      [2, 11],
      [3, 12],
    ] as const)
      assert.throws(() => decodeEvmTransaction(concatBytes(Uint8Array.of(type), fields(count))), DecodeError);
  });

  test('with an invalid signature are rejected', () => {
    const raw = fromHex(EXAMPLE_RAW);
    const fields = decodeRlp(raw) as readonly Uint8Array[];
    const withScalars = (v: number, r: Uint8Array, s: Uint8Array) => encodeRlp([...fields.slice(0, 6), Uint8Array.of(v), r, s]);
    const [r, s] = [fields[7], fields[8]] as [Uint8Array, Uint8Array];
    assert.equal(toHex(withScalars(37, r, s)), EXAMPLE_RAW);
    for (const wrong of [withScalars(29, r, s), withScalars(37, EMPTY_BYTES, s), withScalars(37, r, new Uint8Array(32).fill(0xff))]) {
      assert.throws(() => decodeEvmTransaction(wrong), DecodeError);
    }
    assert.throws(() => decodeEvmTransaction(encodeRlp(fields.slice(0, 8))), DecodeError);
  });

  test('of random bytes throw nothing but DecodeError', () => {
    const raw = fromHex(EXAMPLE_RAW);
    const decodes = (bytes: Uint8Array) => {
      try {
        decodeEvmTransaction(bytes);
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
