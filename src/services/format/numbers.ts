/** Eight lower-case hex digits of a 32-bit number, for versions and bits; negative numbers in two's complement. */
export function formatHex32(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}

/** 64 lower-case hex digits of a number below 2^256, for chain work. */
export function formatHex256(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}

/** An unsigned 32-bit height or number of blocks as `defid` shows most of them: from 2^31 on as a negative number. */
export function formatSigned32(value: number): number {
  return value | 0;
}
