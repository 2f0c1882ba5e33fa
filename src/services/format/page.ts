import type { HeightSpan } from '../../dfi/vaults/history-queries.js';
import { rawJson } from '../../rpc/bind.js';
import { NodeError } from '../../util/errors.js';

/** Entries on a page if the request does not say. */
const DEFAULT_LIMIT = 100;
/** Largest unsigned 32-bit number: no bound. */
export const UNBOUNDED = 0xffffffff;

/** Lower 32 bits of a number, unsigned, as `defid` reads many arguments; undefined if it is missing. */
export function lowerUint32(value: bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(BigInt.asUintN(32, value));
}

interface HeightRequest {
  readonly maxblockheight?: bigint | undefined;
  readonly depth?: bigint | undefined;
}

/** Heights of a listing: from `maxblockheight` or the tip down by `depth` blocks, by default to the genesis block. @param tip height */
export function heightSpan(request: HeightRequest, tip: number): HeightSpan {
  const highest = Math.min(lowerUint32(request.maxblockheight) ?? UNBOUNDED, tip);
  const depth = Math.min(lowerUint32(request.depth) ?? UNBOUNDED, highest);
  return { highest, lowest: highest - depth };
}

interface IdPage {
  readonly start?: bigint | undefined;
  readonly includingStart?: boolean | undefined;
}

/**
 * True if a page contains the entry at its start. A list without a start begins with its first entry, although the operations document
 * excludes the start by default; only JSON-RPC leaves the first entry out on request, as `defid` does.
 */
export function includesStart(request: { readonly start?: unknown; readonly includingStart?: boolean | undefined }): boolean {
  const { start, includingStart } = request;
  if (start === undefined && rawJson(request, 'includingStart') === undefined) return true;
  return includingStart ?? start === undefined;
}

/**
 * Lowest id on a page: `start`, or the one after it unless the page includes its start, in unsigned 32 bits as in `defid`.
 * @throws {NodeError} `json-type` for a start that does not fit into 32 bits with a sign
 */
export function firstId({ start, includingStart = start === undefined }: IdPage): number {
  if (start !== undefined && BigInt.asIntN(32, start) !== start) throw new NodeError('json-type', 'JSON integer out of range');
  return lowestId(start, includingStart);
}

/** Lowest id on a page. Only the lower 32 bits of the start count. */
export function lowestId(start: bigint | undefined, includesStart: boolean): number {
  return Number(BigInt.asUintN(32, (start ?? 0n) + (includesStart ? 0n : 1n)));
}

/** Number of entries on a page, 100 by default. 0 means no limit; negative numbers wrap to large ones of 64 bits, as in `defid`. */
export function pageLimit(limit: bigint | undefined): number {
  const wrapped = limit === undefined ? DEFAULT_LIMIT : Number(BigInt.asUintN(64, limit));
  return wrapped === 0 ? Number.POSITIVE_INFINITY : wrapped;
}

/** Number of records of a history, 100 by default. `defid` keeps its lower 32 bits, and 0 means the largest such number. */
export function historyLimit(limit: bigint | undefined): number {
  return (lowerUint32(limit) ?? DEFAULT_LIMIT) || UNBOUNDED;
}
