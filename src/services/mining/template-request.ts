import type { TemplateRequest } from '../../../gen/ts/dfi/mining/v1/mining.js';
import { HASH_DIGITS } from '../../primitives/hash.js';
import { rawJson } from '../../rpc/bind.js';
import { parseHash } from '../../rpc/shapes.js';
import { invalidParameter, NodeError } from '../../util/errors.js';
import { JsonNumber, type JsonValue } from '../../util/json.js';
import type { Watched } from './long-poll.js';

/**
 * Members of a template request, each read only when needed: over JSON-RPC the effect of a wrong type depends on the member
 * (docs/protocol/rpc-chain.md 3.2.4).
 */

/** Mode of a request, `template` by default. @throws {NodeError} for a mode that is not a string */
export function modeOf(request: TemplateRequest): string {
  const json = jsonOf(request, 'mode');
  if (json !== undefined && json !== null && typeof json !== 'string') throw invalidMode();
  return request.mode ?? 'template';
}

/** Error for an unknown mode. */
export function invalidMode(): NodeError {
  return invalidParameter('Invalid mode');
}

/** Hex of a proposed block. */
export function proposalOf(request: TemplateRequest): string {
  const given = isLazy(request) ? jsonOf(request, 'data') : request.data;
  if (typeof given !== 'string') throw new NodeError('type', 'Missing data String key for proposal');
  return given;
}

/** Rules that the client supports. Instead of a list it may send its highest supported version, which must be an integer. */
export function rulesOf(request: TemplateRequest): ReadonlySet<string> {
  if (!isLazy(request) || Array.isArray(jsonOf(request, 'rules'))) return new Set(request.rules);
  if (jsonOf(request, 'maxversion') instanceof JsonNumber) void request.maxversion;
  return new Set();
}

/**
 * State whose change a long poll waits for; undefined without a long poll. An id that is not a string stands for the present
 * state.
 * @param present state of the current tip and template
 */
export function watchedOf(request: TemplateRequest, present: Watched): Watched | undefined {
  const given = isLazy(request) ? jsonOf(request, 'longpollid') : request.longpollid;
  if (given === undefined || given === null) return undefined;
  if (typeof given !== 'string') return present;
  const tip = parseHash(given.slice(0, HASH_DIGITS), 'longpollid');
  return { tip, poolUpdates: Number.parseInt(given.slice(HASH_DIGITS), 10) || 0 };
}

/** True for requests over JSON-RPC. */
function isLazy(request: TemplateRequest): boolean {
  return rawJson(request) !== undefined;
}

function jsonOf(request: TemplateRequest, member: keyof TemplateRequest): JsonValue | undefined {
  return rawJson(request, member);
}
