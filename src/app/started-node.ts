import type { Warnings } from '../chain/warnings.js';
import type { StartedChain } from './chain.js';
import type { StartedMempool } from './mempool.js';
import type { StartedMinting } from './minting.js';
import type { StartedNetwork } from './p2p.js';
import type { StartedWallets } from './wallets.js';

/** Every module of a running node. */
export interface StartedNode extends StartedChain, StartedMempool, StartedMinting, StartedWallets {
  readonly warnings: Warnings;
  readonly network: StartedNetwork;
}
