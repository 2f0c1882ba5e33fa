import type { Operation } from '../../../rpc/catalogue.js';
import type { CallContext } from '../../../rpc/handler.js';
import { NodeError } from '../../../util/errors.js';
import type { Wallets } from '../../../wallet/wallets/manager.js';

const WALLET_SERVICE = 'dfi.wallet.v1.WalletService';

/**
 * Looks up the wallet of a call before its arguments are bound, as `defid` does. If wallets are disabled, wallet operations are
 * unknown. Calls wait while the key pools of new wallets are filled.
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
  if (!op.wallet && (op.service !== WALLET_SERVICE || wallets)) return undefined;
  if (!wallets) throw new NodeError('method-not-found', 'Method not found');
  wallets.find(call.wallet);
  return wallets.filling;
}
