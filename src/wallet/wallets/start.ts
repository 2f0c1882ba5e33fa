import type { LoadOptions, WalletSettings } from '../options.js';
import { walletDirectory } from '../store/location.js';
import { Wallets, type WalletsDeps } from './manager.js';

/** Which wallets a node starts with. */
export interface WalletStart extends WalletSettings, LoadOptions {
  readonly names: readonly string[];
  /** `-walletdir` as given; empty for none. */
  readonly directory: string;
  /** Callers may make wallets outside of the directory. */
  readonly allowsOutside: boolean;
  /** Between backups that are made by themselves; 0 for none. */
  readonly backupMinutes: number;
}

export interface StartDeps extends Omit<WalletsDeps, 'settings'> {
  readonly networkDir: string;
}

/**
 * Loads the configured wallets, making those that are missing.
 * @param onMade gets the wallets before they are loaded, so that whoever stops the node stops them too
 * @throws in words for the operator
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
