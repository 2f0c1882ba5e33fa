import type { Chain } from '../../chain/chain.js';
import type { DevNetwork } from '../../devnet/dev-network.js';

/** Modules for the control of development networks. */
export interface DevModules {
  readonly chain: Pick<Chain, 'params' | 'state' | 'tip'>;
  /** Undefined on networks that are not for development. */
  readonly devNetwork: DevNetwork | undefined;
}
