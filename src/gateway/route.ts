/** A `google.api.http` path template in the syntax of Express 5. */
export interface PathTemplate {
  /** Path with parameters `p0`, `p1`, ... in order. */
  readonly expressPath: string;
  /** Field path of each parameter, e.g. `blockhash` or `hash_or_height.height`. */
  readonly fields: readonly string[];
}

/**
 * Translates a template such as `/v1/blocks/{blockhash}:verify`. A parameter matches one path segment, `{name=**}` the rest of the path.
 * `:`, `*` and brackets outside of parameters are escaped, because they have a meaning in Express.
 */
export function pathTemplate(template: string): PathTemplate {
  const fields: string[] = [];
  const expressPath = template.replace(/\{([^}=]+)(?:=([^}]*))?\}|[:*?+()[\]{}!\\]/g, (text: string, field?: string, pattern?: string) => {
    if (field === undefined) return `\\${text}`;
    fields.push(field);
    return `${pattern === '**' ? '*' : ':'}p${fields.length - 1}`;
  });
  return { expressPath, fields };
}

/** A route of GET requests as {@link PlainRoutes} knows it. */
interface PlainRoute<Route> {
  readonly route: Route;
  readonly pattern: RegExp;
}

/** A path whose text has one meaning: nothing is encoded, no segment is empty. */
const PLAIN_PATH = /^\/v1\/([\w.~-]+)(?:\/[\w.~-]+)*$/;

/**
 * Finds the routes of plain paths, which most requests have. The router of Express tries one route after the other, which takes several
 * times as long as a short call.
 */
export class PlainRoutes<Route> {
  /** By the segment after the version, in order of precedence. */
  readonly #bySegment = new Map<string, PlainRoute<Route>[]>();

  /** @param routes those of GET requests, in order of precedence; the path of each begins with `/v1/` and a segment without a parameter */
  constructor(routes: readonly { readonly path: string; readonly route: Route }[]) {
    for (const { path, route } of routes) {
      const segment = path.split('/')[2] ?? '';
      const known = this.#bySegment.get(segment) ?? [];
      known.push({ route, pattern: patternOf(path) });
      this.#bySegment.set(segment, known);
    }
  }

  /** @returns the route and the values of its parameters; undefined if the router of Express has to look */
  find(path: string): { readonly route: Route; readonly values: readonly string[] } | undefined {
    const segment = PLAIN_PATH.exec(path)?.[1];
    for (const { route, pattern } of (segment === undefined ? undefined : this.#bySegment.get(segment)) ?? []) {
      const match = pattern.exec(path);
      if (match) return { route, values: match.slice(1) };
    }
    return undefined;
  }
}

function patternOf(template: string): RegExp {
  const text = template.replace(/\{[^}=]+(?:=([^}]*))?\}|[.*+?()[\]{}|\\^$]/g, (found: string, pattern?: string) => {
    if (!found.startsWith('{')) return `\\${found}`;
    return pattern === '**' ? '(.+)' : '([^/]+)';
  });
  return new RegExp(`^${text}$`);
}
