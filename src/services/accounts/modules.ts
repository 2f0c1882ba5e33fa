import type { Chain } from '../../chain/chain.js';

/** What the Accounts operations need of the node. */
export interface AccountsModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'entryAt' | 'state' | 'snapshot'>;
  /** The history of accounts is kept (`-acindex`). */
  readonly keepsHistory: boolean;
}
