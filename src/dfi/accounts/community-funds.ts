import { isActive } from '../../params/network.js';
import { isFeatureOn } from '../attributes/features.js';
import type { BlockEvent } from '../context/block-event.js';
import { Accounts } from './columns.js';
import { addCommunityBalance, communityBalance, setCommunityBalance } from './community-columns.js';

/**
 * Keeps the community development funds where the governance attribute `gov` puts them: in the community account while it is on, in
 * the foundation's account while it is off. The history does not include the move.
 * @see docs/protocol/defi.md 5.5
 */
export const communityFunds: BlockEvent = {
  name: 'community funds',
  isDue: ({ height, params }) => isActive(params, 'grandCentral', height),
  run({ view, params }) {
    const accounts = new Accounts(view);
    const { foundationShare } = params.scripts;
    if (isFeatureOn(view, 'gov')) {
      const amount = accounts.balance(foundationShare, 0);
      accounts.sub(foundationShare, { tokenId: 0, amount });
      addCommunityBalance(view, 'communityDevelopment', amount);
      return;
    }
    const amount = communityBalance(view, 'communityDevelopment');
    if (amount === 0n) return;
    setCommunityBalance(view, 'communityDevelopment', 0n);
    accounts.add(foundationShare, { tokenId: 0, amount });
  },
};
