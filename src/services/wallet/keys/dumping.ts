import { closeSync, fsync, openSync, readFileSync, unlinkSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type {
  DumpWalletRequest,
  DumpWalletResponse,
  ImportWalletRequest,
  ImportWalletResponse,
} from '../../../../gen/ts/dfi/wallet/v1/wallet.js';
import type { Handler } from '../../../rpc/handler.js';
import { isStorageFailure } from '../../../storage/errors.js';
import { writeFully } from '../../../util/disk.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { Slicer } from '../../../util/slicer.js';
import { dumpWallet as dump, importDump, parseDump } from '../../../wallet/import-export/dump.js';
import { scanFor } from '../../../wallet/import-export/imports.js';
import { WalletNotWritten } from '../../../wallet/store/file-errors.js';
import { parsePrivateKey } from '../../format/private-key.js';
import { type WalletModules, walletOf } from '../modules.js';
import { requireAllBlocks } from '../transactions/rescan.js';

const PRODUCT = 'Defi';

/** @see docs/protocol/wallet.md 3.9 */
export const dumpWallet: Handler<WalletModules, DumpWalletRequest, DumpWalletResponse> = async (modules, request, call) => {
  const wallet = walletOf(modules, call);
  wallet.keys.requireUnlocked();
  const filename = resolve(request.filename);
  const fd = openNew(filename);
  try {
    const slicer = new Slicer(call);
    await writeLines(fd, await dump(wallet, PRODUCT, slicer), slicer);
  } catch (error) {
    unlinkSync(filename);
    // The caller learns which file failed, as for the wallet's own.
    if (isStorageFailure(error)) throw new WalletNotWritten(filename, error);
    throw error;
  } finally {
    closeSync(fd);
  }
  return { filename };
};

const LINES_AT_ONCE = 1_000;
const syncFile = promisify(fsync);

/** Writes and syncs all lines: a dump that lacks keys, because the disk became full, must not pass for a whole one. */
async function writeLines(fd: number, lines: readonly string[], slicer: Slicer): Promise<void> {
  let size = 0;
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
    const bytes = Buffer.from(`${lines.slice(at, at + LINES_AT_ONCE).join('\n')}\n`);
    writeFully(fd, bytes, size);
    size += bytes.length;
    const paused = slicer.pause();
    if (paused) await paused;
  }
  await syncFile(fd);
}

/** Creates a file that only its owner can read. @throws {NodeError} if it exists */
function openNew(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') {
      const text = `${path} already exists. If you are sure this is what you want, move it out of the way first`;
      throw invalidParameter(text, { cause });
    }
    throw invalidParameter('Cannot open wallet dump file', { cause });
  }
}

/** @see docs/protocol/wallet.md 3.27 */
export const importWallet: Handler<WalletModules, ImportWalletRequest, ImportWalletResponse> = async (modules, request, call) => {
  const wallet = walletOf(modules, call);
  requireAllBlocks(modules.chain, 'Importing wallets');
  const release = wallet.rescan.reserve();
  try {
    wallet.keys.requireUnlocked();
    const { oldest, isComplete } = await wallet.keyChanges.run(async (unloaded) => {
      const slicer = new Slicer(unloaded);
      const parseKey = (text: string) => parsePrivateKey(text, modules.chain.params);
      const given = await slicer.run(parseDump(readDump(request.filename), parseKey));
      if (wallet.privateKeysDisabled && given.keys.length > 0) {
        throw new NodeError('wallet', 'Importing wallets is disabled when private keys are disabled');
      }
      try {
        return await slicer.run(importDump(wallet, given, modules.chain.tip.time));
      } finally {
        wallet.commit();
      }
    });
    await scanFor(wallet, oldest, false);
    if (!isComplete) throw new NodeError('wallet', 'Error adding some keys/scripts to wallet');
  } finally {
    release();
  }
  return {};
};

function readDump(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (cause) {
    throw invalidParameter('Cannot open wallet dump file', { cause });
  }
}
