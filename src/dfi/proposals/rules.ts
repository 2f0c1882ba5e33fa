import type { NetworkParams } from '../../params/network.js';
import type { StateView } from '../../storage/view.js';
import { storedAttributes, valueAs } from '../attributes/attributes.js';
import { attributeAt } from '../attributes/path.js';
import { multiplyAmounts } from '../kernel/math.js';
import { isEmergency, type Proposal, type ProposalTerms, ProposalType } from './columns.js';

// Settings of proposals: attributes, with defaults of the network. @see docs/protocol/defi.md 5.2

/** Creation fee of a proposal, in satoshis. @see docs/protocol/defi.md 5.2 */
export function creationFee(view: StateView, terms: ProposalTerms, { governance }: NetworkParams): bigint {
  if (terms.type === ProposalType.communityFund) {
    const fee = multiplyAmounts(terms.amount, amountOf(view, 'cfp_fee') ?? governance.cfpFeeShare);
    return governance.cfpMinimumFee > fee ? governance.cfpMinimumFee : fee;
  }
  if (isEmergency(terms)) return amountOf(view, 'voc_emergency_fee') ?? governance.vocEmergencyFee;
  return amountOf(view, 'voc_fee') ?? governance.vocFee;
}

/** Part of creation fees that is burnt, scaled by COIN; voters get the rest if redistribution is enabled. */
export function feeBurnShare(view: StateView, { governance }: NetworkParams): bigint {
  return amountOf(view, 'fee_burn_pct') ?? governance.feeBurnShare;
}

/** True if voters get the part of creation fees that is not burnt. */
export function redistributesFees(view: StateView): boolean {
  return valueAs(storedAttributes(view), attributeAt('v0/gov/proposals/fee_redistribution'), 'bool') ?? false;
}

const DEFAULT_MAX_CYCLES = 100;

/** Largest number of cycles of a proposal. */
export function maxCycles(view: StateView): number {
  return numberOf(view, 'cfp_max_cycles') ?? DEFAULT_MAX_CYCLES;
}

/** Voting period in blocks. */
export function votingPeriod(view: StateView, terms: ProposalTerms, { governance }: NetworkParams): number {
  if (isEmergency(terms)) return numberOf(view, 'voc_emergency_period') ?? governance.emergencyPeriod;
  return numberOf(view, 'voting_period') ?? governance.votingPeriod;
}

const DEFAULT_EMERGENCY_QUORUM = 10_000_000n;
/** Factor between shares scaled by COIN and shares of 10,000. */
const SCALE = 10_000n;

/** Thresholds of a cycle that begins now, of 10,000. */
export function thresholds(
  view: StateView,
  terms: ProposalTerms,
  { governance }: NetworkParams,
): Pick<Proposal, 'approvalThreshold' | 'quorum'> {
  const isFund = terms.type === ProposalType.communityFund;
  const approval = isFund
    ? (amountOf(view, 'cfp_approval_threshold') ?? governance.cfpApproval)
    : (amountOf(view, 'voc_approval_threshold') ?? governance.vocApproval);
  const quorum =
    !isFund && isEmergency(terms)
      ? (amountOf(view, 'voc_emergency_quorum') ?? DEFAULT_EMERGENCY_QUORUM)
      : (amountOf(view, 'quorum') ?? governance.quorum);
  return { approvalThreshold: approval / SCALE, quorum: quorum / SCALE };
}

function amountOf(view: StateView, name: string): bigint | undefined {
  return valueAs(storedAttributes(view), attributeAt(`v0/gov/proposals/${name}`), 'amount');
}

function numberOf(view: StateView, name: string): number | undefined {
  return valueAs(storedAttributes(view), attributeAt(`v0/gov/proposals/${name}`), 'u32');
}
