import type { BlockIndexEntry } from '../chain/block-index.js';
import type { Chain } from '../chain/chain.js';
import { isActive } from '../params/network.js';
import { equalBytes } from '../util/bytes.js';
import type { AnchorData } from './auth-message.js';
import { namesBlock, readTeamData } from './team-data.js';

/** The part of the chain that anchors are checked against. */
export type AnchoredChain = Pick<Chain, 'entryAt' | 'params'>;

/**
 * Place of an anchor in the active chain.
 * - `placed`: it commits to `block`, and was signed by the team in force at the height `creation`
 * - `unknown`: the active chain does not reach its blocks
 * - `wrong`: it does not belong to this chain, or commits to another block than its rules demand
 */
export type Placement =
  | { readonly status: 'placed'; readonly block: BlockIndexEntry; readonly creation: number }
  | { readonly status: 'unknown' | 'wrong' };

const WRONG: Placement = { status: 'wrong' };
const UNKNOWN: Placement = { status: 'unknown' };

/** Finds the block of an anchor. @see docs/protocol/chain.md 7.2 */
export function placeAnchor({ height, blockHash, nextTeam }: AnchorData, chain: AnchoredChain): Placement {
  const block = chain.entryAt(height);
  if (!block) return UNKNOWN;
  const team = readTeamData(nextTeam);
  if (!equalBytes(block.hash, blockHash) || !team || team.creation % chain.params.anchor.frequency !== 0) return WRONG;
  const creation = chain.entryAt(team.creation);
  if (!creation) return UNKNOWN;
  if (!namesBlock(team, creation.hash) || anchoredHeight(creation, chain) !== height) return WRONG;
  return { status: 'placed', block, creation: team.creation };
}

/**
 * Height of the block that the team in force at a block anchors: the last at a multiple of the frequency that is as old as the rules demand.
 * 0 or less if there is none.
 */
export function anchoredHeight(creation: BlockIndexEntry, chain: AnchoredChain): number {
  const { params } = chain;
  const { frequency, timeDepth, additionalTimeDepth } = params.anchor;
  const depth = timeDepth + (isActive(params, 'fortCanning', creation.height) ? additionalTimeDepth : 0);
  let height = creation.height - frequency;
  // Times need not rise with heights, so both depths are checked.
  for (const least of [timeDepth, depth]) {
    while (height > 0 && (chain.entryAt(height)?.time ?? 0) + least > creation.time) height -= 1;
  }
  return height > 0 ? height - (height % frequency) : height;
}
