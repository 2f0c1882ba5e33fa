import type { LimitName } from '../../wire/limits.js';

/**
 * Points for what a peer should not do; at -banscore the connection ends (docs/protocol/chain.md 7.4). Rejected blocks and transactions
 * are scored by who judges them, with the points from here.
 */
export const SCORES = {
  duplicateVersion: 1,
  messageBeforeVersion: 1,
  messageBeforeVerack: 1,
  oversizedAnnouncement: 20,
  /** For every ten thousand announcements beyond those that are remembered. */
  announcementFlood: 20,
  /** For every message with headers beyond the bound of those whose blocks are missing. */
  surplusHeaders: 20,
  nonContinuousHeaders: 20,
  /** For every tenth message of headers that connect to nothing we know. */
  unconnectingHeaders: 20,
  blockTransactionsOutOfRange: 100,
  invalidCompactBlock: 100,
  oversizedFilter: 100,
  bloomWithoutService: 100,
  invalidBlock: 100,
  invalidHeader: 100,
  /** Sent by a peer that we chose: it follows another chain. */
  cachedInvalidBlock: 100,
  missingParent: 10,
  /** For each unrequested block beyond the limit. */
  unrequestedBlock: 20,
  invalidTransaction: 100,
} as const;

/** What a message that names too much costs: points, or the connection, or nothing but being passed over. */
export const OVERSIZE: Readonly<Record<LimitName, number | 'disconnect'>> = {
  addr: SCORES.oversizedAnnouncement,
  inv: SCORES.oversizedAnnouncement,
  getdata: SCORES.oversizedAnnouncement,
  headers: SCORES.oversizedAnnouncement,
  notfound: 0,
  locator: 'disconnect',
  filterBytes: SCORES.oversizedFilter,
  filterElementBytes: SCORES.oversizedFilter,
  userAgentBytes: 0,
  blockPositions: SCORES.invalidCompactBlock,
};
