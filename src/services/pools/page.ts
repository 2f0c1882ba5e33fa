/** Start of a list of pools. */
export interface PoolPage {
  readonly start?: bigint | undefined;
  readonly includingStart?: boolean | undefined;
}

/** Lowest pool id to list. */
export function firstPool({ start, includingStart = start === undefined }: PoolPage): number {
  return Number(BigInt.asUintN(32, (start ?? 0n) + (includingStart ? 0n : 1n)));
}
