/** Where a list of pools begins. */
export interface PoolPage {
  readonly start?: bigint | undefined;
  readonly includingStart?: boolean | undefined;
}

/** The first pool id that may be listed. */
export function firstPool({ start, includingStart = start === undefined }: PoolPage): number {
  return Number(BigInt.asUintN(32, (start ?? 0n) + (includingStart ? 0n : 1n)));
}
