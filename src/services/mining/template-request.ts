import type { TemplateRequest } from '../../../gen/ts/dfi/mining/v1/mining.js';
import { givenJson } from '../../rpc/bind.js';
import { parseHash } from '../../rpc/shapes.js';
import { NodeError } from '../../util/errors.js';
import { JsonNumber, type JsonValue } from '../../util/json.js';
import type { Watched } from './long-poll.js';

/**
 * The members of a template request, each read when its turn comes: over JSON-RPC what a member of the wrong type does depends on the
 * member (docs/protocol/rpc-chain.md 3.2.4).
 */

/** @throws {NodeError} for a mode that is no text */
export function modeOf(request: TemplateRequest): string {
  const json = jsonOf(request, 'mode');
  if (json !== undefined && json !== null && typeof json !== 'string') throw invalidMode();
  return request.mode ?? 'template';
}

export function invalidMode(): NodeError {
  return new NodeError('invalid-parameter', 'Invalid mode');
}

/** The hex of a proposed block. */
export function proposalOf(request: TemplateRequest): string {
  const given = isLazy(request) ? jsonOf(request, 'data') : request.data;
  if (typeof given !== 'string') throw new NodeError('type', 'Missing data String key for proposal');
  return given;
}

/** Rules that the client knows. One that sends no list may send the highest version it knows instead, which must be a whole number. */
export function rulesOf(request: TemplateRequest): ReadonlySet<string> {
  if (!isLazy(request) || Array.isArray(jsonOf(request, 'rules'))) return new Set(request.rules);
  if (jsonOf(request, 'maxversion') instanceof JsonNumber) void request.maxversion;
  return new Set();
}

const HASH_DIGITS = 64;

/**
 * What a long poll waits for a change of; undefined if the client does not want to wait. An id that is no text stands for the present.
 * @param present the tip and the template that are current
 */
export function watchedOf(request: TemplateRequest, present: Watched): Watched | undefined {
  const given = isLazy(request) ? jsonOf(request, 'longpollid') : request.longpollid;
  if (given === undefined || given === null) return undefined;
  if (typeof given !== 'string') return present;
  const tip = parseHash(given.slice(0, HASH_DIGITS), 'longpollid');
  return { tip, poolUpdates: Number.parseInt(given.slice(HASH_DIGITS), 10) || 0 };
}

/** True for requests of JSON-RPC. */
function isLazy(request: TemplateRequest): boolean {
  return givenJson(request) !== undefined;
}

function jsonOf(request: TemplateRequest, member: keyof TemplateRequest): JsonValue | undefined {
  return givenJson(request, member);
}
