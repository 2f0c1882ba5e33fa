import type { OutPoint as GivenOutPoint } from '../../../gen/ts/dfi/types/v1/types.js';
import type { OutPoint } from '../../primitives/outpoint.js';
import { rawJson } from '../../rpc/bind.js';
import { asArray, asInteger, asObject, asString, INT32 } from '../../rpc/scalars.js';
import { parseHash } from '../../rpc/shapes.js';
import { invalidParameter } from '../../util/errors.js';
import { JsonNumber, JsonObject, type JsonValue } from '../../util/json.js';

/**
 * Outputs that the caller wants to spend. `defid` reads this argument last: call this after reading all others, so that errors
 * keep their order.
 * @returns undefined if the wallet should choose
 * @throws {NodeError}
 * @see docs/protocol/accounts.md 6.3
 */
export function readInputs(request: { readonly inputs: readonly GivenOutPoint[] }): readonly OutPoint[] | undefined {
  const json = rawJson(request, 'inputs');
  if (json !== undefined) return readListed(listed(json));
  const points = request.inputs.map(({ txid, vout }) => readPoint(txid, vout === undefined ? undefined : new JsonNumber(String(vout))));
  return points.length > 0 ? points : undefined;
}

/** Like {@link readInputs}, from a member of an object that contains all arguments. */
export function readJsonInputs(json: JsonValue): readonly OutPoint[] | undefined {
  return readListed(asArray(json));
}

/**
 * Elements of the argument. Operations that do not check its type take an object for the list of its values, and any other value for
 * an empty list.
 */
function listed(json: JsonValue): readonly JsonValue[] {
  if (json instanceof JsonObject) return json.entries.map(([, value]) => value);
  return Array.isArray(json) ? (json as readonly JsonValue[]) : [];
}

function readListed(inputs: readonly JsonValue[]): readonly OutPoint[] | undefined {
  return inputs.length > 0 ? inputs.map((each) => readPoint(asObject(each).get('txid'), asObject(each).get('vout'))) : undefined;
}

function readPoint(txid: JsonValue | undefined, vout: JsonValue | undefined): OutPoint {
  const hash = parseHash(asString(txid ?? null), 'txid');
  if (!(vout instanceof JsonNumber)) throw invalidParameter('Invalid parameter, missing vout key');
  const index = Number(asInteger(vout, INT32.least, INT32.most));
  if (index < 0) throw invalidParameter('Invalid parameter, vout must be positive');
  return { txid: hash, vout: index };
}
