import { decodeDestination, scriptOf } from '../../script/address.js';
import { EMPTY_BYTES } from '../../util/bytes.js';
import { Accounts } from '../accounts/columns.js';
import type { BlockEvent } from '../context/block-event.js';
import { ignoreRejection } from '../kernel/rejected.js';
import { NULL_SWAPS } from './null-swaps.js';

/** At DF23 refunds pool swaps whose recipient was the empty script. The history does not include it. @see docs/protocol/defi.md 7.5 */
export const nullSwapRefunds: BlockEvent = {
  name: 'refunds of null pool swaps',
  isDue: ({ height, params }) => height === params.upgrades.df23,
  run({ view, params }) {
    const accounts = new Accounts(view);
    for (const { address, ...amount } of NULL_SWAPS) {
      if (!ignoreRejection(() => accounts.sub(EMPTY_BYTES, amount))) continue;
      const destination = decodeDestination(address, params.address);
      // Addresses of main do not decode on other networks; the amount that was debited is lost there.
      if (destination) accounts.add(scriptOf(destination), amount);
    }
  },
};
