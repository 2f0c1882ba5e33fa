import type { Chain } from '../chain/chain.js';
import { isFeatureOn } from '../dfi/attributes/features.js';

/**
 * True if other nodes would accept the next block from this one. A block with EVM commits to the EVM state, which `defid` computes by
 * execution; this node only has the commitment of its EVM ledger, which only nodes of its kind accept, on regtest.
 */
export function canMintNextBlock({ params, state }: Pick<Chain, 'params' | 'state'>): boolean {
  return params.isRegtest || !isFeatureOn(state, 'evm');
}

/** Error text for the log and clients. */
export const NO_EVM_COMMITMENT = 'this version cannot make blocks with an EVM for this network';
