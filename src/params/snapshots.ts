import type { NetworkName } from './network.js';

/** Snapshot whose digest was checked for a release. */
interface KnownSnapshot {
  readonly height: number;
  /** Digest as `dfid snapshot export` prints it: of the state, then a plus sign and the digest of the histories. */
  readonly digest: string;
}

/** Snapshots that can be imported without a digest on the command line. */
export const KNOWN_SNAPSHOTS: Readonly<Record<NetworkName, readonly KnownSnapshot[]>> = {
  main: [],
  test: [],
  devnet: [],
  changi: [],
  regtest: [],
};
