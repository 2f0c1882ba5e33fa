import { type IdentifiedMasternode, type Masternode, masternodeByOperator, ownerScript, rewardScript } from '../dfi/masternodes/columns.js';
import type { Hash160 } from '../primitives/hash.js';
import type { StateView } from '../storage/view.js';
import { compareBytes, toHex } from '../util/bytes.js';

/** The registered masternodes of operators, without duplicates, sorted by operator key bytes, then id. */
export function ownMasternodes(state: StateView, operators: readonly Hash160[]): IdentifiedMasternode[] {
  const each = new Map(operators.map((operator) => [toHex(operator), operator]));
  return [...each.values()]
    .map((operator) => masternodeByOperator(state, operator))
    .filter((found) => found !== undefined)
    .sort((a, b) => compareBytes(a.node.operatorKey, b.node.operatorKey) || compareBytes(a.id, b.id));
}

/**
 * Reward script of a masternode: the reward address that its owner set on the chain, else `ownReward`, else the owner's script.
 * @see docs/protocol/chain.md 3.8
 */
export function payoutScript(node: Masternode, ownReward?: Uint8Array): Uint8Array {
  const fixed = rewardScript(node, true);
  return fixed.length > 0 ? fixed : (ownReward ?? ownerScript(node));
}
