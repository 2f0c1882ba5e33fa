/**
 * Release of the reference whose behaviour this node follows: what its clients and peers compare.
 * @see docs/protocol/rpc-chain.md 0, docs/protocol/chain.md 7.1
 */
export const RELEASE = { name: 'DeFiChain', major: 4, minor: 2, revision: 5 } as const;

/** Version of the peer-to-peer protocol that is spoken here. */
export const PROTOCOL_VERSION = 70039;
/** Peers below are turned away. */
export const MIN_PEER_PROTOCOL_VERSION = 70023;
/** Longest user agent, in bytes. */
export const MAX_USER_AGENT = 256;

/** `4.2.5` */
export const RELEASE_VERSION = `${RELEASE.major}.${RELEASE.minor}.${RELEASE.revision}`;
/** `4020500` */
export const RELEASE_NUMBER = RELEASE.major * 1_000_000 + RELEASE.minor * 10_000 + RELEASE.revision * 100;

/** What the node calls itself to peers: name, version and comments (BIP14). */
export function userAgent(comments: readonly string[]): string {
  const remarks = comments.length > 0 ? `(${comments.join('; ')})` : '';
  return `/${RELEASE.name}:${RELEASE_VERSION}${remarks}/`;
}
