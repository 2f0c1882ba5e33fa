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

/** The Bitcoin chain, or a wallet on it. @throws {NodeError} `invalid-request` if this node has no view of that chain */
export function requireBitcoin<T>({ bitcoin }: { readonly bitcoin: T | undefined }, text = 'spv module disabled'): T {
  if (!bitcoin) throw new NodeError('invalid-request', text);
  return bitcoin;
}
