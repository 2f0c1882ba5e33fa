import type { JsonValue } from '../../util/json.js';
import type { OceanModules } from '../modules.js';
import type { Json } from './json.js';

/** Request of a route. */
export interface OceanRequest {
  /** Values of the parts of the path that the route names, decoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Body of a POST; undefined if it has none. */
  readonly body: JsonValue | undefined;
}

/** Answer of a route, besides errors. */
export type OceanAnswer =
  /** `data` of the envelope; undefined: the member is absent, which clients read as "unknown". */
  | { readonly data: Json | undefined }
  /** A page of a list. */
  | { readonly data: readonly Json[]; readonly next: string | undefined }
  /** JSON text of the whole body, for answers with an envelope of their own. */
  | { readonly body: string };

/** An endpoint of the API. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** Path below the network, with parameters in braces that match one segment or a part of it: `prices/{token}-{currency}`. */
  readonly path: string;
  answer(modules: OceanModules, request: OceanRequest): OceanAnswer | Promise<OceanAnswer>;
}

/** @param path below the network, as `Route.path` */
export function get(path: string, answer: Route['answer']): Route {
  return { method: 'GET', path, answer };
}

/** @param path below the network, as `Route.path` */
export function post(path: string, answer: Route['answer']): Route {
  return { method: 'POST', path, answer };
}
