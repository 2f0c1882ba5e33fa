import { Gauge, type Registry } from 'prom-client';
import { watch } from './gauge.js';

/** The part of a wallet that metrics read. */
export interface ObservedWallet {
  readonly name: string;
  readonly txs: { readonly size: number };
  readonly unspent: { readonly confirmedTxCount: number; readonly pendingCount: number };
  readonly keyPool: { size(internal: boolean): number };
  readonly keys: { readonly isLocked: boolean };
  readonly rescan: { readonly state: { readonly progress: number } | undefined };
}

/** Metrics of the loaded wallets, read on scrape. For privacy there are no amounts or addresses. */
export function observeWallets(registry: Registry, loaded: () => Iterable<ObservedWallet>): void {
  watch(registry, 'dfi_wallet_loaded', 'Wallets that are loaded', () => [...loaded()].length);
  const each = (name: string, help: string, value: (wallet: ObservedWallet) => number): void => {
    new Gauge({
      name,
      help,
      labelNames: ['wallet'],
      registers: [registry],
      collect() {
        this.reset();
        for (const wallet of loaded()) this.set({ wallet: wallet.name }, value(wallet));
      },
    });
  };
  each('dfi_wallet_transactions', 'Transactions of a wallet', ({ txs }) => txs.size);
  each(
    'dfi_wallet_unspent_transactions',
    'Confirmed transactions with unspent outputs of the wallet, without immature coinbases',
    ({ unspent }) => unspent.confirmedTxCount,
  );
  each('dfi_wallet_open_transactions', 'Unconfirmed transactions and immature coinbases', ({ unspent }) => unspent.pendingCount);
  each(
    'dfi_wallet_key_pool',
    'Keys in the key pool, for receiving and for change',
    ({ keyPool }) => keyPool.size(false) + keyPool.size(true),
  );
  each('dfi_wallet_locked', '1 while the wallet is locked', ({ keys }) => (keys.isLocked ? 1 : 0));
  each('dfi_wallet_scan_progress', 'Progress of a rescan, 0 to 1; -1 while none runs', ({ rescan }) => rescan.state?.progress ?? -1);
}
