import type { DescriptorRange } from '../../../gen/ts/dfi/types/v1/descriptor.js';
import { rawJson } from '../../rpc/bind.js';
import { asInteger } from '../../rpc/scalars.js';
import { invalidParameter } from '../../util/errors.js';
import { JsonNumber, type JsonValue } from '../../util/json.js';
import { INT64_MAX, INT64_MIN } from '../../util/numbers.js';

/** Indexes of a ranged descriptor, both ends included. */
export interface IndexRange {
  readonly first: number;
  readonly last: number;
}

export const NO_RANGE = 'Range must be specified as end or as [begin,end]';
/** Most indexes in one range. */
const MAX_RANGE = 1_000_000n;
/** Indexes are below 2^31: non-hardened BIP32 children. */
const INDEX_LIMIT = 2n ** 31n;

/**
 * The `range` member of a message, by the rules of `defid` (docs/protocol/rpc-chain.md 1.8 and 3.1.26).
 * @returns undefined if the member is missing
 * @throws {NodeError} `invalid-parameter`
 */
export function readRange(owner: { readonly range: DescriptorRange | undefined }): IndexRange | undefined {
  // Over JSON-RPC a value of another type is an invalid range rather than an invalid type; null means no range.
  const json = rawJson(owner, 'range');
  if (json !== undefined) return json === null ? undefined : checkRange(...boundsOfJson(json));
  const form = owner.range?.form;
  if (!form) return undefined;
  return form.$case === 'end' ? checkRange(0n, form.value) : checkRange(...ordered(form.value.bounds));
}

type Bounds = [first: bigint, last: bigint];

function boundsOfJson(json: JsonValue): Bounds {
  if (json instanceof JsonNumber) return [0n, int64(json)];
  const isPair = Array.isArray(json) && json.length === 2 && json.every((each) => each instanceof JsonNumber);
  return ordered(isPair ? json.map(int64) : []);
}

function int64(value: JsonValue): bigint {
  return asInteger(value, INT64_MIN, INT64_MAX);
}

function ordered(bounds: readonly bigint[]): Bounds {
  const [first, last] = bounds;
  if (first === undefined || last === undefined || bounds.length > 2) throw invalidParameter(NO_RANGE);
  if (first > last) throw invalidParameter('Range specified as [begin,end] must not have begin after end');
  return [first, last];
}

function checkRange(first: bigint, last: bigint): IndexRange {
  if (first < 0n) throw invalidParameter('Range should be greater or equal than 0');
  if (last < 0n || last >= INDEX_LIMIT) throw invalidParameter('End of range is too high');
  if (last >= first + MAX_RANGE) throw invalidParameter('Range is too large');
  return { first: Number(first), last: Number(last) };
}
