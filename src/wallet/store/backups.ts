import { existsSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A wallet as its backups need it. */
export interface BackedUp {
  readonly name: string;
  readonly path: string;
  /** Writes a copy of the wallet file to `path`. */
  backUp(path: string): void;
}

/** Prefix of the names of automatic backups of a wallet, without directory. */
export function backupName({ name }: BackedUp): string {
  return `auto.backup.${name === '' ? 'default' : basename(name)}`;
}

/** Writes `auto.backup.<name>.bak1`; the previous one becomes `.bak2`. */
export function rotateBackup(wallet: BackedUp): void {
  const base = join(dirname(wallet.path), backupName(wallet));
  if (existsSync(`${base}.bak1`)) renameSync(`${base}.bak1`, `${base}.bak2`);
  wallet.backUp(`${base}.bak1`);
}
