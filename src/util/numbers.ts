/** Maximum of a signed 64-bit integer. */
export const INT64_MAX = 2n ** 63n - 1n;
/** Minimum of a signed 64-bit integer. */
export const INT64_MIN = -(2n ** 63n);
