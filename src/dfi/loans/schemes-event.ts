import { isActive } from '../../params/network.js';
import type { Hash256 } from '../../primitives/hash.js';
import type { StateView } from '../../storage/view.js';
import type { BlockEvent, BlockEventContext } from '../context/block-event.js';
import { listVaults, putVault, type Vault } from '../vaults/columns.js';
import { defaultScheme, deleteLoanScheme, endingSchemes, getLoanScheme, loanSchemes, pendingSchemes } from './scheme-columns.js';

/** Changes and destroys schemes at their heights. The stored interest of loans stays unchanged. @see docs/protocol/defi.md 3.13 */
export const loanSchemeChanges: BlockEvent = {
  name: 'loan schemes',
  isDue: ({ height, params }) => isActive(params, 'fortCanning', height),
  run(context) {
    change(context);
    end(context);
  },
};

function change({ view, height }: BlockEventContext): void {
  for (const [key, scheme] of [...view.entries(pendingSchemes)]) {
    if (key.height !== BigInt(height)) continue;
    if (getLoanScheme(view, key.id)) view.put(loanSchemes, key.id, scheme);
    view.delete(pendingSchemes, key);
  }
}

function end({ view, height }: BlockEventContext): void {
  const ending = [...view.entries(endingSchemes)].filter(([, at]) => at === BigInt(height)).map(([id]) => id);
  if (ending.length === 0) return;
  for (const id of ending) {
    deleteLoanScheme(view, id);
    view.delete(endingSchemes, id);
  }
  const fallback = defaultScheme(view);
  if (fallback === undefined) return;
  for (const [vaultId, vault] of vaultsWithoutScheme(view)) putVault(view, vaultId, { ...vault, scheme: fallback });
}

function vaultsWithoutScheme(view: StateView): readonly (readonly [Hash256, Vault])[] {
  const found: (readonly [Hash256, Vault])[] = [];
  for (const entry of listVaults(view)) if (!getLoanScheme(view, entry[1].scheme)) found.push(entry);
  return found;
}
