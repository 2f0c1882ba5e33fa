import type { OutPoint as GivenOutPoint } from '../../../gen/ts/dfi/types/v1/types.js';
import type { OutPoint } from '../../primitives/outpoint.js';
import { rawJson } from '../../rpc/bind.js';
import { asArray, asInteger, asObject, asString, INT32 } from '../../rpc/scalars.js';
import { parseHash } from '../../rpc/shapes.js';
import { invalidParameter } from '../../util/errors.js';
import { JsonNumber, type JsonValue } from '../../util/json.js';

/**
 * Outputs that the caller wants to spend. `defid` reads this argument last: call this after reading all others, so that errors
 * keep their order.
 * @returns undefined if the wallet should choose
 * @throws {NodeError}
 * @see docs/protocol/accounts.md 6.3
 */
export function readInputs(request: { readonly inputs: readonly GivenOutPoint[] }): readonly OutPoint[] | undefined {
  const json = rawJson(request, 'inputs');
  // A value that is no list can get here from operations without type checks; it is ignored.
  if (json !== undefined && !Array.isArray(json)) return undefined;
  return request.inputs.length > 0 ? request.inputs.map(readInput) : undefined;
}

/** Like {@link readInputs}, from a member of an object that contains all arguments. */
export function readJsonInputs(json: JsonValue): readonly OutPoint[] | undefined {
  const inputs = asArray(json);
  return inputs.length > 0 ? inputs.map((each) => readPoint(asObject(each).get('txid'), asObject(each).get('vout'))) : undefined;
}

function readInput(given: GivenOutPoint): OutPoint {
  const isJson = rawJson(given) !== undefined;
  const vout = given.vout === undefined ? undefined : new JsonNumber(String(given.vout));
  return isJson ? readPoint(rawJson(given, 'txid'), rawJson(given, 'vout')) : readPoint(given.txid, vout);
}

function readPoint(txid: JsonValue | undefined, vout: JsonValue | undefined): OutPoint {
  const hash = parseHash(asString(txid ?? null), 'txid');
  if (!(vout instanceof JsonNumber)) throw invalidParameter('Invalid parameter, missing vout key');
  const index = Number(asInteger(vout, INT32.least, INT32.most));
  if (index < 0) throw invalidParameter('Invalid parameter, vout must be positive');
  return { txid: hash, vout: index };
}
