import type { Chain } from '../chain/chain.js';
import { isFeatureOn } from '../dfi/attributes/features.js';

/**
 * Whether other nodes can take the next block if this one makes it. A block with an EVM commits to what happened there, and only nodes
 * of this kind know the commitment of a ledger: those are alone on regtest.
 */
export function canMakeNextBlock({ params, state }: Pick<Chain, 'params' | 'state'>): boolean {
  return params.isRegtest || !isFeatureOn(state, 'evm');
}

export const CANNOT_COMMIT = 'this version cannot make blocks with an EVM for this network';
