import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CUT, isTemporary } from './file-names.js';

interface BackedUp {
  readonly name: string;
  readonly path: string;
  /** Writes a copy of the wallet file to `path`. */
  backUp(path: string): void;
}

/** Prefix of the names of automatic backups of a wallet, without directory. */
function backupName({ name }: BackedUp): string {
  return `auto.backup.${name === '' ? 'default' : basename(name)}`;
}

/** Writes `auto.backup.<name>.bak1`; the previous one becomes `.bak2`. */
export function rotateBackup(wallet: BackedUp): void {
  const base = join(dirname(wallet.path), backupName(wallet));
  if (existsSync(`${base}.bak1`)) renameSync(`${base}.bak1`, `${base}.bak2`);
  wallet.backUp(`${base}.bak1`);
}

/**
 * Removes unencrypted keys from other files that the node wrote into the directory of an encrypted wallet: automatic backups are
 * rewritten or, if that fails, removed; incomplete ends of the file and temporary files are removed.
 * @throws if one of them can neither be rewritten nor removed
 */
export function renewLeftovers(wallet: BackedUp): void {
  const directory = dirname(wallet.path);
  const backup = backupName(wallet);
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (name === `${backup}.bak1` || name === `${backup}.bak2`) renew(wallet, path);
    else if (name.startsWith(`${basename(wallet.path)}${CUT}`)) rmSync(path);
    else if (name.startsWith(backup) && isTemporary(name)) rmSync(path, { force: true });
  }
}

function renew(wallet: BackedUp, path: string): void {
  try {
    wallet.backUp(path);
  } catch {
    rmSync(path, { force: true });
  }
}
