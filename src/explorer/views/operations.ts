import { type Child, h, section } from '../dom.js';
import { indented, type Json, type JsonRecord, listOf, recordOf, textOf } from '../json.js';
import type { NodeClient, RawAnswer } from '../node-client.js';
import type { Page, View } from '../page.js';
import { routeTo } from '../routes.js';

/** Characters of an answer that are shown; more make browsers slow. */
const MAX_SHOWN = 500_000;

/** Operations as the node describes them, loaded once. */
const known = new WeakMap<NodeClient, Promise<readonly JsonRecord[]>>();

function operationsOf(node: NodeClient): Promise<readonly JsonRecord[]> {
  const found = known.get(node) ?? loadOperations(node);
  known.set(node, found);
  // A node that was not ready is asked again.
  found.catch(() => known.delete(node));
  return found;
}

async function loadOperations(node: NodeClient): Promise<readonly JsonRecord[]> {
  const document = await node.call('rpc.discover');
  const access = await node.attempt('getaccess');
  const permitted = new Set(listOf(recordOf(access).methods).map(textOf));
  const all = listOf(recordOf(document).methods).map(recordOf);
  return permitted.size === 0 ? all : all.filter(({ name }) => permitted.has(textOf(name)));
}

export const operations: View = {
  title: 'Operations',
  async render(page, { argument }) {
    const all = await operationsOf(page.node);
    const chosen = all.find(({ name }) => textOf(name) === argument);
    return h(
      'div',
      { class: 'columns' },
      operationList(all, argument),
      chosen ? await operationForm(page, chosen) : introduction(all.length),
    );
  },
};

function introduction(count: number): Child {
  return section(
    'Operations',
    h(
      'p',
      {},
      `${count} operations of this node may be called with these credentials. Choose one, fill in its form, and see the answer as it came.`,
    ),
    h('p', {}, 'Calls are executed at once, also those that spend.'),
  );
}

function operationList(all: readonly JsonRecord[], current: string): Child {
  const groups = new Map<string, string[]>();
  for (const { name, tags } of all) {
    const group = textOf(recordOf(listOf(tags)[0]).name).toLowerCase();
    groups.set(group, [...(groups.get(group) ?? []), textOf(name)]);
  }
  const lists = [...groups.entries()].sort(byName).map(([group, names]) =>
    h(
      'details',
      { open: names.includes(current) },
      h('summary', {}, group),
      h(
        'ul',
        {},
        names.sort().map((name) => operationItem(name, current)),
      ),
    ),
  );
  const filter = h('input', {
    type: 'search',
    placeholder: 'Filter',
    'aria-label': 'Filter operations',
    oninput: () => applyFilter(lists, filter.value),
  });
  return h('nav', { class: 'operations', 'aria-label': 'Operations' }, filter, lists);
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function operationItem(name: string, current: string): Child {
  return h('li', {}, h('a', { href: `#${routeTo('operations', name)}`, 'aria-current': name === current && 'true' }, name));
}

function applyFilter(lists: readonly HTMLDetailsElement[], filter: string): void {
  const wanted = filter.trim().toLowerCase();
  for (const list of lists) {
    const items = [...list.querySelectorAll('li')];
    for (const item of items) item.hidden = !(item.textContent ?? '').toLowerCase().includes(wanted);
    list.hidden = items.every((item) => item.hidden);
    list.open = wanted !== '' && !list.hidden;
  }
}

/** One field of the form, and the JSON of its value; undefined while it is empty. */
interface Field {
  readonly element: HTMLElement;
  value(): string | undefined;
}

async function operationForm({ node }: Page, operation: JsonRecord): Promise<Child> {
  const method = textOf(operation.name);
  const fields = listOf(operation.params).map((each) => paramField(recordOf(each)));
  const wallets = listOf(await node.attempt('listwallets')).map(textOf);
  const wallet = h(
    'select',
    { name: 'wallet' },
    wallets.map((name) => h('option', { value: name }, name === '' ? '(unnamed)' : name)),
  );
  const button = h('button', { type: 'submit' }, 'Call');
  const answer = h('div', { class: 'answer', 'aria-live': 'polite' });
  const call = async (): Promise<void> => {
    const params = jsonOfFields(fields);
    answer.replaceChildren('Waiting for the answer…');
    button.disabled = true; // a second press would spend twice
    answer.replaceChildren(...(await answerOf(node, method, params, wallets.length > 1 ? wallet.value : undefined)));
    button.disabled = false;
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!button.disabled) void call();
  };
  return section(
    method,
    h('p', { class: 'description' }, textOf(operation.description)),
    h(
      'form',
      { onsubmit: submit, autocomplete: 'off' },
      fields.map(({ element }) => element),
      wallets.length > 1 && h('label', {}, h('span', {}, 'Wallet'), wallet),
      button,
    ),
    answer,
  );
}

/** Named parameters of the fields that are filled in. */
function jsonOfFields(fields: readonly (Field & { readonly name: string })[]): string {
  const given = fields.flatMap(({ name, value }) => {
    const json = value();
    return json === undefined ? [] : [`${JSON.stringify(name)}:${json}`];
  });
  return `{${given.join(',')}}`;
}

async function answerOf(node: NodeClient, method: string, params: string, wallet: string | undefined): Promise<Node[]> {
  const started = performance.now();
  let answer: RawAnswer;
  try {
    answer = await node.callRaw(method, params, wallet);
  } catch (error) {
    return [h('p', { class: 'notice' }, (error as Error).message)];
  }
  const cut = answer.text.length > MAX_SHOWN;
  return [
    h(
      'p',
      {},
      `${answer.isError ? 'Refused' : 'Answered'} after ${Math.round(performance.now() - started)} ms${cut ? '; the beginning:' : '.'}`,
    ),
    h('pre', { class: answer.isError && 'error' }, indented(answer.text.slice(0, MAX_SHOWN))),
    h('details', {}, h('summary', {}, 'The call'), h('pre', {}, indented(`{"method":"${method}","params":${params}}`))),
  ];
}

function paramField(param: JsonRecord): Field & { readonly name: string } {
  const name = textOf(param.name);
  const schema = recordOf(param.schema);
  const members = Object.entries(recordOf(schema.properties));
  if (members.length === 0) return { name, ...plainField(name, schema, textOf(param.description), param.required === true) };
  const required = new Set(listOf(schema.required).map(textOf));
  const fields = members.map(([key, each]) => {
    const member = recordOf(each);
    return { name: key, ...plainField(key, member, textOf(member.description), required.has(key)) };
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
  return { element: label, value: () => (control.value.trim() === '' ? undefined : jsonOf(control.value.trim(), types)) };
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
