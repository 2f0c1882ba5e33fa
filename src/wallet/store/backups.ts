import { existsSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { equalBytes } from '../../util/bytes.js';
import type { Logger } from '../../util/logger.js';
import { WalletUnloaded } from './file-errors.js';
import { ForeignWallet, isWalletHeader, readHeader, WalletDamaged, WalletTooNew } from './file-format.js';
import { readHead } from './read-head.js';

/** A wallet as its backups need it. */
export interface BackedUp {
  readonly name: string;
  readonly path: string;
  /** Writes a copy of the wallet file to `path`. */
  backUp(path: string): void;
  /** As `backUp`, in slices. @param beforeRename called when the copy is complete, before it gets its name */
  backUpInSlices(path: string, beforeRename: () => void): Promise<void>;
}

/** Prefix of the names of automatic backups of a wallet, without directory. */
export function backupName({ name }: BackedUp): string {
  return `auto.backup.${name === '' ? 'default' : basename(name)}`;
}

/** Backs up wallets at intervals, one after the other. A round that has not ended when the next one is due takes its place. */
export class AutomaticBackups {
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;

  /** @param wallets wallets that are loaded at the start of a round */
  constructor(
    private readonly wallets: () => readonly BackedUp[],
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  start(minutes: number): void {
    this.#timer = setInterval(() => void this.#run(), minutes * 60_000);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (const wallet of this.wallets()) {
      try {
        await rotateBackup(wallet);
      } catch (error) {
        if (error instanceof WalletUnloaded) continue;
        this.log.warn('automatic backup of a wallet failed', { wallet: wallet.name, error: String(error) });
      }
    }
    this.#isRunning = false;
  }
}

/** Writes `auto.backup.<name>.bak1`, in slices; the previous one becomes `.bak2`. */
export function rotateBackup(wallet: BackedUp): Promise<void> {
  const base = join(dirname(wallet.path), backupName(wallet));
  return wallet.backUpInSlices(`${base}.bak1`, () => {
    if (existsSync(`${base}.bak1`)) renameSync(`${base}.bak1`, `${base}.bak2`);
  });
}

/** True if a file is a wallet, of this program or of `defid`, other than the one with this id and its copies. A damaged one counts. */
export function holdsOtherWallet(path: string, id: Uint8Array): boolean {
  const head = readHead(path);
  try {
    return !equalBytes(readHeader(head, path).id, id);
  } catch (error) {
    if (error instanceof ForeignWallet || error instanceof WalletTooNew) return true;
    if (error instanceof WalletDamaged) return isWalletHeader(head);
    throw error;
  }
}
