import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Operation, Param, Position } from '../../src/rpc/catalogue.js';
import { type DescField, ScalarType } from '../../src/rpc/descriptor-fields.js';
import type { DescMessage } from '../../src/rpc/descriptors.js';
import { kindsOf } from '../../src/rpc/kinds.js';
import { catalogue, type GrpcMethod, grpcMethods } from './grpc-methods.js';

const HASH = '00'.repeat(32);
const JSON_OF = { string: HASH, number: '1', bool: 'true', array: `["${HASH}"]`, object: '{"a":1}', null: 'null' } as const;

/** JSON of a kind that the parameter accepts. */
function argument(param: Param, { options }: Operation): string {
  const kind = kindsOf(param.field, options)[0] ?? 'null';
  return kind === 'string' ? `"${HASH}"` : JSON_OF[kind];
}

function position(each: Position, op: Operation): string {
  if (each.kind === 'param') return argument(each.param, op);
  return `{${each.params.map((param) => `"${param.name}":${argument(param, op)}`).join(',')}}`;
}

/** A call with all arguments, by position and by name. */
function callsOf(op: Operation): string[] {
  const positional = op.signatures[0]?.positions.map((each) => position(each, op)) ?? [];
  const named = op.params.map((param) => `"${param.name}":${argument(param, op)}`);
  return [`[${positional.join(',')}]`, `{${named.join(',')}}`].map((params) => `{"method":"${op.name}","params":${params},"id":1}`);
}

/** Hostile bodies. */
const hostile: readonly (string | Uint8Array)[] = [
  '[{"method":"getblockcount","id":1},{"method":"getblockhash","params":[0],"id":"x"},5,[]]',
  `${'['.repeat(600)}${']'.repeat(600)}`,
  `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`,
  `{"method":"echo","params":[${'['.repeat(500)}${']'.repeat(500)}],"id":1}`,
  `{"method":"setmocktime","params":[${'9'.repeat(400)}],"id":1}`,
  '{"method":"setmocktime","params":[1e999999],"id":-0.0e-0}',
  '{"method":"sendtoaddress","params":["a",0.000000000000000000001],"id":1}',
  '{"method":"getblock","params":["\\u0000\\ud800"],"id":null}',
  '{"method":"__proto__","params":{"__proto__":1,"constructor":2},"id":1}',
  Buffer.from('{"method":"echo","params":["a\0b"],"id":1}'),
  Buffer.from('{"method":"echo","params":["\xff\xc0\x80"],"id":1}', 'latin1'),
  Buffer.from('\ufeff{"method":"getblockcount"}'),
];

function restOf(op: Operation): string[] {
  return op.http.map(({ verb, path, body }) => {
    const url = path.replace(/\{[^}]*\}/g, '1');
    const query = op.params.map((param) => `${param.name}=1`).join('&');
    const members = op.params.map((param) => `"${param.name}":${argument(param, op)}`).join(',');
    return body === '' ? `${verb} ${url}?${query}` : `${verb} ${url}\n{${members}}`;
  });
}

const SAMPLES: Partial<Record<ScalarType, (w: BinaryWriter) => unknown>> = {
  [ScalarType.STRING]: (w) => w.string('text'),
  [ScalarType.BYTES]: (w) => w.bytes(Uint8Array.of(1, 2)),
  [ScalarType.DOUBLE]: (w) => w.double(1.5),
  [ScalarType.FLOAT]: (w) => w.float(1.5),
};

/** Bytes of a message in which every field is set. @param depth messages that may still be nested in it */
function messageBytes(message: DescMessage, depth = 3): Uint8Array {
  const w = new BinaryWriter();
  for (const field of message.fields) writeField(w, field, depth);
  return w.finish();
}

function writeField(w: BinaryWriter, field: DescField, depth: number): void {
  if (field.message || field.fieldKind === 'map') {
    if (depth > 0) w.tag(field.number, WireType.LengthDelimited).bytes(field.message ? messageBytes(field.message, depth - 1) : mapEntry());
    return;
  }
  const scalar = field.scalar ?? ScalarType.INT32;
  const sample = SAMPLES[scalar];
  if (scalar === ScalarType.DOUBLE) w.tag(field.number, WireType.Bit64);
  else if (scalar === ScalarType.FLOAT) w.tag(field.number, WireType.Bit32);
  else w.tag(field.number, sample ? WireType.LengthDelimited : WireType.Varint);
  if (sample) sample(w);
  else w.int32(1);
}

function mapEntry(): Uint8Array {
  return new BinaryWriter().tag(1, WireType.LengthDelimited).string('key').tag(2, WireType.LengthDelimited).string('value').finish();
}

function grpcSeed({ operation }: GrpcMethod, number: number): Uint8Array {
  return Buffer.concat([Uint8Array.of(number >> 8, number & 0xff), messageBytes(operation.input)]);
}

const text = (value: string | Uint8Array): Uint8Array => (typeof value === 'string' ? Buffer.from(value) : value);

/** Every operation over every transport, and hostile requests. */
export const rpcSeeds: readonly (readonly [name: string, seed: Uint8Array])[] = [
  ...catalogue.operations.filter(({ streams }) => !streams).flatMap((op) => callsOf(op).map((call) => ['json-rpc', text(call)] as const)),
  ...hostile.flatMap((body) => [['json-rpc', text(body)] as const, ['json', text(body)] as const]),
  ...catalogue.operations.flatMap((op) => restOf(op).map((request) => ['rest', text(request)] as const)),
  ['rest', text('GET /v1/blocks/%e0%80')],
  ['rest', text('GET /v1/blocks/..%2f..%2f?a.b.c.d=1&a=2&__proto__.x=1')],
  ...grpcMethods.map((method, number) => ['grpc-request', grpcSeed(method, number)] as const),
  ['wallet-path', text('na%20me%zz%ff')],
  ...['tx/', 'block/', 'block/notxdetails/', 'headers/5/'].map((path) => ['reference-rest', text(path + HASH)] as const),
  ['reference-rest', text(`getutxos/checkmempool/${HASH}-0/${HASH}-1`)],
  ['reference-rest', text('blockhashbyheight/5')],
  ['reference-rest', Buffer.concat([text('getutxos\n'), Uint8Array.of(1, 1), new Uint8Array(36)])],
];
