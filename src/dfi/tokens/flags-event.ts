import type { BlockEvent } from '../context/block-event.js';
import { listTokens, TokenFlag, tokens } from './columns.js';

/** Clears flags of all tokens that had no meaning before Bayfront. @see docs/protocol/defi.md 7.5 */
export const tokenFlags: BlockEvent = {
  name: 'token flags before Bayfront',
  isDue: ({ height, params }) => height === params.upgrades.bayfront - 1,
  run({ view }) {
    for (const { id, token } of [...listTokens(view, 1)]) {
      view.put(tokens, id, { ...token, flags: token.flags & ~(TokenFlag.finalized | TokenFlag.poolShare) });
    }
  },
};
