/**
 * Release of `defid` whose behaviour this node follows, as reported to clients and peers.
 * @see docs/protocol/rpc-chain.md 0, docs/protocol/chain.md 7.1
 */
export const RELEASE = { name: 'DeFiChain', major: 4, minor: 2, revision: 5 } as const;

/** Own version of the peer-to-peer protocol. */
export const PROTOCOL_VERSION = 70039;
/** Peers of lower versions are disconnected. */
export const MIN_PEER_PROTOCOL_VERSION = 70023;
/** Maximum size of the user agent, bytes. */
export const MAX_USER_AGENT = 256;

/** `4.2.5` */
export const RELEASE_VERSION = `${RELEASE.major}.${RELEASE.minor}.${RELEASE.revision}`;
/** `4020500` */
export const RELEASE_NUMBER = RELEASE.major * 1_000_000 + RELEASE.minor * 10_000 + RELEASE.revision * 100;

/** User agent in `version` messages: name, version and comments (BIP14). */
export function userAgent(comments: readonly string[]): string {
  const remarks = comments.length > 0 ? `(${comments.join('; ')})` : '';
  return `/${RELEASE.name}:${RELEASE_VERSION}${remarks}/`;
}
