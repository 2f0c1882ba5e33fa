import assert from 'node:assert/strict';
import { test } from 'node:test';
import { destinationOf, encodeDestination } from '../../../src/script/address.js';
import { checkChecksum, descriptorChecksum } from '../../../src/script/descriptor-checksum.js';
import { DescriptorError } from '../../../src/script/descriptor-error.js';
import { type DescriptorPrefixes, parseDescriptor } from '../../../src/script/descriptor-parser.js';
import { fromHex } from '../../../src/util/bytes.js';
import { vectorFile } from '../../vectors.js';

// The published descriptors carry Bitcoin's prefixes.
const test4 = { pubKeyHash: 0x6f, scriptHash: 0xc4, secretKey: 0xef, extPublicKey: fromHex('043587cf'), extSecretKey: fromHex('04358394') };
const networks: Readonly<Record<string, DescriptorPrefixes>> = {
  main: {
    pubKeyHash: 0,
    scriptHash: 5,
    secretKey: 0x80,
    extPublicKey: fromHex('0488b21e'),
    extSecretKey: fromHex('0488ade4'),
    bech32Prefix: 'bc',
  },
  testnet: { ...test4, bech32Prefix: 'tb' },
  regtest: { ...test4, bech32Prefix: 'bcrt' },
};

interface Row {
  readonly input: string;
  readonly network?: string;
}
interface ValidRow extends Row {
  readonly descriptor: string;
  readonly checksum: string;
  readonly isrange: boolean;
  readonly issolvable: boolean;
  readonly hasprivatekeys: boolean;
}
interface AddressRow extends Row {
  readonly addresses?: readonly string[];
  readonly range?: readonly [number, number];
  readonly error?: string;
}
interface InvalidRow extends Row {
  readonly requirechecksum?: boolean;
}

const prefixesOf = ({ network = 'main' }: Row): DescriptorPrefixes => networks[network] as DescriptorPrefixes;
const rowsOf = <R extends Row>(name: string): R[] => Object.values(vectorFile<Record<string, R[]>>(`descriptors/${name}.json`)).flat();

/** Features that the grammar of `defid` lacks: sorted keys, more than 16 keys, and addresses with the later checksum. */
function refusal(input: string): string | undefined {
  if (input.startsWith('sortedmulti(')) return `${input.split('#')[0]} is not a valid descriptor function`;
  if (input.startsWith('sh(wsh(sortedmulti') || input.startsWith('wsh(sortedmulti')) return 'A function is needed within P2WSH';
  if (input.startsWith('sh(wsh(multi(20,')) return 'Cannot have 20 keys in multisig; must have between 1 and 16 keys, inclusive';
  return input.startsWith('addr(bc1p') ? 'Address is not valid' : undefined;
}

function refuses(text: string, row: Row, message: string, requireChecksum = false): void {
  assert.throws(
    () => parseDescriptor(text, prefixesOf(row), { requireChecksum }),
    (error: unknown) => {
      assert.ok(error instanceof DescriptorError);
      assert.equal(error.message, message, text);
      return true;
    },
  );
}

/** Rewrites the marks of hardened steps to those of `defid`. */
function marked(descriptor: string): string {
  const [payload = ''] = descriptor.split('#');
  return payload.replace(/\/(\d+|\*)h/g, "/$1'");
}

test('published descriptors: canonical form, checksum and properties', () => {
  const rows = rowsOf<ValidRow>('desc-valid');
  let refused = 0;
  for (const row of rows) {
    assert.equal(checkChecksum(row.input, { required: false }).checksum, row.checksum);
    const message = refusal(row.input);
    if (message !== undefined) {
      refuses(row.input, row, message);
      refused += 1;
      continue;
    }
    const descriptor = parseDescriptor(row.input, prefixesOf(row));
    const payload = marked(row.descriptor);
    assert.equal(descriptor.format(), `${payload}#${descriptorChecksum(payload)}`);
    if (!/\/[\d*]+h/.test(row.descriptor)) assert.equal(descriptor.format(), row.descriptor);
    assert.equal(descriptor.isRange, row.isrange, row.input);
    assert.equal(descriptor.isSolvable, row.issolvable, row.input);
    assert.equal(descriptor.hasPrivateKeys, row.hasprivatekeys, row.input);
  }
  assert.deepEqual({ rows: rows.length, refused }, { rows: 57, refused: 5 });
});

test('published descriptors: checksums are valid', () => {
  for (const { descriptor } of rowsOf<ValidRow>('desc-valid')) assert.ok(checkChecksum(descriptor, { required: true }));
});

test('published descriptors: their addresses', () => {
  const rows = rowsOf<AddressRow>('desc-addresses');
  const counts = { rows: rows.length, refused: 0, underivable: 0, addressless: 0, addresses: 0 };
  for (const row of rows) {
    const message = refusal(row.input);
    if (message !== undefined) {
      refuses(row.input, row, message);
      counts.refused += 1;
      continue;
    }
    const descriptor = parseDescriptor(row.input, prefixesOf(row));
    const [first = 0, last] = row.range ?? [];
    const scripts = descriptor.expand(first)?.scripts;
    if (row.error?.startsWith('Private key')) {
      assert.equal(scripts, undefined, row.input);
      counts.underivable += 1;
      continue;
    }
    assert.ok(scripts, row.input);
    if (row.error) {
      assert.equal(row.error, 'Descriptor does not have a corresponding address');
      assert.ok(
        scripts.some((script) => destinationOf(script) === undefined),
        row.input,
      );
      counts.addressless += 1;
      continue;
    }
    const expected = row.addresses as readonly string[];
    const end = last ?? first + expected.length / scripts.length - 1;
    assert.deepEqual(addressesOf(descriptor, first, end, prefixesOf(row)), expected, row.input);
    counts.addresses += expected.length;
  }
  assert.deepEqual(counts, { rows: 54, refused: 5, underivable: 1, addressless: 2, addresses: 167 });
});

function addressesOf(descriptor: ReturnType<typeof parseDescriptor>, first: number, last: number, prefixes: DescriptorPrefixes): string[] {
  const addresses: string[] = [];
  for (let index = first; index <= last; index++) {
    for (const script of descriptor.expand(index)?.scripts ?? []) {
      const destination = destinationOf(script);
      assert.ok(destination);
      addresses.push(encodeDestination(destination, prefixes));
    }
  }
  return addresses;
}

/** In the order of the file, whose own texts are another library's. */
const INVALID: readonly string[] = [
  'pk is not a valid descriptor function',
  ' is not a valid descriptor function',
  'No key provided',
  "key 'wsh(sh(pk(03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd))' is not valid",
  "Provided checksum 'qwlqgth7' does not match computed checksum 'f0guwvcj'",
  "Multi threshold 'pk()' is not valid",
  "key 'tpubD6NzVbkrYhZ4WaWSyoBvQwbpLkojyoTZPRsgXELWz3Popb3qkjcJyJUGLnL4qHHoQvao8ESaAstxYSnhyswJ76uZPStJRJCTKvosUCJZL5B' is not valid",
  'Raw script is not hex',
  'Cannot have combo in non-top level',
  "Provided checksum 'tjq09x4t' does not match computed checksum 'tjg09x5t'",
  'Invalid characters in payload',
  'Missing checksum',
  'Expected 8 character checksum, not 9 characters',
  'Expected 8 character checksum, not 7 characters',
  "Multiple '#' symbols",
  'P2SH script is too large, 547 bytes is larger than 520 bytes',
  'Uncompressed keys are not allowed',
  'A function is needed within P2WSH',
  'Cannot have sh in non-top level',
  'No key provided',
  "Pubkey '03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5' is invalid",
  'A function is needed within P2SH',
  'Cannot have 17 keys in multisig; must have between 1 and 16 keys, inclusive',
  'Uncompressed keys are not allowed',
  "Key path value '1aa' is not a valid uint32",
  "Multiple ']' characters found for a single pubkey",
  "Key origin start '[ character expected but not found, got 'd' instead",
  'Key path value 2147483648 is out of range',
  'Multisig threshold cannot be larger than the number of keys; threshold is 3 but only 2 keys specified',
  'Cannot have 4 pubkeys in bare multisig; only at most 3 pubkeys',
  'Multisig threshold cannot be 0, must be at least 1',
  "Multi threshold 'a' is not valid",
  'Address is not valid',
  'Uncompressed keys are not allowed',
  'Cannot have wpkh within wsh',
  'Cannot have wsh within wsh',
  'Cannot have sh in non-top level',
  'A function is needed within P2WSH',
  'A function is needed within P2WSH',
  'tr(xprvA1RpRA33e1JQ7ifknakTFpgNXPmW2YvmhqLQYMmrj4xJXXWYpDPS3xz7iAxn8L39njGVyuoseXzU6rcxFLJ8HFsTjSyQbLYnMpCqE2VbFWc/0/* is not a valid descriptor function',
];

test('published invalid descriptors: error texts of defid', () => {
  const rows = vectorFile<InvalidRow[]>('descriptors/desc-invalid.json');
  assert.equal(rows.length, INVALID.length);
  rows.forEach((row, i) => {
    refuses(row.input, row, INVALID[i] as string, row.requirechecksum);
  });
});
