import type { LoadOptions, WalletSettings } from '../options.js';
import { walletDirectory } from '../store/location.js';
import { Wallets, type WalletsDeps } from './manager.js';

/** Options for the wallets of a node. */
export interface WalletStart extends WalletSettings, LoadOptions {
  /** Wallets to load at the start (`-wallet`). */
  readonly names: readonly string[];
  /** Value of `-walletdir`; empty for the default. */
  readonly directory: string;
  /** Clients may create wallets outside of the directory. */
  readonly allowsOutside: boolean;
  /** Minutes between automatic backups; 0 for none. */
  readonly backupMinutes: number;
}

export interface StartDeps extends Omit<WalletsDeps, 'settings'> {
  readonly networkDir: string;
}

/**
 * Loads the configured wallets, and creates missing ones.
 * @param onMade receives the manager before wallets are loaded, so that a shutdown in the meantime stops them
 * @throws with a text for the user
 */
export async function startWallets(
  { names, directory, allowsOutside, rescan, forgets, backupMinutes, ...settings }: WalletStart,
  { networkDir, ...deps }: StartDeps,
  onMade: (wallets: Wallets) => void,
): Promise<Wallets> {
  const wallets = new Wallets({ directory: walletDirectory(directory, networkDir), allowsOutside }, { ...deps, settings });
  onMade(wallets);
  await wallets.loadConfigured(names, { rescan, forgets });
  if (backupMinutes > 0) wallets.backUpEvery(backupMinutes);
  return wallets;
}
