import { badRequest, invalid } from './errors.js';
import type { OceanRequest } from './route.js';

const INTEGER = /^-?\d+$/;
const MAX_DIGITS = 15;

/** Value of a part of the path. */
export function pathText({ path }: OceanRequest, name: string): string {
  const value = path[name];
  if (value === undefined) throw new Error(`the route has no part ${name}`);
  return value;
}

/** @throws {OceanError} if the part is no integer */
export function pathInteger(request: OceanRequest, name: string): number {
  return parseInteger(pathText(request, name));
}

/** Integer of the query. @throws {OceanError} if it is no integer */
export function queryInteger({ query }: OceanRequest, name: string, byDefault: number): number {
  const given = query.get(name);
  return given === null ? byDefault : parseInteger(given);
}

/** @throws {OceanError} if it is neither `true` nor `false` */
export function queryFlag({ query }: OceanRequest, name: string): boolean {
  const given = query.get(name) ?? 'false';
  if (given !== 'true' && given !== 'false') throw badRequest('Validation failed (boolean string is expected)');
  return given === 'true';
}

/** One of several texts, the first by default. @throws {OceanError} for others */
export function queryChoice<T extends string>({ query }: OceanRequest, name: string, choices: readonly [T, ...T[]], byDefault: T): T {
  const given = query.get(name);
  if (given === null) return byDefault;
  const found = choices.find((choice) => choice === given);
  if (found !== undefined) return found;
  throw badRequest(`Invalid query parameter value for ${name}. See the acceptable values: ${choices.join(', ')}`);
}

function parseInteger(text: string): number {
  if (!INTEGER.test(text) || text.length > MAX_DIGITS) throw badRequest('Validation failed (numeric string is expected)');
  return Number(text);
}

/** Part of a list that a client asks for. */
export interface PageRequest {
  /** Maximum number of items. */
  readonly size: number;
  /** Cursor after the page before; undefined for the first page. */
  readonly next: string | undefined;
}

/** Number of items of a page if the client names none. */
const DEFAULT_SIZE = 30;
/** Largest page of most lists. */
const MAX_SIZE = 200;

/**
 * Parses `size` and `next`. @param maxSize larger sizes are taken as this one
 * @throws {OceanError} for a size that is no integer or below 1
 * @see docs/protocol/ocean.md 1.6
 */
export function pageOf({ query }: OceanRequest, maxSize = MAX_SIZE): PageRequest {
  const next = query.get('next') ?? undefined;
  return { size: Math.min(sizeOf(query.get('size')), maxSize), next: next === 'undefined' || next === '' ? undefined : next };
}

function sizeOf(given: string | null): number {
  if (given === null || given === '') return DEFAULT_SIZE;
  const size = Number(given);
  const tooSmall = 'size must not be less than 1';
  if (!Number.isSafeInteger(size))
    throw invalid({ property: 'size', value: given, constraints: [tooSmall, 'size must be an integer number'] });
  if (size < 1) throw invalid({ property: 'size', value: size, constraints: [tooSmall] });
  return size;
}

/** Answer to a cursor that no page of the list can have ended with. */
export function invalidNext(): Error {
  return badRequest('Invalid next token');
}

const MAX_UINT32 = 0xffff_ffff;
/** Highest number that operations accept as the start or the size of a page. */
export const MAX_START = 0x7fff_ffff;

/**
 * Cursor in a list by numeric id. @returns undefined for the first page
 * @throws {OceanError} for a text that is no id, or a higher one than `highest`
 */
export function queryStart({ next }: PageRequest, highest = MAX_UINT32): number | undefined {
  if (next === undefined) return undefined;
  if (!/^\d{1,10}$/.test(next) || Number(next) > highest) throw invalidNext();
  return Number(next);
}
