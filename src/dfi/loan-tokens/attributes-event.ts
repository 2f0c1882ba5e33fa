import { Overlay } from '../../storage/overlay.js';
import { AttributeDraft } from '../attributes/attributes.js';
import type { BlockEvent, BlockEventContext } from '../context/block-event.js';
import { checkAttributes } from '../governance/attribute-checks.js';
import { applyAttributes } from '../governance/attribute-effects.js';
import { type GivenAttributeValues, importGiven, noChanges } from '../governance/attribute-import.js';
import { ignoreRejection } from '../kernel/rejected.js';
import { formatPair } from '../oracles/columns.js';
import { legacyCollaterals, legacyLoanTokens } from './columns.js';

/**
 * One block after Fort Canning Crunch, converts the settings of all loan and collateral tokens to attributes, or of none if one fails.
 * @see docs/protocol/defi.md 3.5
 */
export const loanTokenAttributes: BlockEvent = {
  name: 'loan tokens to attributes',
  isDue: ({ height, params }) => height === params.upgrades.fortCanningCrunch + 1,
  run(context) {
    const view = new Overlay(context.view);
    ignoreRejection(() => {
      moveAll({ ...context, view });
      view.commit();
    });
  },
};

function moveAll(context: Omit<BlockEventContext, 'view'> & { readonly view: Overlay }): void {
  const { view, height, params } = context;
  const given = new Map<string, string>();
  const loanTokens = [...view.entries(legacyLoanTokens)];
  // Entries come latest first, so for a token with several the oldest one wins, as in `defid`; later settings are lost.
  const collaterals = [...view.entries(legacyCollaterals)];
  for (const [id, { pair, mintable, interest }] of loanTokens) {
    given.set(`v0/token/${id}/fixed_interval_price_id`, formatPair(pair));
    given.set(`v0/token/${id}/loan_minting_enabled`, `${mintable}`);
    given.set(`v0/token/${id}/loan_minting_interest`, shortText(interest));
  }
  for (const [{ tokenId }, { pair, factor }] of collaterals) {
    given.set(`v0/token/${tokenId}/fixed_interval_price_id`, formatPair(pair));
    given.set(`v0/token/${tokenId}/loan_collateral_enabled`, 'true');
    given.set(`v0/token/${tokenId}/loan_collateral_factor`, shortText(factor));
  }
  const values: GivenAttributeValues = [...given];
  const draft = AttributeDraft.of(view);
  const changes = noChanges();
  importGiven(draft, values, changes, { params, height });
  checkAttributes(draft, changes, context);
  applyAttributes(draft, changes, context, height);
  draft.write(view);
  // The checks above read these records, so they are deleted last.
  for (const [id] of loanTokens) view.delete(legacyLoanTokens, id);
  for (const [key] of collaterals) view.delete(legacyCollaterals, key);
}

/** Satoshis as a decimal with six significant digits, as `defid` formats them for the conversion. */
function shortText(value: bigint): string {
  return `${Number((Number(value) / 1e8).toPrecision(6))}`;
}
