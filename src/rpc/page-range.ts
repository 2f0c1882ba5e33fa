const PAGE = Symbol('range for a page');

/** Marks the request of a range that is read for a page: from the start of the list, or from the place of the last element before. */
export function forPage<T extends object>(request: T): T {
  return { ...request, [PAGE]: true };
}

/** True for the request of a range for a page, as opposed to one that the caller chose. */
export function isForPage(request: object): boolean {
  return PAGE in request;
}

const NEEDED = Symbol('elements that a page needs');

/** Elements of a list without ranges that a page needs. */
export interface NeededElements {
  /** Key of the last element of the page before, as texts; undefined for the first page. */
  readonly after: readonly string[] | undefined;
  /** Number of elements behind it, in the order of keys. */
  readonly count: number;
}

/** Marks the request of a whole list that is read for a page. */
export function forElements<T extends object>(request: T, needed: NeededElements): T {
  return { ...request, [NEEDED]: needed };
}

/** Elements that suffice as the answer to a request; undefined if the caller asks for all. */
export function neededElements(request: object): NeededElements | undefined {
  return (request as { readonly [NEEDED]?: NeededElements })[NEEDED];
}
