/** How far the exchange of blocks and transactions with a peer has come, as answers show it. */
export interface PeerProgress {
  /** Height of the last header that it is known to share; -1 for none. */
  readonly syncedHeaders: number;
  /** Height of the last block in common; -1 for none. */
  readonly syncedBlocks: number;
  /** Heights of the blocks that were asked of it. */
  readonly inFlight: readonly number[];
  /** Satoshis per kB below which it wants to hear of no transaction. */
  readonly minFeeRate: bigint;
}
