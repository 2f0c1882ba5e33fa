import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { NodeError } from '../../util/errors.js';
import { type BackedUp, backupName } from './backups.js';
import type { WalletFile } from './file.js';
import { CUT, isTemporary } from './file-names.js';
import * as records from './records.js';
import type { WalletStore } from './store.js';

/** Unencrypted keys that remain on disk when a wallet has been encrypted: in the history of its file, and in other files. */
export class Leftovers {
  constructor(
    private readonly wallet: BackedUp,
    private readonly file: Pick<WalletFile, 'holdsStale' | 'isUpgraded' | 'rewrite'>,
    private readonly store: WalletStore,
  ) {}

  /** Removes those of an interrupted encryption, or of one by an earlier version. @returns a warning if some remain */
  removeAll(): string | undefined {
    const { file, wallet } = this;
    const hasLeftovers = file.holdsStale || file.isUpgraded || this.store.single(records.leftovers) === true;
    try {
      if (file.holdsStale) file.rewrite();
      if (hasLeftovers) this.renew();
      return undefined;
    } catch (error) {
      const { message } = error as Error;
      return `Private keys from before the wallet was encrypted are still on disk unencrypted, in ${wallet.path} or its directory: ${message}`;
    }
  }

  /** Removes those in other files. @throws {NodeError} if some remain */
  renew(): void {
    try {
      renewOthers(this.wallet);
    } catch (cause) {
      const text = `Error: the wallet is encrypted, but a file with its plain keys could not be removed: ${(cause as Error).message}`;
      throw new NodeError('wallet', text, { cause });
    }
    this.store.delete(records.leftovers, records.ONLY);
    this.store.commitLazily();
  }
}

/**
 * Removes unencrypted keys from other files that the node wrote into the directory of an encrypted wallet: automatic backups are
 * rewritten or, if that fails, removed; incomplete ends of the file and temporary files are removed.
 * @throws if one of them can neither be rewritten nor removed
 */
function renewOthers(wallet: BackedUp): void {
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
