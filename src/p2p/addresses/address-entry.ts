import type { Endpoint } from '../wire/net-address.js';
import type { Ip } from './ip.js';

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;
const HORIZON = 30 * DAY;
const RETRIES_WITHOUT_SUCCESS = 3;
const FAILURES_AFTER_SUCCESS = 10;
const SUCCESS_EXPIRES = 7 * DAY;

/** A node that is known of. Times are seconds since 1970, 0 for never. */
export interface AddressEntry extends Endpoint {
  services: bigint;
  /** When someone last knew it to be there. */
  time: number;
  /** Who told of it first. */
  readonly source: Ip;
  lastTry: number;
  lastSuccess: number;
  /** Failed since the last success. */
  attempts: number;
  /** When the last failure that counts happened: a node that is offline blames no one twice. */
  lastCounted: number;
  /** A connection succeeded once. */
  tried: boolean;
  /** Places among the addresses not tried; 0 for a tried one. */
  places: number;
}

/** Not worth keeping or passing on. */
export function isTerrible(entry: AddressEntry, now: number): boolean {
  if (entry.lastTry > 0 && entry.lastTry >= now - MINUTE) return false;
  if (entry.time > now + 10 * MINUTE) return true;
  if (entry.time === 0 || now - entry.time > HORIZON) return true;
  if (entry.lastSuccess === 0 && entry.attempts >= RETRIES_WITHOUT_SUCCESS) return true;
  return now - entry.lastSuccess > SUCCESS_EXPIRES && entry.attempts >= FAILURES_AFTER_SUCCESS;
}

/** Weight among the others when one is chosen: lower just after a try, and with each failure. */
export function chanceOf(entry: AddressEntry, now: number): number {
  const recent = now - entry.lastTry < 10 * MINUTE ? 0.01 : 1;
  return recent * 0.66 ** Math.min(entry.attempts, 8);
}
