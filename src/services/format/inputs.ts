import type { OutPoint as GivenOutPoint } from '../../../gen/ts/dfi/types/v1/types.js';
import type { OutPoint } from '../../primitives/outpoint.js';
import { givenJson } from '../../rpc/bind.js';
import { parseHash } from '../../rpc/shapes.js';
import { NodeError } from '../../util/errors.js';
import { JsonNumber } from '../../util/json.js';

/**
 * The outputs that a caller wants to be spent. It is the last argument that the reference reads: read it behind all others.
 * @returns undefined where the wallet is to choose
 * @throws {NodeError}
 * @see spec: accounts 6.3
 */
export function readInputs(request: { readonly inputs: readonly GivenOutPoint[] }, field = 'inputs'): readonly OutPoint[] | undefined {
  const json = givenJson(request, field);
  // What is no list, and may come through where types are not checked, names no output.
  if (json !== undefined && !Array.isArray(json)) return undefined;
  return request.inputs.length > 0 ? request.inputs.map(readInput) : undefined;
}

function readInput(given: GivenOutPoint): OutPoint {
  const { txid: text } = given;
  if (text === undefined) throw new NodeError('json-type', 'JSON value is not a string as expected');
  const txid = parseHash(text, 'txid');
  const isNumber = givenJson(given) === undefined ? given.vout !== undefined : givenJson(given, 'vout') instanceof JsonNumber;
  if (!isNumber) throw new NodeError('invalid-parameter', 'Invalid parameter, missing vout key');
  const { vout = 0 } = given;
  if (vout < 0) throw new NodeError('invalid-parameter', 'Invalid parameter, vout must be positive');
  return { txid, vout };
}
