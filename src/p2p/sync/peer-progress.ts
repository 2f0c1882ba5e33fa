/** State of headers, blocks and fee filter of a peer, for `getpeerinfo`. */
export interface PeerProgress {
  /** Height of the peer's best known header; -1 for none. */
  readonly syncedHeaders: number;
  /** Height of the last block in common; -1 if unknown. */
  readonly syncedBlocks: number;
  /** Heights of the blocks requested from the peer. */
  readonly inFlight: readonly number[];
  /** Lowest fee rate of transactions that the peer wants announced, satoshis per kB. */
  readonly minFeeRate: bigint;
}
