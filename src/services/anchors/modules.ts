import type { Anchors } from '../../anchors/anchors.js';
import type { RegtestBitcoin } from '../../bitcoin/regtest-bitcoin.js';
import type { Chain } from '../../chain/chain.js';
import { NodeError } from '../../util/errors.js';

/** Modules for operations on anchors. */
export interface AnchorsModules {
  readonly chain: Pick<Chain, 'params' | 'state' | 'tip' | 'isInitialDownload'>;
  readonly anchors: Anchors;
  /** Undefined on other networks than regtest, and with -spv=0. */
  readonly bitcoin: RegtestBitcoin | undefined;
}

/** @throws {NodeError} `invalid-request` if this node has no view of the Bitcoin chain */
export function requireBitcoin({ bitcoin }: Pick<AnchorsModules, 'bitcoin'>, text = 'spv module disabled'): RegtestBitcoin {
  if (!bitcoin) throw new NodeError('invalid-request', text);
  return bitcoin;
}
