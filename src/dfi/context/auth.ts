import { isActive } from '../../params/network.js';
import type { Hash256 } from '../../primitives/hash.js';
import { EMPTY_BYTES, equalBytes } from '../../util/bytes.js';
import { foundationMembers, governanceMembers } from '../attributes/features.js';
import { TxRejected } from '../kernel/rejected.js';
import type { TxContext } from './custom-tx.js';

/** Context of an authorisation check: a transaction acts for the owners of the coins it spends. @see docs/protocol/accounts.md 1.9 */
type Authorised = Pick<TxContext, 'spent' | 'coin' | 'view' | 'params' | 'height'>;

/** Index of the collateral output in masternode and token creations. */
export const COLLATERAL_OUTPUT = 1;

/** True if some input spends an output with this script. */
export function hasAuth({ spent }: Pick<Authorised, 'spent'>, script: Uint8Array): boolean {
  return spent.some(({ out }) => equalBytes(out.scriptPubKey, script));
}

/** @param of owned thing in the error text @throws {TxRejected} */
export function requireAuth(context: Pick<Authorised, 'spent'>, owner: Uint8Array, of = 'account'): void {
  if (!hasAuth(context, owner)) throw new TxRejected(`tx must have at least one input from ${of} owner`);
}

/** Script of a collateral output; empty if it is spent or never existed, as `defid` reads such outputs. */
export function collateralScript({ coin }: Pick<Authorised, 'coin'>, collateralTx: Hash256): Uint8Array {
  return coin({ txid: collateralTx, vout: COLLATERAL_OUTPUT })?.scriptPubKey ?? EMPTY_BYTES;
}

/** True if some input spends an output with the script of the collateral output. */
export function hasCollateralAuth(context: Pick<Authorised, 'spent' | 'coin'>, collateralTx: Hash256): boolean {
  return hasAuth(context, collateralScript(context, collateralTx));
}

/** @throws {TxRejected} */
export function requireCollateralAuth(context: Pick<Authorised, 'spent' | 'coin'>, collateralTx: Hash256): void {
  if (!hasCollateralAuth(context, collateralTx)) throw new TxRejected('tx must have at least one input from the owner');
}

/** True if some input belongs to a member of the foundation. */
export function hasFoundationAuth(context: Authorised): boolean {
  return foundationMembers(context.view, context.params).some((member) => hasAuth(context, member));
}

/** @throws {TxRejected} */
export function requireFoundationAuth(context: Authorised): void {
  if (!hasFoundationAuth(context)) throw new TxRejected('tx not from foundation member');
}

/** Requires authorisation by the foundation or, from DF24 on, by a governance member. @throws {TxRejected} */
export function requireFoundationOrGovernance(context: Authorised): void {
  if (!hasFoundationAuth(context) && !hasGovernanceAuth(context)) throw new TxRejected('tx not from foundation member');
}

/** True from DF24 on if some input belongs to a governance member. */
export function hasGovernanceAuth(context: Authorised): boolean {
  if (!isActive(context.params, 'df24', context.height)) return false;
  return governanceMembers(context.view).some((member) => hasAuth(context, member));
}
