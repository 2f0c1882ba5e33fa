import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkParams } from '../../../src/params/index.js';
import { descriptorChecksum, withChecksum } from '../../../src/script/descriptor-checksum.js';
import { DescriptorError } from '../../../src/script/descriptor-error.js';
import { MAX_DESCRIPTOR_SIZE, parseDescriptor } from '../../../src/script/descriptor-parser.js';
import { toHex } from '../../../src/util/bytes.js';
import { fc } from '../../property.js';

const { address } = networkParams({ network: 'regtest' });

const KEY = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const LONG_KEY =
  '04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd5b8dec5235a0fa8722476c7709c02559e3aa73aa03918ba2d492eea75abea235';
const TPUB = 'tpubD6NzVbkrYhZ4WaWSyoBvQwbpLkojyoTZPRsgXELWz3Popb3qkjcJyJUGLnL4qHHoQvao8ESaAstxYSnhyswJ76uZPStJRJCTKvosUCJZL5B';
const TPRV = 'tprv8ZgxMBicQKsPd7Uf69XL1XwhmjHopUGep8GuEiJDZmbQz6o58LninorQAfcKZWARbtRtfnLcJ5MQ2AtHcQJCCRUcMRvmDUjyEmNUWwx8UbK';
const keys = (count: number, key = KEY): string => new Array<string>(count).fill(key).join(',');

/** Every message of the parser, on both sides of its edge if it has one: `accepted` is the nearest text that passes. */
const faults: readonly { readonly text: string; readonly message: string; readonly accepted?: string }[] = [
  { text: 'raw(00)#89f8spxm#', message: "Multiple '#' symbols", accepted: 'raw(deadbeef)#89f8spxm' },
  { text: 'raw(deadbeef)#', message: 'Expected 8 character checksum, not 0 characters' },
  { text: 'raw(deadbeef)#89f8spx', message: 'Expected 8 character checksum, not 7 characters' },
  { text: 'raw(deadbeef)#89f8spxmm', message: 'Expected 8 character checksum, not 9 characters' },
  { text: 'raw(deadbeef)#89f8spxé', message: 'Expected 8 character checksum, not 9 characters' },
  { text: 'raw(deadbeéf)', message: 'Invalid characters in payload' },
  { text: 'raw(dead\nbeef)#89f8spxm', message: 'Invalid characters in payload' },
  { text: 'raw(deadbeef)#89f8spxn', message: "Provided checksum '89f8spxn' does not match computed checksum '89f8spxm'" },
  { text: 'pk()', message: 'No key provided', accepted: `pk(${KEY})` },
  { text: 'pk([01234567])', message: 'No key provided', accepted: `pk([01234567]${KEY})` },
  { text: 'pk(/1)', message: 'No key provided', accepted: `pk(${TPUB}/1)` },
  { text: `pk(${KEY.slice(0, -2)})`, message: `Pubkey '${KEY.slice(0, -2)}' is invalid` },
  { text: `pk(05${KEY.slice(2)})`, message: `Pubkey '05${KEY.slice(2)}' is invalid` },
  { text: `pk(02${'ff'.repeat(32)})`, message: `Pubkey '02${'ff'.repeat(32)}' is invalid` },
  { text: 'pk(00)', message: "Pubkey '00' is invalid" },
  { text: `wpkh(${LONG_KEY})`, message: 'Uncompressed keys are not allowed', accepted: `pkh(${LONG_KEY})` },
  { text: `wsh(pk(${LONG_KEY}))`, message: 'Uncompressed keys are not allowed', accepted: `sh(pk(${LONG_KEY}))` },
  { text: `wsh(multi(1,${LONG_KEY}))`, message: 'Uncompressed keys are not allowed', accepted: `sh(multi(1,${LONG_KEY}))` },
  { text: `sh(wsh(pkh(${LONG_KEY})))`, message: 'Uncompressed keys are not allowed', accepted: `sh(pkh(${LONG_KEY}))` },
  { text: 'pk(zz)', message: "key 'zz' is not valid" },
  { text: 'pk(0)', message: "key '0' is not valid" },
  { text: `pk(${KEY}/1)`, message: `key '${KEY}' is not valid` },
  { text: `pk(${TPUB.slice(0, -1)}C)`, message: `key '${TPUB.slice(0, -1)}C' is not valid` },
  { text: `pk(${KEY},${KEY})`, message: `key '${KEY},${KEY}' is not valid` },
  { text: 'pk(*)', message: "key '*' is not valid" },
  { text: `pk(${TPUB}/)`, message: "Key path value '' is not a valid uint32" },
  { text: `pk(${TPUB}/x)`, message: "Key path value 'x' is not a valid uint32" },
  { text: `pk(${TPUB}/-1)`, message: "Key path value '-1' is not a valid uint32", accepted: `pk(${TPUB}/+1)` },
  { text: `pk(${TPUB}/1H)`, message: "Key path value '1H' is not a valid uint32", accepted: `pk(${TPUB}/1h)` },
  { text: `pk(${TPUB}/1'h)`, message: `Key path value '1'' is not a valid uint32`, accepted: `pk(${TPUB}/1')` },
  { text: `pk(${TPUB}/*/1)`, message: "Key path value '*' is not a valid uint32", accepted: `pk(${TPUB}/1/*)` },
  { text: `pk(${TPUB}/4294967296)`, message: "Key path value '4294967296' is not a valid uint32" },
  { text: `pk(${TPUB}/4294967295)`, message: 'Key path value 4294967295 is out of range' },
  { text: `pk(${TPUB}/2147483648)`, message: 'Key path value 2147483648 is out of range', accepted: `pk(${TPUB}/2147483647)` },
  { text: `pk(${TPUB}/2147483648')`, message: 'Key path value 2147483648 is out of range', accepted: `pk(${TPUB}/2147483647')` },
  { text: `pk([01234567/2147483648]${KEY})`, message: 'Key path value 2147483648 is out of range' },
  { text: `pk([01234567/a]${KEY})`, message: "Key path value 'a' is not a valid uint32", accepted: `pk([01234567/1]${KEY})` },
  { text: `pk([01234567]]${KEY})`, message: "Multiple ']' characters found for a single pubkey" },
  { text: `pk(01234567]${KEY})`, message: "Key origin start '[ character expected but not found, got '0' instead" },
  { text: `pk(]${KEY})`, message: "Key origin start '[ character expected but not found, got ']' instead" },
  { text: `pk([]${KEY})`, message: 'Fingerprint is not 4 bytes (0 characters instead of 8 characters)' },
  { text: `pk([0123456/1]${KEY})`, message: 'Fingerprint is not 4 bytes (7 characters instead of 8 characters)' },
  { text: `pk([012345678]${KEY})`, message: 'Fingerprint is not 4 bytes (9 characters instead of 8 characters)' },
  { text: `pk([0123456g]${KEY})`, message: "Fingerprint '0123456g' is not hex" },
  { text: `sh(combo(${KEY}))`, message: 'Cannot have combo in non-top level', accepted: `combo(${KEY})` },
  { text: `wsh(combo(${KEY}))`, message: 'Cannot have combo in non-top level' },
  { text: 'multi()', message: "Multi threshold '' is not valid" },
  { text: `multi(a,${KEY})`, message: "Multi threshold 'a' is not valid" },
  { text: `multi(-1,${KEY})`, message: "Multi threshold '-1' is not valid", accepted: `multi(+1,${KEY})` },
  { text: `multi(4294967296,${KEY})`, message: "Multi threshold '4294967296' is not valid" },
  { text: `multi(1)(${KEY})`, message: "Multi: expected ',', got ')'" },
  { text: 'multi(1)', message: 'Cannot have 0 keys in multisig; must have between 1 and 16 keys, inclusive' },
  { text: 'multi(1,)', message: 'No key provided' },
  {
    text: `wsh(multi(1,${keys(17)}))`,
    message: 'Cannot have 17 keys in multisig; must have between 1 and 16 keys, inclusive',
    accepted: `wsh(multi(1,${keys(16)}))`,
  },
  // Keys beyond the seventeenth are counted and not parsed.
  { text: `multi(1,${keys(17)},00)`, message: 'Cannot have 18 keys in multisig; must have between 1 and 16 keys, inclusive' },
  { text: `multi(1,${keys(16)},00)`, message: "Pubkey '00' is invalid" },
  { text: `multi(0,${KEY})`, message: 'Multisig threshold cannot be 0, must be at least 1', accepted: `multi(1,${KEY})` },
  {
    text: `multi(3,${keys(2)})`,
    message: 'Multisig threshold cannot be larger than the number of keys; threshold is 3 but only 2 keys specified',
    accepted: `multi(2,${keys(2)})`,
  },
  {
    text: `multi(1,${keys(4)})`,
    message: 'Cannot have 4 pubkeys in bare multisig; only at most 3 pubkeys',
    accepted: `multi(1,${keys(3)})`,
  },
  {
    text: `sh(multi(1,${keys(16)}))`,
    message: 'P2SH script is too large, 547 bytes is larger than 520 bytes',
    accepted: `sh(multi(1,${keys(15)}))`,
  },
  {
    text: `sh(multi(1,${keys(8, LONG_KEY)}))`,
    message: 'P2SH script is too large, 531 bytes is larger than 520 bytes',
    accepted: `sh(multi(1,${keys(7, LONG_KEY)}))`,
  },
  { text: `wsh(wpkh(${KEY}))`, message: 'Cannot have wpkh within wsh', accepted: `sh(wpkh(${KEY}))` },
  { text: `sh(wsh(wpkh(${KEY})))`, message: 'Cannot have wpkh within wsh' },
  { text: `sh(sh(pk(${KEY})))`, message: 'Cannot have sh in non-top level', accepted: `sh(wsh(pk(${KEY})))` },
  { text: `wsh(sh(pk(${KEY})))`, message: 'Cannot have sh in non-top level' },
  { text: `wsh(wsh(pk(${KEY})))`, message: 'Cannot have wsh within wsh', accepted: `wsh(pk(${KEY}))` },
  { text: 'addr(x)', message: 'Address is not valid', accepted: 'addr(mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU)' },
  { text: 'addr()', message: 'Address is not valid' },
  { text: 'addr(8QMEHxSkBmWLCUmHGr2SqovNiYfGttkTVy)', message: 'Address is not valid' },
  { text: 'raw()', message: 'Raw script is not hex' },
  { text: 'raw(0)', message: 'Raw script is not hex', accepted: 'raw(00)' },
  { text: `sh(${KEY})`, message: 'A function is needed within P2SH' },
  { text: 'sh(raw(00))', message: 'A function is needed within P2SH' },
  { text: 'sh()', message: 'A function is needed within P2SH' },
  { text: 'wsh(addr(mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU))', message: 'A function is needed within P2WSH' },
  { text: `sh(wsh(${KEY}))`, message: 'A function is needed within P2WSH' },
  { text: 'foo(bar)', message: 'foo(bar) is not a valid descriptor function' },
  { text: 'addr(', message: 'addr( is not a valid descriptor function' },
  { text: '', message: ' is not a valid descriptor function' },
  { text: `pk (${KEY})`, message: `pk (${KEY}) is not a valid descriptor function` },
  { text: `PK(${KEY})`, message: `PK(${KEY}) is not a valid descriptor function` },
  { text: `pk(${KEY})x`, message: `pk(${KEY})x is not a valid descriptor function` },
  { text: `pk(${KEY}),`, message: '' },
  { text: `pk(${KEY}))`, message: '' },
  { text: `sh(pk(${KEY}),pk(${KEY}))`, message: '' },
];

function messageOf(text: string, requireChecksum = false): string | undefined {
  try {
    parseDescriptor(text, address, { requireChecksum });
    return undefined;
  } catch (error) {
    assert.ok(error instanceof DescriptorError, `${text}: ${error}`);
    assert.equal(error.kind, 'invalid-address');
    return error.message;
  }
}

for (const { text, message, accepted } of faults) {
  test(`descriptor ${text.length > 60 ? `${text.slice(0, 57)}...` : JSON.stringify(text)}: ${message || 'no message'}`, () => {
    assert.equal(messageOf(text), message);
    if (accepted !== undefined) assert.equal(messageOf(accepted), undefined);
  });
}

test('a missing checksum is reported if it is required', () => {
  assert.equal(messageOf('raw(deadbeef)', true), 'Missing checksum');
  assert.equal(messageOf('raw(deadbeef)#89f8spxm', true), undefined);
  assert.equal(messageOf('raw(deadbeef)'), undefined);
});

test('checksums of known descriptors', () => {
  assert.equal(descriptorChecksum('raw(deadbeef)'), '89f8spxm');
  assert.equal(descriptorChecksum(`pkh(${KEY})`), 'e48zzw02');
  assert.equal(withChecksum('addr(mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU)'), 'addr(mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU)#wazev5k2');
  assert.equal(descriptorChecksum('é'), undefined);
  assert.throws(() => withChecksum('é'), TypeError);
});

test('canonical form: numbers without signs, steps marked by apostrophes, keys in lower case and without secrets', () => {
  const format = (text: string): string => parseDescriptor(text, address).format().split('#')[0] as string;
  assert.equal(format(`pk(${KEY.toUpperCase()})`), `pk(${KEY})`);
  assert.equal(format(`multi(+1,${TPUB}/007h/*h)`), `multi(1,${TPUB}/7'/*')`);
  assert.equal(format(`pkh([ABCDEF01/1h]${KEY})`), `pkh([abcdef01/1']${KEY})`);
  assert.equal(format('raw(DEADBEEF)'), 'raw(deadbeef)');
  assert.match(format(`wpkh(${TPRV}/1/*)`), /^wpkh\(tpub[^/]+\/1\/\*\)$/);
});

test('expansion: scripts, those behind them, and keys with their origins', () => {
  const expansion = parseDescriptor(`sh(wsh(multi(1,[01234567/5h]${TPRV}/1/*h,${KEY})))`, address).expand(7);
  assert.ok(expansion);
  const [derived, fixed] = expansion.keys;
  assert.deepEqual(
    expansion.keys.map(({ origin }) => ({ fingerprint: toHex(origin.fingerprint), path: origin.path })),
    [
      { fingerprint: '01234567', path: [0x8000_0005, 1, 0x8000_0007] },
      { fingerprint: '751e76e8', path: [] },
    ],
  );
  assert.equal(derived?.privateKey?.compressed, true);
  assert.equal(fixed?.privateKey, undefined);
  const [redeemScript = new Uint8Array(), witnessScript = new Uint8Array()] = expansion.subscripts;
  assert.equal(toHex(witnessScript), `5121${toHex(derived?.publicKey ?? new Uint8Array())}21${KEY}52ae`);
  assert.equal(toHex(redeemScript).slice(0, 4), '0020');
  assert.equal(expansion.scripts.length, 1);
});

test('combo: four scripts of a compressed key, two of another', () => {
  const scriptsOf = (text: string): string[] => (parseDescriptor(text, address).expand(0)?.scripts ?? []).map(toHex);
  assert.deepEqual(scriptsOf(`combo(${KEY})`), [
    `21${KEY}ac`,
    '76a914751e76e8199196d454941c45d1b3a323f1433bd688ac',
    '0014751e76e8199196d454941c45d1b3a323f1433bd6',
    'a914bcfeb728b584253d5f3f70bcb780e9ef218a68f487',
  ]);
  assert.deepEqual(scriptsOf(`combo(${LONG_KEY})`), [`41${LONG_KEY}ac`, '76a914b5bd079c4d57cc7fc28ecf8213a6b791625b818388ac']);
});

test('hardened steps take the secret', () => {
  for (const path of ["/1'/2", '/1/*h', "/1'/*"]) {
    assert.equal(parseDescriptor(`pk(${TPUB}${path})`, address).expand(0), undefined, path);
    assert.ok(parseDescriptor(`pk(${TPRV}${path})`, address).expand(0), path);
  }
});

test('the same key by its secret and by its public half', () => {
  const secret = parseDescriptor(`wpkh(${TPRV}/0/*)`, address);
  const open = parseDescriptor(secret.format(), address, { requireChecksum: true });
  assert.equal(secret.hasPrivateKeys, true);
  assert.equal(open.hasPrivateKeys, false);
  for (const index of [0, 1, 2 ** 31 - 1]) assert.deepEqual(open.expand(index)?.scripts, secret.expand(index)?.scripts);
});

test('canonical text reads as itself', () => {
  const key = fc.constantFrom(KEY, LONG_KEY, `[deadbeef/1/2']${KEY}`, `${TPUB}/1'/2`, `${TPUB}/*`, `${TPRV}/3/*'`);
  const shape = fc.constantFrom('pk', 'pkh', 'combo', 'sh(pk', 'sh(pkh');
  fc.assert(
    fc.property(shape, key, (open, inner) => {
      const text = parseDescriptor(`${open}(${inner})${open.includes('(') ? ')' : ''}`, address).format();
      assert.equal(parseDescriptor(text, address, { requireChecksum: true }).format(), text);
    }),
  );
});

test('any text parses or is rejected as a descriptor', () => {
  const words = fc.constantFrom('pk', 'sh', 'wsh', 'multi', 'addr', 'raw', '(', ')', ',', '[', ']', '/', '*', "'", '1', KEY, TPUB, '#');
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(words, { maxLength: 12 }).map((parts) => parts.join('')),
      ),
      (text) => {
        messageOf(text);
      },
    ),
  );
});

test('raw bytes round-trip', () => {
  assert.deepEqual(parseDescriptor('raw(deadbeef)', address).expand(5)?.scripts.map(toHex), ['deadbeef']);
});

test('descriptor: its size is bounded', () => {
  const raw = `raw(${'00'.repeat((MAX_DESCRIPTOR_SIZE - 5) / 2)})`;
  assert.equal(raw.length, MAX_DESCRIPTOR_SIZE - 1);
  assert.equal(messageOf(raw), undefined);
  const text = ` ${raw} `;
  assert.equal(messageOf(text), 'Descriptor of 100001 characters is too long, at most 100000 are allowed');
});

test('descriptor: text that is not an extended key is not decoded, however long', () => {
  const text = '1'.repeat(90_000);
  assert.equal(messageOf(`pk(${text}/1)`), `key '${text}' is not valid`);
});

test('descriptor: the path shared by all indexes is derived in steps', () => {
  const text = `wpkh(${TPRV}${"/1'".repeat(254)}/*)`;
  const prepared = parseDescriptor(text, address);
  assert.equal([...prepared.prepare()].length, 254);
  assert.deepEqual(prepared.expand(7), parseDescriptor(text, address).expand(7));
  const withoutSecret = parseDescriptor(`wpkh(${TPUB}/1'${'/1'.repeat(200)})`, address);
  assert.equal([...withoutSecret.prepare()].length, 1);
  assert.equal(withoutSecret.expand(0), undefined);
});
