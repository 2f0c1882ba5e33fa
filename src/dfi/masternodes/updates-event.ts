import { isActive } from '../../params/network.js';
import { destinationOf } from '../../script/address.js';
import { equalBytes } from '../../util/bytes.js';
import { COLLATERAL_OUTPUT } from '../context/auth.js';
import type { BlockEvent, BlockEventContext } from '../context/block-event.js';
import { masternodeOwners, masternodes, newCollaterals, pendingUpdates } from './columns.js';

/** Applies owner updates, and ends pending updates, at the height that they were stored with. @see docs/protocol/chain.md 9.5 */
export const masternodeUpdates: BlockEvent = {
  name: 'masternode updates',
  isDue: ({ height, params }) => isActive(params, 'grandCentral', height),
  run(context) {
    changeOwners(context);
    endPending(context);
  },
};

function changeOwners({ view, height, coin }: BlockEventContext): void {
  for (const [txid, collateral] of [...view.entries(newCollaterals)]) {
    const node = collateral.height === height ? view.get(masternodes, collateral.masternodeId) : undefined;
    if (!node) continue;
    const out = coin({ txid, vout: COLLATERAL_OUTPUT });
    const owner = out && destinationOf(out.scriptPubKey);
    if (owner?.type !== 'pkh' && owner?.type !== 'wpkh') continue;
    if (equalBytes(owner.hash, node.ownerKey)) continue;
    view.delete(masternodeOwners, node.ownerKey);
    view.put(masternodeOwners, owner.hash, collateral.masternodeId);
    view.put(masternodes, collateral.masternodeId, { ...node, ownerKey: owner.hash, ownerType: owner.type === 'pkh' ? 1 : 4 });
  }
}

function endPending({ view, height }: BlockEventContext): void {
  for (const [owner, at] of [...view.entries(pendingUpdates)]) if (at === height) view.delete(pendingUpdates, owner);
}
