import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { publicKeyOf } from '../../../src/crypto/ecdsa.js';
import { decodeAccessList, encodeAccessList } from '../../../src/evm/codec/access-list.js';
import { bytesOf, encodeRlp, integerOf, isList, itemsIn, type Rlp, sizedWord } from '../../../src/evm/codec/rlp.js';
import { signEvmTransaction } from '../../../src/evm/codec/sign.js';
import { decodeEvmTransaction, decodeUnrecovered, type EvmTransaction, encodeEvmTransaction } from '../../../src/evm/codec/transaction.js';
import { addressBytes } from '../../../src/evm/words.js';
import { DecodeError } from '../../../src/primitives/codec.js';
import { evmAddressOf } from '../../../src/script/erc55.js';
import { concatBytes, EMPTY_BYTES, fromHex, toHex } from '../../../src/util/bytes.js';
import { finish } from '../../../src/util/slicer.js';
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
      assert.equal(toHex(encodeRlp(decoded(fromHex(hex)))), hex);
    });
  }

  const malformed: readonly (readonly [string, string])[] = [
    ['no bytes', ''],
    ['a truncated text', '83646f'],
    ['the long form for a short text', 'b803646f67'],
    ['a length with leading zeros', `b90038${toHex(ascii(`${HELLO_SHORT}t`))}`],
    ['a single byte with a length', '810f'],
    ['a list', 'c0'],
    ['an excessive length', 'bf0fffffffffffffff00'],
  ];
  for (const [name, hex] of malformed) test(`bytes are not ${name}`, () => assert.throws(() => bytesOf(fromHex(hex)), DecodeError));

  test('numbers have no leading zeros and at most their size', () => {
    assert.deepEqual(
      ['80', '7f', '820100'].map((hex) => integerOf(fromHex(hex), 2)),
      [0n, 127n, 256n],
    );
    for (const hex of ['00', '820001', '83010000']) assert.throws(() => integerOf(fromHex(hex), 2), DecodeError);
  });

  test('addresses and keys have exactly their size', () => {
    assert.equal(sizedWord(fromHex('00ff01'), 3), 0xff01n);
    for (const size of [2, 4]) assert.throws(() => sizedWord(fromHex('00ff01'), size), DecodeError);
  });

  /** As the library of `defid` counts them. */
  const lists: readonly (readonly [name: string, hex: string, inside: number, items: readonly string[] | undefined])[] = [
    ['beyond the announced end', 'c2010203', 1, ['01', '02', '03']],
    ['up to a malformed one', 'c30102830304', 1, ['01', '02']],
    ['none if the first is beyond the end', 'c001', 1, []],
    ['only those that must be inside', 'c2010203', 3, ['01', '02']],
    ['none of a list whose end is missing', 'c501', 1, []],
    ['none of bytes', '820102', 1, undefined],
  ];
  for (const [name, hex, inside, items] of lists) {
    test(`items of a list: ${name}`, () => {
      if (items === undefined) assert.throws(() => [...itemsIn(fromHex(hex), inside)], DecodeError);
      else assert.deepEqual([...itemsIn(fromHex(hex), inside)].map(toHex), items);
    });
  }
});

function decoded(item: Uint8Array): Rlp {
  return isList(item) ? [...itemsIn(item)].map(decoded) : bytesOf(item);
}

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

test('an access list of many short lists of keys is decoded with as many interruptions as one long list', () => {
  const list = Array.from({ length: 64 }, (_, i) => ({ address: BigInt(i), keys: Array.from({ length: 63 }, (_, key) => BigInt(key)) }));
  const { encoded } = finish(encodeAccessList(list));
  let interruptions = 0;
  for (const _ of decodeAccessList(encoded)) interruptions += 1;
  assert.equal(interruptions, 64);
  assert.deepEqual(finish(decodeAccessList(encoded)), list);
});

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
    const fields = [...itemsIn(raw)].map(bytesOf);
    const withScalars = (v: number, r: Uint8Array, s: Uint8Array) => encodeRlp([...fields.slice(0, 6), Uint8Array.of(v), r, s]);
    const [r, s] = [fields[7], fields[8]] as [Uint8Array, Uint8Array];
    assert.equal(toHex(withScalars(37, r, s)), EXAMPLE_RAW);
    for (const wrong of [withScalars(29, r, s), withScalars(37, EMPTY_BYTES, s), withScalars(37, r, new Uint8Array(32).fill(0xff))]) {
      assert.throws(() => decodeEvmTransaction(wrong), DecodeError);
    }
    assert.throws(() => decodeEvmTransaction(encodeRlp(fields.slice(0, 8))), DecodeError);
  });

  test('are read as defid reads them, whose hash is that of the canonical bytes', () => {
    const signed = signEvmTransaction({ ...EXAMPLE, type: 1, chainId: 1n }, SECRET);
    const canonical = encodeEvmTransaction(signed);
    const items = [...itemsIn(canonical.subarray(1))];
    const { sender, hash } = decodeEvmTransaction(canonical);
    const list = (parts: readonly Uint8Array[], announced = concatBytes(...parts).length) =>
      concatBytes(Uint8Array.of(1, 0xf8, announced), ...parts);
    const withList = (hex: string) => list([...items.slice(0, 7), fromHex(hex), ...items.slice(8)]);
    const read = [withList('00'), withList('83010203'), withList('c181'), list(items, 60), concatBytes(canonical, Uint8Array.of(0x83, 1))];
    for (const raw of read) {
      const other = decodeEvmTransaction(raw);
      assert.deepEqual([other.sender, toHex(other.hash)], [sender, toHex(hash)], toHex(raw));
    }
    const refused = [withList('c180'), withList('c1c0'), concatBytes(canonical, Uint8Array.of(1)), list(items, 200)];
    for (const raw of refused) assert.throws(() => decodeEvmTransaction(raw), DecodeError, toHex(raw));
    // Further items of an entry are ignored, and bytes in place of its keys count as none.
    const entries = decodeUnrecovered(withList(`d9d894${'11'.repeat(20)}050102`)).accessList;
    assert.deepEqual(entries, [{ address: BigInt(`0x${'11'.repeat(20)}`), keys: [] }]);
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
