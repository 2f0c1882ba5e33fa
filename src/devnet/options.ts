/**
 * Blocks of a development network: one as soon as a transaction is in the mempool (`tx`), one at an interval in seconds, or only those
 * that a call mints (`off`).
 */
export type MiningMode = 'tx' | 'off' | number;

/** Options of the network of -dev. */
export interface DevOptions {
  readonly mining: MiningMode;
  /** Seconds between two reports of the oracle; 0 for one at the start only. */
  readonly priceSec: number;
  /** Make the world on a new chain. */
  readonly makesWorld: boolean;
}
