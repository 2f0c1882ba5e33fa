const SYSTEM = 0xdfn << 152n;
const TOKENS = 0xffn << 152n;

/** Contract that lists the others. Addresses are numbers. @see docs/protocol/evm-engine.md 7.1 */
export const REGISTRY: bigint = SYSTEM;
/** Proxy of the contract for transfers between DVM and EVM. */
export const TRANSFER_DOMAIN: bigint = SYSTEM | 1n;
/** Contract with the block counters. */
export const INTRINSICS: bigint = SYSTEM | 2n;
/** Implementation behind the proxy of the transfer domain. */
export const TRANSFER_DOMAIN_V1: bigint = SYSTEM | 3n;
/** Implementation of token contracts from the first EVM block on. */
export const DST20_V1: bigint = SYSTEM | 4n;
/** Implementation of token contracts from DF23 on. */
export const DST20_V2: bigint = SYSTEM | 5n;
/** Implementation of token contracts from DF24 on. */
export const DST20_V3: bigint = SYSTEM | 6n;

/** Number of addresses with reserved code from the first EVM block on. */
const RESERVED_SYSTEM = 0x80;
const RESERVED_TOKENS = 0x400;

/** Address of a token's contract: 0xff, then the id. */
export function tokenAddress(id: number): bigint {
  return TOKENS | BigInt(id);
}

/** Addresses that get reserved code in the first EVM block. */
export function* reservedAddresses(): IterableIterator<bigint> {
  for (let i = 0; i < RESERVED_TOKENS; i++) yield TOKENS | BigInt(i);
  for (let i = 0; i < RESERVED_SYSTEM; i++) yield SYSTEM | BigInt(i);
}
