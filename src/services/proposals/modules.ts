import type { Chain } from '../../chain/chain.js';
import type { Wallets } from '../../wallet/wallets/manager.js';
import type { CustomTxModules } from '../wallet/spend/custom-tx.js';

/** Modules for the proposal operations. */
export interface ProposalsModules extends CustomTxModules {
  readonly wallets?: Pick<Wallets, 'find' | 'loaded'> | undefined;
  readonly chain: Pick<Chain, 'params' | 'tip' | 'state' | 'snapshot' | 'isInitialDownload'>;
  /** `-rpc-governance-accept-neutral`; undefined if not set. */
  readonly acceptsNeutralVotes: boolean | undefined;
  /** Aborted when the node begins to stop. */
  readonly stopping: AbortSignal;
}
