import { existsSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { equalBytes } from '../../util/bytes.js';
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
