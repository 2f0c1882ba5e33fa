import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DescField, type DescMessage, fromBinary, fromJson, type JsonValue, ScalarType, toBinary, toJson } from '@bufbuild/protobuf';
import { ProtoJson } from '../../../src/gateway/web/proto-json.js';
import { NodeError } from '../../../src/util/errors.js';
import { finish } from '../../../src/util/slicer.js';
import { fc } from '../../property.js';
import { committedCatalogue } from '../../rpc/catalogue.js';

const catalogue = committedCatalogue();
const json = new ProtoJson(catalogue.descriptors);
const { registry } = json;

/** Maximum nesting of the messages that are made. */
const DEPTH = 3;

function scalarOf(type: ScalarType): fc.Arbitrary<JsonValue> {
  switch (type) {
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return fc.oneof(fc.integer(), fc.constantFrom<JsonValue>(0.5, 1e21, 'NaN', '-Infinity'));
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.STRING:
      return fc.oneof(fc.string(), fc.constantFrom('é', '"\\\n', '\u{1f600}'));
    case ScalarType.BYTES:
      return fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString('base64'));
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return fc.nat(0xffff_ffff);
    default:
      return fc.integer();
  }
}

function jsonOf(field: DescField, depth: number): fc.Arbitrary<JsonValue> {
  const single = (message: DescMessage | undefined, scalar: ScalarType | undefined): fc.Arbitrary<JsonValue> => {
    if (message) return messageOf(message, depth - 1);
    return scalar === undefined ? fc.constantFrom(...(field.enum?.values.map(({ name }) => name) ?? [])) : scalarOf(scalar);
  };
  const value = single(field.message, field.scalar);
  if (field.fieldKind === 'list') return fc.array(value, { maxLength: 3 });
  if (field.fieldKind !== 'map') return value;
  const key =
    field.mapKey === ScalarType.STRING
      ? fc.string({ maxLength: 4 })
      : field.mapKey === ScalarType.BOOL
        ? fc.constantFrom('true', 'false')
        : fc.nat(99).map(String);
  return fc.uniqueArray(fc.tuple(key, value), { selector: ([name]) => name, maxLength: 3 }).map((entries) => Object.fromEntries(entries));
}

/** JSON of a message; a member of a oneof is chosen with the others left out. */
function messageOf(desc: DescMessage, depth: number): fc.Arbitrary<JsonValue> {
  if (desc.typeName === 'google.protobuf.Value') return fc.oneof(fc.string(), fc.integer(), fc.boolean());
  if (desc.typeName.startsWith('google.protobuf.') || depth === 0) return fc.constant({});
  const members = desc.members.map((member) => {
    const field = member.kind === 'oneof' ? fc.constantFrom(...member.fields) : fc.constant(member);
    return fc.option(field.chain((chosen) => jsonOf(chosen, depth).map((value) => [chosen.jsonName, value] as const)));
  });
  return fc.tuple(...members).map((entries) => Object.fromEntries(entries.filter((entry) => entry !== null)) as JsonValue);
}

test('answers have the JSON of a general encoder, and requests the bytes', () => {
  for (const { input, output } of catalogue.operations) {
    for (const desc of [input, output]) {
      const schema = registry.getMessage(desc.typeName);
      assert.ok(schema);
      fc.assert(
        fc.property(messageOf(schema, DEPTH), (value) => {
          const bytes = toBinary(schema, fromJson(schema, value, { registry }));
          const text = Buffer.concat(finish(json.decode(desc, bytes))).toString();
          assert.deepEqual(JSON.parse(text), toJson(schema, fromBinary(schema, bytes), { registry }), desc.typeName);
          assert.deepEqual(Buffer.from(json.encode(desc, text)), Buffer.from(bytes), desc.typeName);
        }),
        { numRuns: 3 },
      );
    }
  }
});

test('a request of too many values is refused before its message is made', () => {
  const desc = catalogue.byName('combinepsbt')?.input;
  assert.ok(desc);
  const lists = (count: number): string => `{"txs":[${Array.from({ length: count }, () => '""').join()}]}`;
  assert.equal(json.encode(desc, lists(49_000)).length, 98_000);
  assert.throws(() => json.encode(desc, lists(60_000)), /cannot decode the request: the request has more than 50000 values/);
});

test('a text that is no request is refused, whatever it is', () => {
  const desc = catalogue.byName('listtokens')?.input;
  assert.ok(desc);
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), fc.constant('['.repeat(100_000))), (text) => {
      try {
        json.encode(desc, text);
      } catch (error) {
        assert.ok(error instanceof NodeError && error.kind === 'invalid-params', String(error));
      }
    }),
  );
});
