import { existsSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { WALLETS_FOLDER } from '../../storage/lock-folder.js';
import { WalletFile } from './file.js';
import { isTemporary } from './file-names.js';

/** File name of a wallet in its directory. */
const WALLET_FILE = 'wallet.dat';
/** Depth to which directories below the wallet directory are searched. */
const MAX_DEPTH = 32;

/** The name or directory is not a valid path of a wallet. */
export class BadWalletPath extends Error {
  override name = 'BadWalletPath';
}

export interface WalletLocation {
  readonly name: string;
  /** Path that the name resolves to: a directory, or, for compatibility, a file. */
  readonly path: string;
  /** Path of the wallet file. */
  readonly file: string;
  /** Directory of the file. */
  readonly directory: string;
}

/** Location of the wallet with that name, existing or not. @throws {BadWalletPath} @see docs/protocol/wallet.md 1.2 */
export function locateWallet(name: string, walletDir: string): WalletLocation {
  const path = resolve(walletDir, name);
  const found = stat(path, lstatSync);
  const target = stat(path, statSync);
  if (!found || target?.isDirectory()) return { name, path, file: join(path, WALLET_FILE), directory: path };
  const isPlainName = name !== '' && name !== '.' && name !== '..' && !name.includes('/') && !name.includes(sep);
  if (found.isFile() && isPlainName) return { name, path, file: path, directory: walletDir };
  throw new BadWalletPath(
    `Invalid -wallet path '${name}'. -wallet path should point to a directory where wallet.dat and database/log.?????????? files can be ` +
      'stored, a location where such a directory could be created, or (for backwards compatibility) the name of an existing data file ' +
      `in -walletdir ("${walletDir}")`,
  );
}

/**
 * True for the directory of a wallet whose creation an unclean shutdown interrupted: there is nothing in it but the lock and temporary
 * files. No client has an address of such a wallet.
 */
export function isInterruptedCreation({ directory }: WalletLocation): boolean {
  const names = entriesOf(directory);
  return names.length > 0 && names.every((name) => name === WALLETS_FOLDER || isTemporary(name));
}

/** Names of all wallets below a directory, loaded or not. */
export function listWallets(walletDir: string): string[] {
  const names: string[] = [];
  visit(walletDir, 0, (directory) => {
    if (isWalletFile(join(directory, WALLET_FILE))) names.push(relative(walletDir, directory));
  });
  for (const name of readdirSync(walletDir)) {
    // A link to a file cannot be loaded, so it is not listed.
    const isPlain = stat(join(walletDir, name), lstatSync)?.isFile() === true;
    if (name !== WALLET_FILE && isPlain && !isTemporary(name) && isWalletFile(join(walletDir, name))) names.push(name);
  }
  return names;
}

function visit(directory: string, depth: number, onDirectory: (directory: string) => void): void {
  onDirectory(directory);
  if (depth === MAX_DEPTH) return;
  for (const name of entriesOf(directory)) {
    const path = join(directory, name);
    if (stat(path, statSync)?.isDirectory() && !loops(path, directory)) visit(path, depth + 1, onDirectory);
  }
}

/** True for a symbolic link to its own parent directory, which would be followed without end. */
function loops(path: string, parent: string): boolean {
  return stat(path, lstatSync)?.isSymbolicLink() === true && isSameFile(path, parent);
}

/** True if both paths name one existing file or directory. */
export function isSameFile(path: string, other: string): boolean {
  const [one, two] = [stat(path, statSync), stat(other, statSync)];
  return one !== undefined && two !== undefined && one.ino === two.ino && one.dev === two.dev;
}

function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // An unreadable directory contains no wallet that could be loaded.
    return [];
  }
}

function isWalletFile(path: string): boolean {
  if (!stat(path, statSync)?.isFile()) return false;
  try {
    return WalletFile.isWallet(path);
  } catch {
    return false;
  }
}

function stat(path: string, read: (path: string) => Stats): Stats | undefined {
  try {
    return read(path);
  } catch {
    return undefined;
  }
}

/**
 * Directory of wallets.
 * @param given value of `-walletdir`; empty for the default
 * @throws {BadWalletPath} if it does not exist
 */
export function walletDirectory(given: string, networkDir: string): string {
  if (given === '') {
    const usual = join(networkDir, 'wallets');
    return stat(usual, statSync)?.isDirectory() ? usual : networkDir;
  }
  if (!existsSync(given)) throw new BadWalletPath(`Specified -walletdir "${given}" does not exist`);
  if (!statSync(given).isDirectory()) throw new BadWalletPath(`Specified -walletdir "${given}" is not a directory`);
  if (!isAbsolute(given)) throw new BadWalletPath(`Specified -walletdir "${given}" is a relative path`);
  return given;
}
