/** Addresses that programs use. */
export const SENDER = 0x5e4de4n;
export const COINBASE = 0xc01bba5en;
/** Account with a balance and no code. */
export const FUNDED = 0xf00dn;
export const EMPTY = 0xe3771n;
export const CONTRACTS = [0xaaaan, 0xbbbbn, 0xccccn] as const;
/** The published precompiled contracts and 0x0a, which is an ordinary account for callers that are no tokens. */
export const PRECOMPILES = Array.from({ length: 10 }, (_, i) => BigInt(i + 1));
export const FAST_PRECOMPILES = [1n, 2n, 3n, 4n, 5n, 5n, 9n, 10n] as const;
export const ADDRESSES: readonly bigint[] = [SENDER, COINBASE, FUNDED, EMPTY, ...CONTRACTS, ...CONTRACTS, ...PRECOMPILES];
