import type { Mempool } from '../../mempool/mempool.js';
import type { CallContext } from '../../rpc/handler.js';
import type { Clock } from '../../util/clock.js';
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

/** Wallet of a call. @throws {NodeError} */
export function walletOf({ wallets }: Pick<WalletModules, 'wallets'>, call: CallContext): Wallet {
  return wallets.find(call.wallet);
}
