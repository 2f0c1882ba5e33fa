/** Content of an element; undefined and false are left out. */
export type Child = Node | string | number | undefined | false | readonly Child[];

type Listener = (event: Event) => void;

/** Attributes of an element; those whose name begins with `on` are listeners, and a value of undefined or false leaves one out. */
export type Attributes = Readonly<Record<string, string | boolean | undefined | Listener>>;

/** An element. Texts are never read as HTML: much of what the page shows is chosen by strangers. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  append(element, children);
  return element;
}

function append(parent: Node, child: Child): void {
  if (child === undefined || child === false) return;
  if (isList(child)) for (const each of child) append(parent, each);
  else parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
}

function isList(child: Child): child is readonly Child[] {
  return Array.isArray(child);
}

/** Link to a place of the page: `route` is the part behind the #. */
export function link(route: string, ...children: Child[]): HTMLElement {
  return h('a', { href: `#${route}` }, ...children);
}

/** A table, or a line that says that there is nothing. Headings that end in `#` are of columns of numbers. */
export function table(headings: readonly string[], rows: readonly (readonly Child[])[]): HTMLElement {
  if (rows.length === 0) return h('p', { class: 'none' }, 'None.');
  const classes = headings.map((each) => (each.endsWith('#') ? 'number' : undefined));
  const head = headings.map((each, i) => h('th', { scope: 'col', class: classes[i] }, each.replace(/#$/, '')));
  const body = rows.map((row) =>
    h(
      'tr',
      {},
      row.map((cell, i) => h('td', { class: classes[i] }, cell)),
    ),
  );
  return h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, h('tr', {}, head)), h('tbody', {}, body)));
}

/** Names with their values. Those whose value is empty are left out. */
export function facts(pairs: readonly (readonly [name: string, value: Child])[]): HTMLElement {
  const shown = pairs.filter(([, value]) => value !== undefined && value !== false && value !== '');
  return h(
    'dl',
    {},
    shown.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]),
  );
}

/** A part of a view. */
export function card(...children: Child[]): HTMLElement {
  return h('section', {}, ...children);
}

/** A part of a view with its heading. */
export function section(title: Child, ...children: Child[]): HTMLElement {
  return card(h('h2', {}, title), ...children);
}

/** A failure, which screen readers read out as soon as it is shown. */
export function alert(text: string): HTMLElement {
  return h('p', { class: 'notice', role: 'alert' }, text);
}

/** A text that a stranger chose: its direction of writing does not reach the texts around it. */
export function userText(text: string): Child {
  return text === '' ? undefined : h('bdi', {}, text);
}
