/** Flags of a wallet, stored as bits. A program that does not know a flag above bit 31 must not open the wallet. */
export const WalletFlag = {
  avoidReuse: 1n << 0n,
  keyOriginMetadata: 1n << 1n,
  disablePrivateKeys: 1n << 32n,
  blank: 1n << 33n,
} as const;

const UNDERSTOOD = Object.values(WalletFlag).reduce((all, bit) => all | bit, 0n);
const MUST_UNDERSTAND = ~((1n << 32n) - 1n);

/** True if a flag that must be understood is unknown. */
export function hasUnknownFlag(flags: bigint): boolean {
  return (flags & MUST_UNDERSTAND & ~UNDERSTOOD) !== 0n;
}

/** The wallet has a mandatory flag that this version does not know. */
export class UnknownWalletFlag extends Error {
  override name = 'UnknownWalletFlag';
}

/** Names of flags in `setwalletflag`. */
export const FLAG_NAMES: ReadonlyMap<string, bigint> = new Map([
  ['avoid_reuse', WalletFlag.avoidReuse],
  ['blank', WalletFlag.blank],
  ['key_origin_metadata', WalletFlag.keyOriginMetadata],
  ['disable_private_keys', WalletFlag.disablePrivateKeys],
]);
/** Flags that `setwalletflag` may change. */
export const MUTABLE_FLAGS = WalletFlag.avoidReuse;
