import type { BlockEvent } from '../context/block-event.js';
import { ignoreRejection } from '../kernel/rejected.js';
import { getVault } from '../vaults/columns.js';
import { interestRates } from './columns.js';
import { increaseInterest } from './interest.js';

/**
 * Recomputes the interest of all loans at the upgrade that makes interest more precise, and at the one that permits negative interest.
 * @see docs/protocol/defi.md 3.6
 */
export const interestMigration: BlockEvent = {
  name: 'interest migration',
  isDue: ({ height, params: { upgrades } }) => height === upgrades.fortCanningHill || height === upgrades.fortCanningGreatWorld,
  run({ view, height, params }) {
    for (const [key] of [...view.entries(interestRates)]) {
      const scheme = getVault(view, key.vaultId)?.scheme ?? '';
      ignoreRejection(() => increaseInterest({ view, height, params }, key, { scheme, added: 0n }));
    }
  },
};
