const PREFIX = '/wallet/';

/**
 * Wallet name in a path `/wallet/<name>`, percent-decoded; it may be empty. A `%` without two hex digits after it is kept. As for `defid`,
 * the name ends at a NUL.
 * @returns undefined for any other path
 * @see docs/protocol/rpc-chain.md 1.1
 */
export function walletOfPath(path: string): string | undefined {
  if (!path.startsWith(PREFIX)) return undefined;
  const name = path.slice(PREFIX.length);
  if (!name.includes('%')) return name;
  const bytes = name.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes.replace(/\0.*/s, ''), 'latin1').toString('utf8');
}

/** Segment of a REST path that leaves the name of the wallet to the header `X-Wallet`. */
const UNNAMED = '-';

/**
 * Wallet of a REST call: the one that the path `/v1/wallets/{wallet}/...` names, otherwise the one of the header `X-Wallet`. The segment
 * `-` is for wallets whose name no path can contain: without the header it is the wallet that every node starts with, whose name is empty.
 * @param segment decoded; undefined if the path names no wallet
 * @returns undefined if the request names no wallet
 */
export function restWallet(segment: string | undefined, header: string | string[] | undefined): string | undefined {
  const named = typeof header === 'string' ? header : undefined;
  return segment === UNNAMED ? (named ?? '') : (segment ?? named);
}
