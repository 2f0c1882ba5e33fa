import type { LimitName } from '../../wire/limits.js';

/**
 * Points for violations of the protocol; at -banscore the peer is banned (docs/protocol/chain.md 7.4).
 */
export const SCORES = {
  duplicateVersion: 1,
  messageBeforeVersion: 1,
  messageBeforeVerack: 1,
  oversizedAnnouncement: 20,
  /** For every ten thousand announcements beyond the limit. */
  announcementFlood: 20,
  /** For every message with headers beyond the limit of headers without blocks. */
  surplusHeaders: 20,
  nonContinuousHeaders: 20,
  /** For every tenth message of headers that do not connect to a known header. */
  unconnectingHeaders: 20,
  blockTransactionsOutOfRange: 100,
  invalidCompactBlock: 100,
  oversizedFilter: 100,
  bloomWithoutService: 100,
  invalidBlock: 100,
  invalidHeader: 100,
  /** For outbound peers, which must not be on another chain. */
  cachedInvalidBlock: 100,
  missingParent: 10,
  /** For each unrequested block beyond the limit. */
  unrequestedBlock: 20,
  invalidTransaction: 100,
} as const;

/** Penalty for a message above a limit: points, disconnection, none for a message that counts as malformed, or 0 if it is only ignored. */
export const OVERSIZE: Readonly<Record<LimitName, number | 'disconnect' | 'malformed'>> = {
  addr: SCORES.oversizedAnnouncement,
  inv: SCORES.oversizedAnnouncement,
  getdata: SCORES.oversizedAnnouncement,
  headers: SCORES.oversizedAnnouncement,
  notfound: 0,
  locator: 'disconnect',
  filterBytes: SCORES.oversizedFilter,
  filterElementBytes: SCORES.oversizedFilter,
  userAgentBytes: 'malformed',
  // More positions than 16 bits have overflow them, which `defid` notices when it decodes.
  blockPositions: 'malformed',
};
