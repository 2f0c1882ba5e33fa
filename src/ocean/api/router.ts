import type { Route } from './route.js';

/** A route that a request meets, with the values of its path. */
export interface Met {
  readonly route: Route;
  readonly path: Readonly<Record<string, string>>;
}

interface Pattern {
  readonly route: Route;
  readonly expression: RegExp;
  readonly names: readonly string[];
  /** Number of parameters: paths with fewer are tried first, so `blocks/highest` comes before `blocks/{id}`. */
  readonly parameters: number;
}

/** Finds routes by method and path. */
export class Router {
  readonly #patterns: readonly Pattern[];

  constructor(routes: readonly Route[]) {
    this.#patterns = routes.map(patternOf).sort((a, b) => a.parameters - b.parameters);
  }

  /** @param path below the network, still encoded, without a slash at either end @returns undefined for an unknown path */
  find(method: string, path: string): Met | undefined {
    for (const { route, expression, names } of this.#patterns) {
      if (route.method !== method) continue;
      const match = expression.exec(path);
      if (!match) continue;
      const values = decoded(match.slice(1));
      if (values) return { route, path: Object.fromEntries(names.map((name, i) => [name, values[i] ?? ''])) };
    }
    return undefined;
  }
}

/** A parameter is as short as possible if text of the same segment follows it: `{token}-{currency}` splits at the first dash. */
function patternOf(route: Route): Pattern {
  const names: string[] = [];
  const source = route.path.replaceAll(/\{(\w+)\}|[^\w{}/-]/g, (found, name: string | undefined) => {
    if (name === undefined) return `\\${found}`;
    names.push(name);
    return '([^/]+?)';
  });
  return { route, expression: new RegExp(`^${source}$`), names, parameters: names.length };
}

/** Text without one level of percent-encoding; undefined if the encoding is malformed. */
function decoded(parts: readonly string[]): string[] | undefined {
  try {
    return parts.map((part) => decodeURIComponent(part));
  } catch {
    return undefined;
  }
}
