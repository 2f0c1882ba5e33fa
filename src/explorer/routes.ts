/** A place of the page: `#/tx/<txid>?block=<hash>` has the name `tx`, one argument and one parameter. */
export interface Route {
  readonly name: string;
  readonly argument: string;
  readonly query: URLSearchParams;
}

/** @param hash fragment of the address, with its # */
export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?', 2);
  const slash = path.indexOf('/');
  const [name, argument] = slash < 0 ? [path, ''] : [path.slice(0, slash), path.slice(slash + 1)];
  return { name, argument: decoded(argument), query: new URLSearchParams(query) };
}

/** Text without its percent-encoding; as it is if that is malformed. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param query parameters that are not empty are added */
export function routeTo(name: string, argument = '', query: Readonly<Record<string, string>> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const path = argument === '' ? `/${name}` : `/${name}/${encodeURIComponent(argument)}`;
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
