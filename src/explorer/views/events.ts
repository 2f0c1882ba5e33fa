import { EVENT_KINDS } from '../../util/event-kinds.js';
import { type Child, h, link, section, userText } from '../dom.js';
import { short, amount as shownAmount } from '../format.js';
import { isRecord, type Json, type JsonRecord, listOf, recordOf, textOf } from '../json.js';
import { kindOf } from '../live.js';
import type { Page, View } from '../page.js';
import { routeTo } from '../routes.js';
import { placeLink, tokenAmount } from './parts.js';

const SHOWN = 200;
/** Events of this time are added to a list together: a node that synchronises sends thousands a second. */
const GATHERED_MS = 200;

export const events: View = {
  title: 'Events',
  async render(page, { query }) {
    const kind = query.get('kind') ?? '';
    const shows = (event: JsonRecord): boolean => kind === '' || snakeCase(kindOf(event)) === kind;
    const choices = ['', ...EVENT_KINDS].map((each) =>
      h('a', { href: `#${routeTo('events', '', { kind: each })}`, 'aria-current': each === kind && 'true' }, each === '' ? 'all' : each),
    );
    return section('Events since this page was opened', h('p', { class: 'choices' }, choices), eventList(page, SHOWN, shows));
  },
};

/** List of the events until now and those that come, newest first. @param size maximum of lines */
export function eventList(
  { live, onLeave }: Pick<Page, 'live' | 'onLeave'>,
  size: number,
  shows: (event: JsonRecord) => boolean = () => true,
): HTMLElement {
  const list = h('ol', { class: 'events' }, live.events.filter(shows).slice(0, size).map(eventLine));
  let gathered: JsonRecord[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const add = (): void => {
    timer = undefined;
    list.prepend(...gathered.map(eventLine));
    gathered = [];
    while (list.childElementCount > size) list.lastElementChild?.remove();
  };
  const unsubscribe = live.subscribe((event) => {
    if (!shows(event)) return;
    gathered.unshift(event);
    gathered.length = Math.min(gathered.length, size);
    timer ??= setTimeout(add, GATHERED_MS);
  });
  onLeave(() => {
    unsubscribe();
    clearTimeout(timer);
  });
  return list;
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** One line: kind, height, and what happened in short. */
function eventLine(event: JsonRecord): HTMLElement {
  const kind = kindOf(event);
  const { undone, height, blockhash } = event;
  return h(
    'li',
    { class: undone === true && 'undone' },
    h('b', {}, snakeCase(kind)),
    undone === true && ' undone',
    height !== undefined && [' ', link(routeTo('block', textOf(blockhash) || textOf(height)), shownAmount(textOf(height)))],
    ' ',
    summary(recordOf(event[kind])),
  );
}

/** Members that have a value, with it. */
function summary(members: JsonRecord): Child {
  const shown = Object.entries(members).filter(([, value]) => !isEmpty(value));
  return separated(shown.map(([name, value]) => [h('span', { class: 'name' }, name), ' ', brief(name, value)]));
}

function brief(name: string, value: Json): Child {
  if (isRecord(value)) return amountIn(value) ?? ['(', summary(value), ')'];
  const items = listOf(value);
  if (items.length > 0) return separated(items.map((each) => brief(name, each)));
  const text = textOf(value);
  return placeLink(name, text) ?? userText(short(text));
}

/** An amount of a token, if the record is one. */
function amountIn({ token, amount, ...others }: JsonRecord): Child {
  return token !== undefined && amount !== undefined && Object.keys(others).length === 0
    ? tokenAmount(`${textOf(amount)}@${textOf(token)}`)
    : undefined;
}

function isEmpty(value: Json): boolean {
  return ['', '[]', '{}'].includes(textOf(value));
}

function separated(parts: readonly Child[]): Child {
  return parts.map((each, i) => [i > 0 && ', ', each]);
}
