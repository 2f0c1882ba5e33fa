const PREFIX = '/wallet/';

/**
 * Wallet name in a path `/wallet/<name>`, percent-decoded; it may be empty. A `%` without two hex digits after it is kept.
 * @returns undefined for any other path
 * @see docs/protocol/rpc-chain.md 1.1
 */
export function walletOfPath(path: string): string | undefined {
  if (!path.startsWith(PREFIX)) return undefined;
  const name = path.slice(PREFIX.length);
  if (!name.includes('%')) return name;
  const bytes = name.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
