import { alert, type Child, card, h } from '../dom.js';
import { indented, type JsonRecord, listOf, recordOf, textOf } from '../json.js';
import type { NodeClient, RawAnswer } from '../node-client.js';
import type { Page, View } from '../page.js';
import { routeTo } from '../routes.js';
import { type Components, jsonOfFields, paramField } from './form-fields.js';

/** Characters of an answer that are shown; more make browsers slow. */
const MAX_SHOWN = 500_000;

/** Operations as the node describes them, and the messages that they refer to. */
interface Described {
  readonly all: readonly JsonRecord[];
  readonly components: Components;
}

/** Descriptions of operations, loaded once. */
const known = new WeakMap<NodeClient, Promise<Described>>();

function operationsOf(node: NodeClient): Promise<Described> {
  const found = known.get(node) ?? loadOperations(node);
  known.set(node, found);
  // A node that was not ready is asked again.
  found.catch(() => known.delete(node));
  return found;
}

async function loadOperations(node: NodeClient): Promise<Described> {
  const document = recordOf(await node.call('rpc.discover'));
  const access = await node.attempt('getaccess');
  const permitted = new Set(listOf(recordOf(access).methods).map(textOf));
  const all = listOf(document.methods).map(recordOf);
  return {
    all: permitted.size === 0 ? all : all.filter(({ name }) => permitted.has(textOf(name))),
    components: recordOf(recordOf(document.components).schemas),
  };
}

export const operations: View = {
  title: 'Operations',
  async render(page, { argument }) {
    const { all, components } = await operationsOf(page.node);
    const chosen = all.find(({ name }) => textOf(name) === argument);
    return h(
      'div',
      { class: 'columns' },
      operationList(all, argument),
      chosen ? await operationForm(page, chosen, components) : introduction(all.length),
    );
  },
};

function introduction(count: number): Child {
  return card(
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

async function operationForm({ node, entitle }: Page, operation: JsonRecord, components: Components): Promise<Child> {
  const method = textOf(operation.name);
  entitle('Operation', method);
  const fields = listOf(operation.params).map((each) => paramField(recordOf(each), components));
  const wallets = listOf(await node.attempt('listwallets')).map(textOf);
  const wallet = h(
    'select',
    { name: 'wallet' },
    wallets.map((name) => h('option', { value: name }, name === '' ? '(unnamed)' : name)),
  );
  const button = h('button', { type: 'submit' }, 'Call');
  const answer = h('div', { class: 'answer', 'aria-live': 'polite' });
  const send = async (): Promise<void> => {
    const call = { method, params: jsonOfFields(fields), shown: jsonOfFields(fields, true) };
    answer.replaceChildren('Waiting for the answer…');
    button.disabled = true; // a second press would spend twice
    answer.replaceChildren(...(await answerOf(node, call, wallets.length > 1 ? wallet.value : undefined)));
    button.disabled = false;
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!button.disabled) void send();
  };
  return card(
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

/** A call of an operation. */
interface OperationCall {
  readonly method: string;
  /** JSON of the parameters. */
  readonly params: string;
  /** JSON of the parameters as the page shows it, without passphrases and private keys. */
  readonly shown: string;
}

async function answerOf(node: NodeClient, { method, params, shown }: OperationCall, wallet: string | undefined): Promise<Node[]> {
  const started = performance.now();
  let answer: RawAnswer;
  try {
    answer = await node.callRaw(method, params, wallet);
  } catch (error) {
    return [alert((error as Error).message)];
  }
  const cut = answer.text.length > MAX_SHOWN;
  return [
    h(
      'p',
      {},
      `${answer.isError ? 'Refused' : 'Answered'} after ${Math.round(performance.now() - started)} ms${cut ? '; the beginning:' : '.'}`,
    ),
    h('pre', { class: answer.isError && 'error' }, indented(answer.text.slice(0, MAX_SHOWN))),
    h('details', {}, h('summary', {}, 'The call'), h('pre', {}, indented(`{"method":"${method}","params":${shown}}`))),
  ];
}
