import { inSlices, type MaybePromise, type Steps } from '../util/slicer.js';
import type { Operation } from './catalogue.js';
import type { DescField } from './descriptor-fields.js';
import type { DescMessage } from './descriptors.js';
import { InvalidField } from './errors.js';
import type { CallContext } from './handler.js';
import { zeroOf } from './lazy.js';
import { LongMap, mapEntries } from './long-map.js';
import { propertyName, wireName } from './names.js';
import type { Options } from './options.js';
import { PARTIAL } from './write.js';

/** Name of the metadata of gRPC, and of the parameter of REST in `FIELDS_PARAMETER`, that select fields of an answer. */
export const FIELDS_METADATA = 'x-fields';
export const FIELDS_PARAMETER = 'fields';

/** Selected fields of a message, each with the selection in its own message; undefined for all of it. */
type Selection = Map<DescField, Selection | undefined>;

/** In the shape of gen/ts. */
type Message = Readonly<Record<string, unknown>>;

/** The fields of an answer that its caller asked for, as `google.protobuf.FieldMask` names them. */
export class FieldMask {
  readonly #selection: Selection;

  /**
   * @param text paths with dots, separated by commas. Lists, maps, and messages that JSON does not show, have no name of their own in a path:
   *   it continues in their elements and members.
   * @throws {InvalidField} for a path that no answer of the operation has
   */
  constructor(
    readonly op: Operation,
    text: string,
  ) {
    this.#selection = new Map();
    for (const path of text.split(',').map((each) => each.trim())) select(this.#selection, op.output, path, op.options);
    if (op.cursorField) this.#selection.set(op.cursorField, undefined);
  }

  /**
   * A copy of an answer without the other fields.
   * @param zeroes set the others to the zeroes of their types, as an encoder of messages expects; JSON omits them
   */
  apply(answer: unknown, zeroes: boolean, call: Pick<CallContext, 'signal'>): MaybePromise<unknown> {
    return inSlices(new Reduction(this.op.options, zeroes).message(this.op.output, answer as Message, this.#selection), call);
  }
}

/** Mask of a call. @param text undefined or empty for all fields @throws {InvalidField} as {@link FieldMask} */
export function fieldMask(op: Operation, text: string | undefined): FieldMask | undefined {
  return text ? new FieldMask(op, text) : undefined;
}

/** Adds a path to a selection. */
function select(selection: Selection, desc: DescMessage, path: string, options: Options): void {
  const [name = '', ...rest] = path.split('.');
  let isKnown = false;
  for (const chain of chainsTo(desc, name, options, [])) {
    let inner: Selection | undefined = selection;
    for (const [i, field] of chain.entries()) {
      const isLast = i === chain.length - 1;
      const known: Selection | undefined = inner?.get(field);
      if (inner?.has(field) && known === undefined) break;
      const isWhole = isLast && rest.length === 0;
      if (!isWhole && !isOpen(field.message, options)) throw unknownPath(path);
      const next: Selection | undefined = isWhole ? undefined : (known ?? new Map());
      inner?.set(field, next);
      if (isLast && next && field.message) select(next, field.message, rest.join('.'), options);
      inner = next;
    }
    isKnown = true;
  }
  if (!isKnown) throw unknownPath(path);
}

function unknownPath(path: string): InvalidField {
  return new InvalidField(FIELDS_PARAMETER, `the answer has no field ${path.slice(0, 100)}`);
}

/** Fields of this name, each with the path of fields without a JSON name that leads to it. A union may have several. */
function chainsTo(desc: DescMessage, name: string, options: Options, above: readonly DescMessage[]): DescField[][] {
  const own = desc.fields.find((field) => wireName(field) === name || field.name === name || field.jsonName === name);
  if (own) return [[own]];
  return desc.fields.flatMap((field) => {
    const { message } = field;
    const isNameless = options.isInline(desc) || options.result(field).flatten;
    if (!isNameless || !message || !isOpen(message, options) || above.includes(message)) return [];
    return chainsTo(message, name, options, [...above, desc]).map((chain) => [field, ...chain]);
  });
}

/** True for a message whose fields are members in JSON, directly or through a union. */
function isOpen(message: DescMessage | undefined, options: Options): message is DescMessage {
  if (!message || message.typeName.startsWith('google.protobuf.')) return false;
  const { text, tuple, member } = options.shape(message);
  return text === '' && !tuple && !member;
}

class Reduction {
  constructor(
    readonly options: Options,
    readonly zeroes: boolean,
  ) {}

  *message(desc: DescMessage, message: Message, selection: Selection): Steps<Message> {
    const reduced: Record<string | symbol, unknown> = {};
    if (!this.zeroes) reduced[PARTIAL] = true;
    // A scalar in place of a message, such as an id in place of an object, has no fields to omit.
    const isInline = this.options.isInline(desc);
    const isKept = (field: DescField): boolean => selection.has(field) || (isInline && !field.message);
    for (const member of desc.members) {
      const name = propertyName(member);
      const value = message[name];
      if (member.kind === 'oneof') {
        const set = value as { readonly $case: string; readonly value: unknown } | undefined;
        const field = set && member.fields.find((each) => propertyName(each) === set.$case);
        reduced[name] = field && isKept(field) ? { ...set, value: yield* this.#field(field, set.value, selection.get(field)) } : undefined;
      } else if (isKept(member)) reduced[name] = yield* this.#field(member, value, selection.get(member));
      else reduced[name] = this.zeroes ? zeroOf(member) : undefined;
    }
    return reduced;
  }

  *#field(field: DescField, value: unknown, selection: Selection | undefined): Steps<unknown> {
    const { message } = field;
    if (!selection || !message || value === undefined || value === null) return value;
    if (field.fieldKind === 'message') return yield* this.message(message, value as Message, selection);
    if (field.fieldKind === 'list') {
      const elements: Message[] = [];
      for (const each of value as readonly Message[]) {
        elements.push(yield* this.message(message, each, selection));
        yield;
      }
      return elements;
    }
    const entries = new LongMap<Message>();
    for (const [key, each] of mapEntries(value)) {
      entries.set(String(key), yield* this.message(message, each as Message, selection));
      yield;
    }
    return entries.inMessage();
  }
}
