import type { Catalogue, Operation, Param, Position } from '../../rpc/catalogue.js';
import { type Schema, Schemas } from './schema.js';
import { firstSentence } from './text.js';

/** OpenRPC 1.3 document of the JSON-RPC operations, the answer of `rpc.discover`. */
export function openRpc(catalogue: Catalogue, version: string): Schema {
  const schemas = new Schemas(catalogue, 'json-rpc', '#/components/schemas/');
  const methods = catalogue.operations.filter((operation) => !operation.streams).map((operation) => describe(operation, schemas));
  return {
    openrpc: '1.3.2',
    info: { title: 'DeFiChain node', version, description: 'Operations over JSON-RPC, with positional or named parameters.' },
    methods,
    components: { schemas: schemas.components() },
  };
}

function describe(operation: Operation, schemas: Schemas): Schema {
  const comment = schemas.catalogue.comments.of(operation.descriptor);
  const [signature] = operation.signatures;
  return {
    name: operation.name,
    tags: [{ name: operation.category }],
    summary: firstSentence(comment),
    description: comment,
    paramStructure: 'either',
    params: (signature?.positions ?? []).map((position) => describePosition(position, schemas)),
    result: { name: 'result', schema: schemas.message(operation.output, 'output') },
  };
}

function describePosition(position: Position, schemas: Schemas): Schema {
  if (position.kind === 'param') return describeParam(position.param, schemas);
  const members = position.params.map((param) => [param.name, schemas.field(param.field, 'input')] as const);
  const required = position.params.filter((param) => param.jsonRpcRequired).map((param) => param.name);
  return {
    name: position.name ?? 'options',
    required: required.length > 0,
    schema: { type: 'object', properties: Object.fromEntries(members), ...(required.length > 0 ? { required } : {}) },
  };
}

function describeParam(param: Param, schemas: Schemas): Schema {
  const { description, ...schema } = schemas.field(param.field, 'input');
  return { name: param.name, required: param.jsonRpcRequired, ...(description === undefined ? {} : { description }), schema };
}
