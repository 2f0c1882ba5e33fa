import { observeWallets } from '../metrics/wallets.js';
import type { Invoker } from '../rpc/invoke.js';
import { admitWalletCall } from '../services/wallet/wallets/admission.js';
import { DirectoryLock } from '../storage/directory-lock.js';
import type { WalletDeps } from '../wallet/deps.js';
import type { WalletTx } from '../wallet/txs/wallet-tx.js';
import type { Wallets } from '../wallet/wallets/manager.js';
import { startWallets as loadWallets } from '../wallet/wallets/start.js';
import { type StartedEvents, walletChange } from './events.js';
import { notifier } from './notify.js';
import type { StartParts } from './parts.js';
import { progressTerminal } from './terminal.js';

export interface StartedWallets {
  /** Undefined with -disablewallet. */
  readonly wallets: Wallets | undefined;
}

/** Loads the configured wallets. From now on, calls for a wallet that is not loaded are rejected. */
export async function startWallets(
  { config, clock, log, lifecycle, registry, report }: StartParts,
  invoker: Invoker,
  needs: Pick<WalletDeps, 'chain' | 'mempool' | 'relay' | 'impersonated'> & Pick<StartedEvents, 'note'>,
): Promise<StartedWallets> {
  let wallets: Wallets | undefined;
  invoker.setAdmission((op, call) => admitWalletCall(op, call, wallets));
  if (!config.wallet.enabled) return { wallets };
  invoker.setWarmup('Loading wallet...');
  const { networkDir } = config.paths;
  const feesDecide = config.minting.ordering === 1;
  const notify = notifier(config.wallet.notifyCommand, log.child('wallet'));
  const { note, ...modules } = needs;
  const onTransaction = (wallet: { readonly name: string }, wtx: WalletTx): void => note(walletChange(wallet, wtx, needs.chain));
  const deps = {
    ...modules,
    notify,
    onTransaction,
    feesDecide,
    clock,
    log: log.child('wallet'),
    terminal: progressTerminal(config),
    report,
    lockDirectory: lockWallets,
    networkDir,
  };
  await loadWallets(config.wallet, deps, (made) => {
    wallets = made;
    lifecycle.onStop('wallets', () => made.stop());
    observeWallets(registry, () => made.loaded());
  });
  return { wallets };
}

/** Excludes other nodes and dfi-wallet from a directory of wallets. @returns a function that releases the lock */
async function lockWallets(directory: string): Promise<() => Promise<void>> {
  const { release } = await DirectoryLock.acquireWallets(directory);
  return release;
}
