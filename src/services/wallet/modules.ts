import type { Mempool } from '../../mempool/mempool.js';
import type { CallContext } from '../../rpc/handler.js';
import type { Clock } from '../../util/clock.js';
import { NodeError } from '../../util/errors.js';
import type { WalletChain } from '../../wallet/deps.js';
import type { Wallet } from '../../wallet/wallet.js';
import type { Wallets } from '../../wallet/wallets/manager.js';

/** Modules for the wallet operations. */
export interface WalletModules {
  readonly wallets: Wallets;
  readonly chain: WalletChain;
  readonly mempool: Mempool;
  readonly clock: Pick<Clock, 'seconds'>;
  /** Transactions in hex include witness data (`-rpcserialversion=1`). */
  readonly showsWitness: boolean;
  /** Names listed in `-deprecatedrpc`, whose deprecated features stay available. */
  readonly deprecated: readonly string[];
}

/** Wallet of a call, also during the initial block download. @throws {NodeError} */
export function walletOf({ wallets }: { readonly wallets?: Pick<Wallets, 'find'> | undefined }, call: CallContext): Wallet {
  if (!wallets) throw new NodeError('method-not-found', 'Method not found');
  return wallets.find(call.wallet);
}
