import type { Catalogue, Operation } from '../../rpc/catalogue.js';
import type { DescField } from '../../rpc/descriptor-fields.js';
import { wireName } from '../../rpc/names.js';
import type { HttpRoute } from '../../rpc/options.js';
import { pathTemplate } from '../route.js';
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
      const path = route.path.replaceAll(/\{([^}=]+)=[^}]*\}/g, '{$1}');
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
    },
    security: [{ basic: [] }],
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: { basic: { type: 'http', scheme: 'basic' } },
      responses: { Error: { description: 'What went wrong', content: json({ $ref: `${COMPONENTS}Error` }) } },
      schemas: { ...schemas.components(), Error: ERROR },
    },
  };
}

const ERROR: Schema = {
  type: 'object',
  description: 'An error, in the form of google.rpc.Status.',
  properties: {
    code: { type: 'integer', description: 'Code of google.rpc.Code.' },
    message: { type: 'string', description: 'Text of the error as in defid; match the reason instead.' },
    details: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          '@type': { type: 'string', const: 'type.googleapis.com/google.rpc.ErrorInfo' },
          reason: { type: 'string' },
          domain: { type: 'string' },
          metadata: { type: 'object', additionalProperties: { type: 'string' }, description: 'jsonrpc_code: the code over JSON-RPC.' },
        },
      },
    },
  },
  required: ['code', 'message', 'details'],
};

function pathItem(operation: Operation, route: HttpRoute, index: number, schemas: Schemas, catalogue: Catalogue): Schema {
  const comment = catalogue.comments.of(operation.descriptor);
  const inPath = pathTemplate(route.path).fields;
  const queried = route.body === '*' ? [] : schemas.fieldsOf(operation.input, 'input').filter((field) => wireName(field) !== route.body);
  const parameters = [
    ...inPath.map((field) => pathParameter(operation, field, schemas)),
    ...queried.flatMap((field) => queryParameters(field, '', inPath, schemas, MAX_QUERY_DEPTH)),
  ];
  return {
    operationId: index === 0 ? operation.name : `${operation.name}_${index + 1}`,
    tags: [operation.category],
    summary: firstSentence(comment),
    description: comment,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBody(operation, route, inPath, schemas),
    responses: {
      200: { description: 'The result', content: json(schemas.message(operation.output, 'output')) },
      default: { $ref: '#/components/responses/Error' },
    },
  };
}

function pathParameter(operation: Operation, path: string, schemas: Schemas): Schema {
  const field = fieldAt(operation.input, path);
  const schema = field ? schemas.field(field, 'input') : { type: 'string', description: 'Name of the wallet.' };
  const { description, ...rest } = schema;
  return { name: path, in: 'path', required: true, ...(description === undefined ? {} : { description }), schema: rest };
}

function fieldAt(message: Operation['input'], path: string): DescField | undefined {
  const [name = '', ...rest] = path.split('.');
  const field = message.fields.find((each) => wireName(each) === name || each.name === name);
  if (rest.length === 0) return field;
  return field?.fieldKind === 'message' ? fieldAt(field.message, rest.join('.')) : undefined;
}

/** Query parameters of a field: one, or for a plain message one per member with dotted name. */
function queryParameters(field: DescField, scope: string, inPath: readonly string[], schemas: Schemas, depth: number): Schema[] {
  const name = scope + wireName(field);
  if (inPath.some((path) => path === name || path.startsWith(`${name}.`))) return [];
  if (field.fieldKind === 'message' && depth > 0 && isPlain(field.message, schemas)) {
    return schemas.fieldsOf(field.message, 'input').flatMap((member) => queryParameters(member, `${name}.`, inPath, schemas, depth - 1));
  }
  const { description, ...schema } = schemas.field(field, 'input');
  const required = schemas.isRequired(field);
  const structured = field.fieldKind === 'map' || (field.fieldKind === 'list' && field.listKind === 'message');
  return [
    {
      name,
      in: 'query',
      ...(required ? { required } : {}),
      ...(description === undefined ? {} : { description }),
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
  return { requestBody: { required, content: json(schema) } };
}

function json(schema: Schema): Schema {
  return { 'application/json': { schema } };
}
