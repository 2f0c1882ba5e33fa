import { Anchors } from '../anchors/anchors.js';
import type { RegtestBitcoin } from '../bitcoin/regtest-bitcoin.js';
import type { Chain } from '../chain/chain.js';
import type { OperatorKeys } from './minting.js';
import type { StartParts } from './parts.js';

/** Starts the collection of signatures of anchors. */
export function startAnchors(
  { clock, log }: StartParts,
  { chain, bitcoin, key }: { readonly chain: Chain; readonly bitcoin: RegtestBitcoin | undefined; readonly key: OperatorKeys },
): Anchors {
  return new Anchors({ chain, bitcoin, key, clock, log: log.child('anchors') });
}
