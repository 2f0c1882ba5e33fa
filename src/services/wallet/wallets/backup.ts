import { existsSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { BackupWalletRequest, BackupWalletResponse } from '../../../../gen/ts/dfi/wallet/v1/wallet.js';
import type { Handler } from '../../../rpc/handler.js';
import { NodeError } from '../../../util/errors.js';
import { type WalletModules, walletOf } from '../modules.js';

/** @see docs/protocol/wallet.md 3.5 */
export const backupWallet: Handler<WalletModules, BackupWalletRequest, BackupWalletResponse> = async (modules, request, call) => {
  const wallet = walletOf(modules, call);
  const { destination } = request;
  const given = resolve(destination);
  const isDirectory = existsSync(given) && statSync(given).isDirectory();
  const target = isDirectory ? join(given, basename(wallet.path)) : given;
  try {
    if (destination === '') throw new Error('no destination');
    const requireFree = (): void => {
      if (modules.wallets.wouldReplace(target, wallet)) throw new Error(`${target} is the file of another wallet`);
    };
    requireFree();
    // Again at the end, as another wallet may have been loaded or created there.
    await wallet.backUpInSlices(target, requireFree);
  } catch (cause) {
    throw new NodeError('wallet', 'Error: Wallet backup failed!', { cause });
  }
  return {};
};
