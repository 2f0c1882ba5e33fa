import type { Endpoint } from '../wire/net-address.js';
import type { Ip } from './ip.js';

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;
const HORIZON = 30 * DAY;
const RETRIES_WITHOUT_SUCCESS = 3;
const FAILURES_AFTER_SUCCESS = 10;
const SUCCESS_EXPIRES = 7 * DAY;

/** Address of a node. Times are seconds since 1970, 0 for never. */
export interface AddressEntry extends Endpoint {
  services: bigint;
  /** When the node was last known to be online. */
  time: number;
  /** Node that announced the address first. */
  readonly source: Ip;
  lastTry: number;
  lastSuccess: number;
  /** Failed attempts since the last success. */
  attempts: number;
  /** Time of the last counted failure. Only one is counted until the next success with any address, because our own network may be down. */
  lastCounted: number;
  /** The address is in the table of tried addresses: a connection succeeded. */
  tried: boolean;
  /** Number of places in the table of new addresses; 0 for a tried one. */
  places: number;
}

/** Returns true if the address is not worth storing or announcing. */
export function isTerrible(entry: AddressEntry, now: number): boolean {
  if (entry.lastTry > 0 && entry.lastTry >= now - MINUTE) return false;
  if (entry.time > now + 10 * MINUTE) return true;
  if (entry.time === 0 || now - entry.time > HORIZON) return true;
  if (entry.lastSuccess === 0 && entry.attempts >= RETRIES_WITHOUT_SUCCESS) return true;
  return now - entry.lastSuccess > SUCCESS_EXPIRES && entry.attempts >= FAILURES_AFTER_SUCCESS;
}

/** Weight in the random selection: lower soon after an attempt, and with each failure. */
export function chanceOf(entry: AddressEntry, now: number): number {
  const recent = now - entry.lastTry < 10 * MINUTE ? 0.01 : 1;
  return recent * 0.66 ** Math.min(entry.attempts, 8);
}
