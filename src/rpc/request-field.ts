import { ScalarType } from './descriptor-fields.js';
import type { DescMessage } from './descriptors.js';
import { propertyName } from './names.js';
import { integerRange } from './scalars.js';

/** In the shape of gen/ts. */
type Message = Readonly<Record<string, unknown>>;

/**
 * A copy of a request with another value of a field.
 * @param path names of fields with dots
 * @param text of the value, a string or a number
 */
export function withField(desc: DescMessage, request: Message, path: string, text: string): Message {
  const [name, ...rest] = path.split('.');
  const field = desc.fields.find((each) => each.name === name);
  if (!field) throw new Error(`${desc.typeName} has no field ${name}`);
  const property = propertyName(field);
  if (rest.length > 0 && field.message) {
    const inner = withField(field.message, (request[property] ?? {}) as Message, rest.join('.'), text);
    return { ...request, [property]: inner };
  }
  const range = integerRange(field.scalar ?? ScalarType.STRING);
  return { ...request, [property]: !range ? text : range.wide ? BigInt(text) : Number(text) };
}
