import type { Catalogue, Operation } from '../../rpc/catalogue.js';
import type { DescField } from '../../rpc/descriptor-fields.js';
import { wireName } from '../../rpc/names.js';
import type { HttpRoute } from '../../rpc/options.js';
import { pathTemplate } from '../route.js';
import { exampleOf } from './examples.js';
import { type Schema, Schemas } from './schema.js';
import { firstSentence } from './text.js';

const COMPONENTS = '#/components/schemas/';

/** Maximum depth at which members of message parameters become dotted query keys. */
const MAX_QUERY_DEPTH = 3;

/** OpenAPI 3.1 document of the REST routes, as a plain object with members in a fixed order. */
export function openApi(catalogue: Catalogue, version: string): Schema {
  const schemas = new Schemas(catalogue, 'document', COMPONENTS);
  const paths: Record<string, Record<string, Schema>> = {};
  for (const operation of catalogue.operations) {
    for (const [i, route] of operation.http.entries()) {
      const path = documentPath(route.path);
      paths[path] ??= {};
      paths[path][route.verb.toLowerCase()] = pathItem(operation, route, i, schemas, catalogue);
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'DeFiChain node',
      version,
      description: 'Every operation of the node over REST. Amounts are numbers with eight decimals, exact beyond the range of doubles.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The node that serves this document.' }],
    security: [{ basic: [] }],
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      parameters: { Fields: FIELDS },
      securitySchemes: { basic: { type: 'http', scheme: 'basic' } },
      responses: Object.fromEntries(Object.entries(REFUSALS).map(([name, { description }]) => [name, refusal(description)])),
      schemas: { ...schemas.components(), Error: ERROR },
    },
  };
}

/** Answers to calls that fail, by the name of their component. */
const REFUSALS = {
  Invalid: { status: '400', description: 'The arguments are wrong, or the state of the node does not allow the call.' },
  Unauthenticated: { status: '401', description: 'Credentials are missing or wrong.' },
  Forbidden: { status: '403', description: 'These credentials do not permit the operation.' },
  NotFound: { status: '404', description: 'What the call names does not exist.' },
  Overloaded: { status: '429', description: 'The node has too many calls to answer; try again later.' },
  Error: { status: 'default', description: 'The call failed.' },
} as const;

const NAME_OF_WALLET: Schema = {
  type: 'string',
  description:
    'Name of the wallet. `-` is the wallet without a name, which every node starts with; in combination with the header X-Wallet ' +
    'it is the wallet that the header names.',
};

const FIELDS: Schema = {
  name: 'fields',
  in: 'query',
  description:
    'Fields to answer with, all by default: paths with dots, separated by commas. A path continues in the elements of a list or a map.',
  schema: { type: 'string' },
};

const ERROR_INFO: Schema = {
  type: 'object',
  description: 'Kind of the error; each has it.',
  properties: {
    '@type': { type: 'string', const: 'type.googleapis.com/google.rpc.ErrorInfo' },
    reason: { type: 'string' },
    domain: { type: 'string' },
    metadata: { type: 'object', additionalProperties: { type: 'string' }, description: 'jsonrpc_code: the code over JSON-RPC.' },
  },
  required: ['@type', 'reason', 'domain', 'metadata'],
};

const BAD_REQUEST: Schema = {
  type: 'object',
  description: 'The wrong or missing field of the request.',
  properties: {
    '@type': { type: 'string', const: 'type.googleapis.com/google.rpc.BadRequest' },
    fieldViolations: {
      type: 'array',
      items: {
        type: 'object',
        properties: { field: { type: 'string', description: 'Path of the field.' }, description: { type: 'string' } },
        required: ['field', 'description'],
      },
    },
  },
  required: ['@type', 'fieldViolations'],
};

const ERROR: Schema = {
  type: 'object',
  description: 'An error, in the form of google.rpc.Status.',
  properties: {
    code: { type: 'integer', description: 'Code of google.rpc.Code.' },
    message: { type: 'string', description: 'Text of the error as in defid; match the reason instead.' },
    details: { type: 'array', items: { anyOf: [ERROR_INFO, BAD_REQUEST] } },
  },
  required: ['code', 'message', 'details'],
};

function pathItem(operation: Operation, route: HttpRoute, index: number, schemas: Schemas, catalogue: Catalogue): Schema {
  const comment = catalogue.comments.of(operation.descriptor);
  const inPath = pathTemplate(route.path).fields;
  const queried = route.body === '*' ? [] : schemas.fieldsOf(operation.input, 'input').filter((field) => wireName(field) !== route.body);
  const parameters = [
    ...inPath.map((field) => pathParameter(operation, field, schemas)),
    ...queried.flatMap((field) => queryParameters(field, [''], inPath, schemas, MAX_QUERY_DEPTH)),
    ...(operation.streams ? [] : [{ $ref: '#/components/parameters/Fields' }]),
  ];
  return {
    operationId: index === 0 ? operation.name : `${operation.name}_${index + 1}`,
    tags: [operation.category],
    summary: firstSentence(comment),
    description: comment,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBody(operation, route, inPath, schemas),
    responses: {
      200: { description: 'The result', content: resultContent(operation, schemas) },
      ...Object.fromEntries(Object.entries(REFUSALS).map(([name, { status }]) => [status, { $ref: `#/components/responses/${name}` }])),
    },
  };
}

/** Path of a route in OpenAPI: the name of a parameter is the last part of its field path, without a pattern. */
function documentPath(path: string): string {
  return path.replaceAll(/\{([^}=]+)(?:=[^}]*)?\}/g, (_, field: string) => `{${parameterName(field)}}`);
}

/** Field paths have dots, which many OpenAPI tools reject in the name of a parameter. */
function parameterName(field: string): string {
  return field.slice(field.lastIndexOf('.') + 1);
}

/** The data of each event of a stream is a result. */
function resultContent(operation: Operation, schemas: Schemas): Schema {
  const schema = resultSchema(operation, schemas);
  return operation.streams ? { 'text/event-stream': { schema } } : json(schema);
}

function resultSchema(operation: Operation, schemas: Schemas): Schema {
  const schema = schemas.message(operation.output, 'output');
  if (!operation.pages || !schemas.catalogue.options.isInline(operation.output)) return schema;
  const next = { type: 'string', description: 'The `page` of the next request; empty after the last page.' };
  const page = {
    type: 'object',
    description: 'Answer to a request with `page`.',
    properties: { items: schema, next },
    required: ['items', 'next'],
  };
  return { anyOf: [schema, page] };
}

function refusal(description: string): Schema {
  return { description, content: json({ $ref: `${COMPONENTS}Error` }) };
}

function pathParameter(operation: Operation, path: string, schemas: Schemas): Schema {
  const field = fieldAt(operation.input, path);
  const { description, ...schema } = field ? schemas.field(field, 'input') : NAME_OF_WALLET;
  const name = parameterName(path);
  return { name, in: 'path', required: true, ...optional({ description, example: exampleOf(name, schema) }), schema };
}

/** The members that are set. */
function optional(members: Schema): Schema {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function fieldAt(message: Operation['input'], path: string): DescField | undefined {
  const [name = '', ...rest] = path.split('.');
  const field = message.fields.find((each) => wireName(each) === name || each.name === name);
  if (rest.length === 0) return field;
  return field?.fieldKind === 'message' ? fieldAt(field.message, rest.join('.')) : undefined;
}

/** Query parameters of a field: one, or for a plain message one per member with dotted name. */
function queryParameters(
  field: DescField,
  scopes: readonly string[],
  inPath: readonly string[],
  schemas: Schemas,
  depth: number,
): Schema[] {
  // Paths of routes name fields as the proto does, queries as JSON does: `vaultid`, `vaultId`.
  const names = scopes.flatMap((scope) => [scope + wireName(field), scope + field.name]);
  if (inPath.some((path) => names.some((name) => path === name || path.startsWith(`${name}.`)))) return [];
  const [name = ''] = names;
  if (field.fieldKind === 'message' && depth > 0 && isPlain(field.message, schemas)) {
    const inner = names.map((each) => `${each}.`);
    return schemas.fieldsOf(field.message, 'input').flatMap((member) => queryParameters(member, inner, inPath, schemas, depth - 1));
  }
  const { description, ...schema } = schemas.field(field, 'input');
  const required = schemas.isRequired(field);
  const structured = field.fieldKind === 'map' || (field.fieldKind === 'list' && field.listKind === 'message');
  return [
    {
      name,
      in: 'query',
      ...(required ? { required } : {}),
      ...optional({ description, example: structured ? undefined : exampleOf(wireName(field), schema) }),
      ...(structured ? { content: json(schema) } : { schema }),
    },
  ];
}

function isPlain(message: Operation['input'], schemas: Schemas): boolean {
  const { inline, text, tuple } = schemas.catalogue.options.shape(message);
  return !inline && text === '' && !tuple && !message.typeName.startsWith('google.');
}

function requestBody(operation: Operation, route: HttpRoute, inPath: readonly string[], schemas: Schemas): Schema {
  if (route.body === '') return {};
  const fields = schemas
    .fieldsOf(operation.input, 'input')
    .filter((field) => !inPath.includes(field.name) && !inPath.includes(wireName(field)));
  if (route.body === '*' && fields.length === 0) return {};
  if (route.body !== '*') {
    const field = fieldAt(operation.input, route.body);
    return field ? { requestBody: { required: true, content: json(schemas.field(field, 'input')) } } : {};
  }
  const required = fields.some((field) => schemas.isRequired(field));
  const whole = fields.length === operation.input.fields.length;
  const schema = whole ? schemas.message(operation.input, 'input') : schemas.object(fields, 'input');
  return { requestBody: { required, content: json(schema, bodyExample(fields, schemas)) } };
}

/** A body with the required members; undefined if one of them has no example. */
function bodyExample(fields: readonly DescField[], schemas: Schemas): Schema | undefined {
  const members = fields.filter((field) => schemas.isRequired(field)).map((field) => [wireName(field), example(field, schemas)] as const);
  return members.length === 0 || members.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(members);
}

function example(field: DescField, schemas: Schemas): unknown {
  return exampleOf(wireName(field), schemas.field(field, 'input'));
}

function json(schema: Schema, example?: Schema): Schema {
  return { 'application/json': { schema, ...optional({ example }) } };
}
