import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../config/errors.js';
import { helpText } from '../config/help.js';
import { OPTIONS } from '../config/options.js';
import { type Input, readSources, type Sources } from '../config/sources.js';
import { networkParams } from '../params/index.js';
import { DirectoryLock, DirectoryLocked } from '../storage/directory-lock.js';
import { NodeError } from '../util/errors.js';
import { WalletDamaged, WalletTooNew } from '../wallet/store/file-format.js';
import { locateWallet, type WalletLocation, walletDirectory } from '../wallet/store/location.js';
import { NothingSalvaged, type Salvaged, salvage } from '../wallet/store/salvage.js';
import { WalletDirectories } from '../wallet/wallets/directories.js';
import { createOffline, summarise, type WalletSummary } from '../wallet/wallets/offline.js';

/** Output and exit code of a run, for the entry point to print. */
export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

const SHARED = '? h help version conf includeconf datadir testnet changi devnet regtest walletdir wallet debug printtoconsole'.split(' ');
const TOOL_OPTIONS = OPTIONS.filter(({ key }) => SHARED.includes(key));

/** Default of `-keypool`. A node that is configured otherwise generates more keys when it loads the wallet. */
const POOL_SIZE = Number(OPTIONS.find(({ key }) => key === 'keypool')?.default);

/** The command failed; the message is printed. */
class ToolFailed extends Error {
  override name = 'ToolFailed';
}

/** Runs dfi-wallet, which inspects, creates and salvages wallets that no node has loaded. Output and exit codes are those of defi-wallet. */
export async function runTool(input: Input, version: string): Promise<Outcome> {
  try {
    const first = readSources(input, TOOL_OPTIONS);
    const { settings } = first;
    if (input.argv.length === 0 || settings.bool('?') || settings.bool('h') || settings.bool('help')) {
      return { stdout: usage(version), stderr: '', exitCode: 1 };
    }
    return { stdout: await execute(commandOf(first.rest), first.read()), stderr: '', exitCode: 0 };
  } catch (error) {
    if (!(error instanceof ToolFailed || error instanceof ConfigError)) throw error;
    return { stdout: '', stderr: `${error.message}\n`, exitCode: 1 };
  }
}

function usage(version: string): string {
  return `DeFi Blockchain wallet tool version v${version}

Usage:  dfi-wallet [options] -wallet=<name> info      Describe a wallet
or:     dfi-wallet [options] -wallet=<name> create    Create a wallet
or:     dfi-wallet [options] -wallet=<name> salvage   Copy the undamaged rows of a wallet to the new wallet <name>-salvaged

${helpText([{ title: 'Options', options: TOOL_OPTIONS }], false)}`;
}

function commandOf([command, another]: readonly string[]): string {
  if (command === undefined) throw new ToolFailed('No method provided. Run `dfi-wallet -help` for valid methods.');
  if (another !== undefined) {
    throw new ToolFailed(`Error: two methods provided (${command} and ${another}). Only one method should be provided.`);
  }
  return command;
}

async function execute(command: string, sources: Sources): Promise<string> {
  const { settings, network, dataDir } = sources;
  const name = settings.list('wallet').at(-1);
  if (command === 'create' && name === undefined) throw new ToolFailed('Wallet name must be provided when creating a new wallet.');
  const directory = walletDirectory(settings.text('walletdir'), join(dataDir, network.directory));
  const place = locateWallet(name ?? '', directory);
  switch (command) {
    case 'info':
      return info(place);
    case 'create':
      return create(place, sources);
    case 'salvage':
      return recover(place, locateWallet(place.name === '' ? 'salvaged' : `${place.name}-salvaged`, directory));
    default:
      throw new ToolFailed(`Invalid command: ${command}`);
  }
}

async function info(place: WalletLocation): Promise<string> {
  if (!existsSync(place.file)) throw new ToolFailed(`Error: no wallet file at ${place.name}`);
  return withLock(place, () => format(summarise(place.file)));
}

async function create(place: WalletLocation, { network }: Sources): Promise<string> {
  if (existsSync(place.file)) throw new ToolFailed('Error: File exists already');
  mkdirSync(place.directory, { recursive: true });
  return withLock(place, () => {
    const { address } = networkParams({ network: network.name });
    createOffline(place.file, { prefixes: address, poolSize: POOL_SIZE, now: () => Math.floor(Date.now() / 1000) });
    return `Topping up keypool...\n${format(summarise(place.file))}`;
  });
}

/** Copies the undamaged rows of a wallet's file to another wallet. */
async function recover(place: WalletLocation, target: WalletLocation): Promise<string> {
  if (!existsSync(place.file)) throw new ToolFailed(`Error: no wallet file at ${place.name}`);
  if (existsSync(target.file)) throw new ToolFailed('Error: File exists already');
  return withLock(place, () => describe(target.name, salvage(place.file, target.file)));
}

function describe(name: string, { counts, lost, lacksEnd, isEncrypted, lacksMasterKey }: Salvaged): string {
  const bytes = lost.reduce((sum, { from, to }) => sum + to - from, 0);
  const ranges = lost.map(({ from, to }) => `  bytes ${from} to ${to - 1}\n`).join('');
  const end = lacksEnd ? 'The file is an incomplete copy: rows at its end are missing.\n' : '';
  const warning = lacksMasterKey ? 'The master key was lost: the private keys cannot be decrypted.\n' : '';
  return `Salvaged to wallet ${name}
===========
Encrypted: ${yesNo(isEncrypted)}
Private keys: ${counts.keys}
Transactions: ${counts.transactions}
Address Book: ${counts.names}
Other rows: ${counts.others}
Damaged: ${bytes} bytes in ${lost.length} places
${ranges}${end}${warning}`;
}

function yesNo(is: boolean): string {
  return is ? 'yes' : 'no';
}

/** Runs work with the locks that a node holds for a loaded wallet. @throws {ToolFailed} if they are not free, or the wallet cannot be read */
async function withLock<T>(place: WalletLocation, work: () => T): Promise<T> {
  const { name } = place;
  const release = await lock(place);
  try {
    return work();
  } catch (error) {
    if (error instanceof WalletDamaged) throw new ToolFailed(error.describe(name));
    if (error instanceof NothingSalvaged) throw new ToolFailed(`Error: ${error.message}`);
    if (error instanceof WalletTooNew) throw new ToolFailed(`Error loading ${name}: Wallet requires newer version of DeFi`);
    throw error;
  } finally {
    await release();
  }
}

const directories = new WalletDirectories(async (directory) => (await DirectoryLock.acquireWallets(directory)).release);

async function lock(place: WalletLocation): Promise<() => Promise<void>> {
  try {
    return await directories.use(place);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const isHeld = error.cause instanceof DirectoryLocked;
    throw new ToolFailed(isHeld ? `Error loading ${place.name}. Is wallet being used by other process?` : error.message);
  }
}

function format({ isEncrypted, hasSeed, poolSize, transactions, names }: WalletSummary): string {
  return `Wallet info
===========
Encrypted: ${yesNo(isEncrypted)}
HD (hd seed available): ${yesNo(hasSeed)}
Keypool Size: ${poolSize}
Transactions: ${transactions}
Address Book: ${names}
`;
}
