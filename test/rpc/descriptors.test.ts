import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as buf from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema, MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import type { DescField, DescOneof } from '../../src/rpc/descriptor-fields.js';
import { type DescEnum, type DescMessage, type DescMethod, Descriptors } from '../../src/rpc/descriptors.js';
import { projectRoot } from '../shared.js';
import { committedCatalogue } from './catalogue.js';

const bytes = readFileSync(join(projectRoot, 'gen/image.binpb'));
const descriptors = new Descriptors(bytes);
const set = buf.fromBinary(FileDescriptorSetSchema, bytes);
const registry = buf.createFileRegistry(set);

/** The facts of an element that both libraries tell, with the names of the types that it refers to. */
function enumFacts({ name, typeName, values, value }: DescEnum | buf.DescEnum) {
  const facts = (each: { name: string; number: number; localName: string }) => [each.name, each.number, each.localName];
  return { name, typeName, values: values.map(facts), byNumber: Object.entries(value).map(([number, each]) => [number, each.name]) };
}

function fieldFacts(field: DescField | buf.DescField) {
  const { name, jsonName, number, presence, fieldKind, scalar } = field;
  const list = field.fieldKind === 'list' && [field.listKind, field.packed];
  const map = field.fieldKind === 'map' && [field.mapKind, field.mapKey];
  const types = { scalar, enum: field.enum && enumFacts(field.enum), message: field.message?.typeName };
  return { name, jsonName, number, presence, fieldKind, list, map, types, oneof: field.oneof?.name };
}

function memberFacts(member: DescField | DescOneof | buf.DescField | buf.DescOneof) {
  return [member.kind, member.name, member.kind === 'oneof' ? member.fields.map(({ name }) => name) : []];
}

function messageFacts(message: DescMessage | buf.DescMessage) {
  return {
    names: [message.name, message.typeName, message.parent?.typeName],
    fields: message.fields.map(fieldFacts),
    oneofs: message.oneofs.map(memberFacts),
    members: message.members.map(memberFacts),
    nested: message.nestedMessages.map(({ typeName }) => typeName),
    enums: message.nestedEnums.map(enumFacts),
    extensions: message.nestedExtensions.map(({ typeName }) => typeName),
  };
}

/** An absent property and one that is undefined are the same. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
/** The general decoder notes the type in each message. */
const withoutTypes = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (name, each: unknown) => (name === '$typeName' ? undefined : each)));

test('descriptors: files, messages and enums are those of a general decoder', () => {
  const files = [...registry.files];
  assert.deepEqual(
    descriptors.files.map(({ name }) => name),
    files.map(({ proto }) => proto.name),
  );
  for (const [i, file] of descriptors.files.entries()) {
    const expected = files[i];
    assert.ok(expected);
    assert.deepEqual(plain(file.messages.map(messageFacts)), plain(expected.messages.map(messageFacts)), file.name);
    assert.deepEqual(plain(file.enums.map(enumFacts)), plain(expected.enums.map(enumFacts)), file.name);
    assert.deepEqual([file.package, file.dependencies], [expected.proto.package, expected.proto.dependency]);
    assert.deepEqual(
      file.extensions.map(({ typeName, extendee, number }) => [typeName, extendee, number]),
      expected.extensions.map(({ typeName, extendee, number }) => [typeName, extendee.typeName, number]),
    );
    assert.ok(buf.equals(FileDescriptorProtoSchema, buf.fromBinary(FileDescriptorProtoSchema, file.bytes), expected.proto), file.name);
  }
  const everyMessage = [...registry].filter((each) => each.kind === 'message').map(({ typeName }) => typeName);
  assert.deepEqual(descriptors.messages.map(({ typeName }) => typeName).sort(), everyMessage.sort());
});

test('descriptors: services and methods are those of a general decoder', () => {
  const facts = (each: DescMethod) => [each.name, each.input.typeName, each.output.typeName, each.streams, each.isFreeOfEffects];
  const expectedFacts = (each: buf.DescMethod) => [
    each.name,
    each.input.typeName,
    each.output.typeName,
    each.methodKind !== 'unary',
    each.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS,
  ];
  assert.deepEqual(
    descriptors.files.flatMap(({ services }) => services.map(({ name, typeName, methods }) => [name, typeName, methods.map(facts)])),
    [...registry.files].flatMap(({ services }) =>
      services.map(({ name, typeName, methods }) => [name, typeName, methods.map(expectedFacts)]),
    ),
  );
});

test('options: those of every element are those of a general decoder', () => {
  const { options, operations } = committedCatalogue();
  const extension = (name: string): buf.DescExtension => {
    const found = registry.getExtension(name);
    assert.ok(found);
    return found;
  };
  const [param, result, shape, operation] = ['param', 'result', 'shape', 'operation'].map((name) => extension(`dfi.rpc.v1.${name}`));
  assert.ok(param && result && shape && operation);
  const http = extension('google.api.http');
  const expected = (desc: buf.DescMessage | buf.DescField | buf.DescMethod, option: buf.DescExtension): Record<string, unknown> => {
    const { $typeName, $unknown, ...members } = buf.getOption(desc, option) as unknown as Record<string, unknown>;
    return members;
  };
  for (const message of descriptors.messages) {
    const other = registry.getMessage(message.typeName);
    assert.ok(other);
    assert.deepEqual({ ...options.shape(message) }, expected(other, shape), message.typeName);
    for (const [i, field] of message.fields.entries()) {
      const otherField: buf.DescField | undefined = other.fields[i];
      assert.ok(otherField);
      assert.deepEqual({ ...options.result(field) }, expected(otherField, result), `${message.typeName}.${field.name}`);
      const raw = expected(otherField, param);
      const { required, aliases, jsonType, only } = options.param(field);
      assert.deepEqual([required, aliases, jsonType, only], [raw.required, raw.alias, raw.jsonType, raw.only]);
    }
  }
  for (const { declared, descriptor, http: routes } of operations) {
    const method = registry.getService(descriptor.parent.typeName)?.methods.find(({ name }) => name === descriptor.name);
    assert.ok(method);
    assert.deepEqual(plain(declared), withoutTypes(plain(expected(method, operation))));
    const rules = (rule: Record<string, unknown>): unknown[] => [rule, ...((rule.additionalBindings ?? []) as Record<string, unknown>[])];
    const main = expected(method, http);
    const wanted = (main.pattern as { case?: string }).case === undefined ? [] : rules(main);
    assert.deepEqual(
      routes.map(({ verb, path, body }) => ({ verb: verb.toLowerCase(), path, body })),
      wanted.map((rule) => {
        const { pattern, body } = rule as { pattern: { case: string; value: string }; body: string };
        return { verb: pattern.case, path: pattern.value, body };
      }),
      declared.name,
    );
  }
});

test('descriptors: a reference to an unknown type is refused', () => {
  assert.throws(() => descriptors.message('.dfi.types.v1.Nothing'), /lacks \.dfi\.types\.v1\.Nothing/);
  assert.throws(() => descriptors.enum('.nowhere.Nothing'), /lacks/);
});

test('no field has a name for which the stubs of a language do not compile', () => {
  // Java: the getter of such a field is the static method of each message, which protoc renames for no other field.
  const unusable = ['descriptor', 'descriptor_for_type'];
  const messages = [...registry].filter((type) => type.kind === 'message' && type.typeName.startsWith('dfi.')) as buf.DescMessage[];
  assert.ok(messages.length > 500, `${messages.length} messages`);
  const found = messages.flatMap(({ typeName, fields }) =>
    fields.filter(({ name }) => unusable.includes(name)).map(({ name }) => `${typeName}.${name}`),
  );
  assert.deepEqual(found, []);
});
