import type { Json } from './json.js';
import type { PageRequest } from './request.js';
import type { OceanAnswer } from './route.js';

/**
 * A page with the cursor of the next page. A full page has a cursor even at the end of the list; an empty page follows then.
 * @param items all of the page, at most `size`
 * @param cursorOf cursor of the last item, after which the next page begins
 */
export function page<T>(
  items: readonly T[],
  { size }: Pick<PageRequest, 'size'>,
  cursorOf: (last: T) => string,
  show: (item: T) => Json,
): OceanAnswer {
  const last = items.at(-1);
  return { data: items.map(show), next: last !== undefined && items.length === size ? cursorOf(last) : undefined };
}

/**
 * Page of a whole list: the items after the item with the cursor `next`.
 * @returns an empty page if there is none, because the place of that item is unknown
 */
export function pageOfAll<T>(all: readonly T[], request: PageRequest, cursorOf: (item: T) => string, show: (item: T) => Json): OceanAnswer {
  const { size, next } = request;
  const before = next === undefined ? -1 : all.findIndex((item) => cursorOf(item) === next);
  const items = next !== undefined && before < 0 ? [] : all.slice(before + 1, before + 1 + size);
  return page(items, request, cursorOf, show);
}
