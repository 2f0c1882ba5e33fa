import type { Chain } from '../../chain/chain.js';
import type { CustomTxModules } from '../wallet/custom-tx.js';

/** What the proposal operations need of the node. */
export interface ProposalsModules extends CustomTxModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'state' | 'snapshot' | 'isInitialDownload'>;
  /** -rpc-governance-accept-neutral; undefined where it is not said. */
  readonly acceptsNeutralVotes: boolean | undefined;
}
