const PAGE = Symbol('range for a page');

/** Marks the request of a range that is read for a page: from the start of the list, or from the place of the last element before. */
export function forPage<T extends object>(request: T): T {
  return { ...request, [PAGE]: true };
}

/** True for the request of a range for a page, as opposed to one that the caller chose. */
export function isForPage(request: object): boolean {
  return PAGE in request;
}
