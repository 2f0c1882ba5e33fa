import { NodeError } from '../../util/errors.js';
import { WalletDamaged } from './file-format.js';

/** A write to a wallet's file, or its sync, failed. The write can be tried again. */
export class WalletNotWritten extends NodeError {
  constructor(path: string, cause: unknown) {
    super('wallet', `Error: ${path} could not be written: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** The wallet was unloaded during a call that changes it. Nothing was written. */
export class WalletUnloaded extends NodeError {
  constructor() {
    super('wallet-not-found', 'Requested wallet does not exist or is not loaded');
  }
}

/** Another program has changed the file of a loaded wallet, or put another one in its place. */
export class FileReplaced extends Error {
  override name = 'FileReplaced';

  constructor() {
    super('another program has changed or replaced the file; dumpwallet saves the keys, some of which may be in memory only');
  }
}

/** True for a write that failed because of another program. */
export function isReplaced(error: unknown): error is WalletNotWritten {
  return error instanceof WalletNotWritten && error.cause instanceof FileReplaced;
}

/** True if a wallet's file could not be read, written or renamed, or its content is not what was written. */
export function isOfDisk(error: unknown): boolean {
  return error instanceof WalletDamaged || error instanceof FileReplaced || (error instanceof Error && 'code' in error);
}
