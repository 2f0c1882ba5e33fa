import type { Operation } from '../../../rpc/catalogue.js';
import type { CallContext } from '../../../rpc/handler.js';
import { NodeError } from '../../../util/errors.js';
import type { Wallets } from '../../../wallet/wallets/manager.js';
import { noWallet } from '../../../wallet/wallets/no-wallet.js';

const WALLET_SERVICE = 'dfi.wallet.v1.WalletService';
/** Services whose wallet operations are unknown to `defid` if wallets are disabled; it knows those of others, but refuses them. */
const UNKNOWN_SERVICES: readonly string[] = [WALLET_SERVICE, 'dfi.rawtransactions.v1.RawtransactionsService'];

/**
 * Looks up the wallet of a call before its arguments are bound, as `defid` does. Calls wait while the key pools of new wallets are filled.
 * @param wallets undefined if wallets are disabled
 * @returns a promise if the call has to wait for the key pools of new wallets
 * @throws {NodeError}
 * @see docs/protocol/wallet.md 0.3, 1.1
 */
export function admitWalletCall(
  op: Pick<Operation, 'wallet' | 'service'>,
  call: CallContext,
  wallets: Wallets | undefined,
): Promise<void> | undefined {
  if (call.anyWallet) return undefined;
  if (!op.wallet && (op.service !== WALLET_SERVICE || wallets)) return undefined;
  if (!wallets) throw UNKNOWN_SERVICES.includes(op.service) ? new NodeError('method-not-found', 'Method not found') : noWallet();
  wallets.find(call.wallet);
  return wallets.filling;
}
