import { h } from '../dom.js';
import { type Json, type JsonRecord, listOf, recordOf, textOf } from '../json.js';

/** One field of a form, and the JSON of its value; undefined while it is empty. */
export interface Field {
  /** Of the parameter. */
  readonly name: string;
  readonly element: HTMLElement;
  value(): string | undefined;
}

/** Named parameters of the fields that are filled in. */
export function jsonOfFields(fields: readonly Field[]): string {
  const given = fields.flatMap(({ name, value }) => {
    const json = value();
    return json === undefined ? [] : [`${JSON.stringify(name)}:${json}`];
  });
  return `{${given.join(',')}}`;
}

/** Field of a parameter as OpenRPC describes it; one for each member of an object. */
export function paramField(param: JsonRecord): Field {
  const name = textOf(param.name);
  const schema = recordOf(param.schema);
  const members = Object.entries(recordOf(schema.properties));
  if (members.length === 0) return plainField(name, schema, textOf(param.description), param.required === true);
  const required = new Set(listOf(schema.required).map(textOf));
  const fields = members.map(([key, each]) => {
    const member = recordOf(each);
    return plainField(key, member, textOf(member.description), required.has(key));
  });
  return {
    name,
    element: h(
      'fieldset',
      {},
      h('legend', {}, name),
      fields.map(({ element }) => element),
    ),
    value: () => {
      const json = jsonOfFields(fields);
      return json === '{}' && param.required !== true ? undefined : json;
    },
  };
}

const SECRET = /passphrase|privkey|^key$/i;

function plainField(name: string, schema: JsonRecord, description: string, required: boolean): Field {
  const types = [schema.type ?? []].flat().map((each) => textOf(each as Json));
  const control = controlFor(name, types, textOf(schema.default), required);
  const label = h('label', {}, h('span', {}, name, required && ' *'), control, h('small', {}, description));
  return { name, element: label, value: () => (control.value.trim() === '' ? undefined : jsonOf(control.value.trim(), types)) };
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

function controlFor(name: string, types: readonly string[], preset: string, required: boolean): Control {
  if (types.length === 1 && types[0] === 'boolean') {
    return h(
      'select',
      { name, required },
      ['', 'true', 'false'].map((each) => h('option', { value: each }, each)),
    );
  }
  if (types.some((each) => each === 'array' || each === 'object')) return h('textarea', { name, required, rows: '2', placeholder: 'JSON' });
  return h('input', { name, required, type: SECRET.test(name) ? 'password' : 'text', placeholder: preset, autocomplete: 'off' });
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
