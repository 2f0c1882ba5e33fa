/** Times of the blocks of the chain being extended, in seconds since 1970; undefined above its tip. */
export type BlockTimeAt = (height: number) => number | undefined;
