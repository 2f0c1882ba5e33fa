import { rawJson } from '../../rpc/bind.js';
import { asArray, asString } from '../../rpc/scalars.js';

/**
 * Texts of a list argument. As in `defid`, each is checked when it is read, so an error about an earlier text takes precedence.
 * @throws {NodeError} `json-type` if it is no list, null excepted
 */
export function textsOf<Field extends string>(request: { readonly [field in Field]: readonly string[] }, field: Field): Iterable<string> {
  const json = rawJson(request, field) ?? null;
  return json === null ? request[field] : eachText(asArray(json));
}

function* eachText(list: ReturnType<typeof asArray>): Generator<string> {
  for (const each of list) yield asString(each);
}
