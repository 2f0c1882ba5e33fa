/** Header time, in seconds since 1970, of the block at a height of the chain being extended; undefined above its tip. */
export type BlockTimeAt = (height: number) => number | undefined;
