import { isActive } from '../../params/network.js';
import type { Hash256 } from '../../primitives/hash.js';
import { equalBytes } from '../../util/bytes.js';
import { foundationMembers, governanceMembers } from '../attributes/features.js';
import { TxRejected } from '../kernel/rejected.js';
import type { CustomTxContext } from './custom-tx.js';

/** Who a transaction acts for shows in the outputs that it spends. @see docs/protocol/accounts.md 1.9 */
type Authorised = Pick<CustomTxContext, 'spent' | 'coin' | 'view' | 'params' | 'height'>;

/** Output of every transaction that holds a collateral. */
export const COLLATERAL_OUTPUT = 1;

/** Some input spends an output with this script. */
export function hasAuth({ spent }: Pick<Authorised, 'spent'>, script: Uint8Array): boolean {
  return spent.some(({ out }) => equalBytes(out.scriptPubKey, script));
}

/** @throws {TxRejected} */
export function requireAuth(context: Pick<Authorised, 'spent'>, owner: Uint8Array): void {
  if (!hasAuth(context, owner)) throw new TxRejected('tx must have at least one input from account owner');
}

/** Some input spends an output with the script of the transaction's collateral. One that is spent vouches for nobody. */
export function hasCollateralAuth(context: Pick<Authorised, 'spent' | 'coin'>, collateralTx: Hash256): boolean {
  const collateral = context.coin({ txid: collateralTx, vout: COLLATERAL_OUTPUT });
  return collateral !== undefined && hasAuth(context, collateral.scriptPubKey);
}

/** @throws {TxRejected} */
export function requireCollateralAuth(context: Pick<Authorised, 'spent' | 'coin'>, collateralTx: Hash256): void {
  if (!hasCollateralAuth(context, collateralTx)) throw new TxRejected('tx must have at least one input from the owner');
}

export function hasFoundationAuth(context: Authorised): boolean {
  return foundationMembers(context.view, context.params).some((member) => hasAuth(context, member));
}

/** @throws {TxRejected} */
export function requireFoundationAuth(context: Authorised): void {
  if (!hasFoundationAuth(context)) throw new TxRejected('tx not from foundation member');
}

/** The foundation, or from DF24 on a member of governance. @throws {TxRejected} */
export function requireFoundationOrGovernance(context: Authorised): void {
  if (!hasFoundationAuth(context) && !hasGovernanceAuth(context)) throw new TxRejected('tx not from foundation member');
}

export function hasGovernanceAuth(context: Authorised): boolean {
  if (!isActive(context.params, 'df24', context.height)) return false;
  return governanceMembers(context.view, context.params).some((member) => hasAuth(context, member));
}
