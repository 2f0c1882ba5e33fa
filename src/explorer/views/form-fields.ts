import { h } from '../dom.js';
import { isRecord, type Json, type JsonRecord, listOf, recordOf, textOf } from '../json.js';

/** Text in place of a passphrase or a private key. */
const HIDDEN = '"[hidden]"';

/** One field of a form. */
export interface Field {
  /** Name of the parameter. */
  readonly name: string;
  readonly element: HTMLElement;
  /** JSON of its value; undefined while it is empty. @param isShown to hide what is or may contain a passphrase or a private key */
  json(isShown: boolean): string | undefined;
}

/** Schemas of messages by their name, to which other schemas refer. */
export type Components = JsonRecord;

/** Named parameters of the fields that are filled in. @param isShown to hide secrets */
export function jsonOfFields(fields: readonly Field[], isShown = false): string {
  const given = fields.flatMap((field) => {
    const json = field.json(isShown);
    return json === undefined ? [] : [`${JSON.stringify(field.name)}:${json}`];
  });
  return `{${given.join(',')}}`;
}

/** Field of a parameter as OpenRPC describes it; one for each member of an object. */
export function paramField(param: JsonRecord, components: Components): Field {
  const name = textOf(param.name);
  const schema = recordOf(param.schema);
  const members = Object.entries(recordOf(schema.properties));
  if (members.length === 0) return plainField({ name, schema, required: param.required === true }, textOf(param.description), components);
  const required = new Set(listOf(schema.required).map(textOf));
  const fields = members.map(([key, each]) => {
    const member = recordOf(each);
    return plainField({ name: key, schema: member, required: required.has(key) }, textOf(member.description), components);
  });
  const json = (isShown: boolean): string | undefined => {
    const text = jsonOfFields(fields, isShown);
    return text === '{}' && param.required !== true ? undefined : text;
  };
  return {
    name,
    element: h(
      'fieldset',
      {},
      h('legend', {}, name),
      fields.map(({ element }) => element),
    ),
    json,
  };
}

/** True if a value of this form is declared as secret, or a part of it. @param outer names of components that contain it */
function holdsSecret(schema: Json, components: Components, outer: readonly string[] = []): boolean {
  if (Array.isArray(schema)) return schema.some((each: Json) => holdsSecret(each, components, outer));
  if (!isRecord(schema)) return false;
  if (schema.format === 'password') return true;
  const name = textOf(schema.$ref).split('/').at(-1) ?? '';
  if (name !== '') return !outer.includes(name) && holdsSecret(components[name] ?? null, components, [...outer, name]);
  return Object.values(schema).some((each) => holdsSecret(each, components, outer));
}

interface PlainParam {
  readonly name: string;
  readonly schema: JsonRecord;
  readonly required: boolean;
}

function plainField(param: PlainParam, description: string, components: Components): Field {
  const { name, schema, required } = param;
  const types = [schema.type ?? []].flat().map((each) => textOf(each as Json));
  const isSecret = holdsSecret(schema, components);
  const control = controlFor(param, types, isSecret);
  const label = h('label', {}, h('span', {}, name, required && ' *'), control, h('small', {}, description));
  const json = (isShown: boolean): string | undefined => {
    const typed = control.value.trim();
    if (typed === '') return undefined;
    return isShown && isSecret ? HIDDEN : jsonOf(typed, types);
  };
  return { name, element: label, json };
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

function controlFor({ name, schema, required }: PlainParam, types: readonly string[], isSecret: boolean): Control {
  if (types.length === 1 && types[0] === 'boolean') {
    return h(
      'select',
      { name, required },
      ['', 'true', 'false'].map((each) => h('option', { value: each }, each)),
    );
  }
  const usual = { name, required, autocomplete: 'off', spellcheck: 'false' };
  if (types.some((each) => each === 'array' || each === 'object'))
    return h('textarea', { ...usual, rows: '2', placeholder: 'JSON', class: isSecret && 'secret' });
  // Browsers fill saved passwords into fields of passwords in spite of "off".
  if (isSecret) return h('input', { ...usual, type: 'password', autocomplete: 'new-password' });
  return h('input', { ...usual, type: 'text', placeholder: textOf(schema.default) });
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** JSON of what was typed: as it is where that is JSON of an expected type, a string otherwise. */
function jsonOf(typed: string, types: readonly string[]): string {
  const takesNumber = types.some((each) => each === 'number' || each === 'integer');
  if (NUMBER.test(typed) && (takesNumber || types.length === 0)) return typed;
  if (typed === 'true' || typed === 'false') return types.includes('boolean') || types.length === 0 ? typed : JSON.stringify(typed);
  const isStructure = typed.startsWith('{') || typed.startsWith('[');
  return isStructure && (types.length === 0 || types.includes('array') || types.includes('object')) ? typed : JSON.stringify(typed);
}
