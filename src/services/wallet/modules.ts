import type { Mempool } from '../../mempool/mempool.js';
import type { CallContext } from '../../rpc/handler.js';
import type { Clock } from '../../util/clock.js';
import type { WalletChain } from '../../wallet/deps.js';
import type { Wallets } from '../../wallet/manager.js';
import type { Wallet } from '../../wallet/wallet.js';

/** What the Wallet operations need of the node. */
export interface WalletModules {
  readonly wallets: Wallets;
  readonly chain: WalletChain;
  readonly mempool: Mempool;
  readonly clock: Pick<Clock, 'seconds'>;
  /** Hex of transactions has the witness (`-rpcserialversion=1`). */
  readonly showsWitness: boolean;
  /** -deprecatedrpc: names of what is offered though it is on its way out. */
  readonly deprecated: readonly string[];
}

/** The wallet that a call is for. @throws {NodeError} */
export function walletOf({ wallets }: Pick<WalletModules, 'wallets'>, call: CallContext): Wallet {
  return wallets.find(call.wallet);
}
