import { existsSync, mkdirSync, realpathSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, relative, sep } from 'node:path';
import type { PrivateKey } from '../../crypto/keys.js';
import type { Hash160 } from '../../primitives/hash.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import type { WalletDeps } from '../deps.js';
import { UnknownWalletFlag } from '../keys/flags.js';
import { DEFAULT_LOAD, type LoadOptions } from '../options.js';
import { AutomaticBackups, holdsOtherWallet } from '../store/backups.js';
import { WalletFile } from '../store/file.js';
import { WalletDamaged, WalletTooNew } from '../store/file-format.js';
import { BadWalletPath, isInterruptedCreation, isSameFile, listWallets, locateWallet, type WalletLocation } from '../store/location.js';
import { isPlainKey } from '../store/records.js';
import { type NewWallet, Wallet } from '../wallet.js';
import { type LockDirectory, WalletDirectories } from './directories.js';
import { noWallet } from './no-wallet.js';

export interface WalletsOptions {
  /** Absolute. */
  readonly directory: string;
  /** Clients may create wallets outside of it (`-walletoutside`). */
  readonly allowsOutside?: boolean;
}

export interface WalletsDeps extends WalletDeps {
  readonly lockDirectory: LockDirectory;
}

const PLAIN: NewWallet = { disablePrivateKeys: false, blank: false, avoidReuse: false, passphrase: undefined };

/** The loaded wallets. @see docs/protocol/wallet.md 1.1 to 1.3 */
export class Wallets {
  readonly directory: string;
  readonly #allowsOutside: boolean;
  readonly #deps: WalletsDeps;
  readonly #loaded = new Map<string, Wallet>();
  /** Changes of wallets that are no longer loaded, and one for each that was loaded or unloaded. */
  #pastChanges = 0;
  /** Wallets that are being created or loaded, by file; undefined for those that need not be stopped. */
  readonly #starting = new Map<string, Wallet | undefined>();
  /** Wallets that are being unloaded: their files are open until changes that still run have ended. */
  readonly #ending = new Set<Wallet>();
  readonly #directories: WalletDirectories;
  #isStopped = false;
  /** Ends the use of the directories of a wallet; does not keep unloaded wallets and their keys in memory. */
  readonly #releaseOf = new WeakMap<Wallet, () => Promise<void>>();
  readonly #backups: AutomaticBackups;
  #filling: Promise<void> | undefined;

  constructor({ directory, allowsOutside = false }: WalletsOptions, deps: WalletsDeps) {
    this.directory = directory;
    this.#allowsOutside = allowsOutside;
    this.#deps = deps;
    this.#directories = new WalletDirectories(deps.lockDirectory);
    this.#backups = new AutomaticBackups(() => [...this.#loaded.values()], deps.log);
  }

  /** Backs up every wallet into its directory at intervals, and keeps the last two backups. @see docs/protocol/wallet.md 1.13 */
  backUpEvery(minutes: number): void {
    this.#backups.start(minutes);
  }

  /** Number of changes of the loaded wallets, and of which are loaded, so far. */
  get changes(): number {
    let changes = this.#pastChanges;
    for (const wallet of this.#loaded.values()) changes += wallet.changes;
    return changes;
  }

  /** True while a loaded wallet searches the chain for its transactions. */
  get isRescanning(): boolean {
    for (const { rescan } of this.#loaded.values()) if (rescan.isRunning) return true;
    return false;
  }

  /** Resolves when the key pools of new wallets are full; undefined if they are. Wallet operations wait for it. */
  get filling(): Promise<void> | undefined {
    return this.#filling;
  }

  /** Loaded wallets, in the order of loading. */
  loaded(): Iterable<Wallet> {
    return this.#loaded.values();
  }

  /** Wallets whose files are open: loaded ones, and those that are being loaded or unloaded. */
  open(): Wallet[] {
    return [...this.#loaded.values(), ...this.#startingWallets(), ...this.#ending];
  }

  get(name: string): Wallet | undefined {
    return this.#loaded.get(name);
  }

  /**
   * True if a copy of a wallet at this path would replace an open wallet, which would lose what it writes afterwards, or another one of
   * the wallet directory, whose keys would be lost.
   */
  wouldReplace(path: string, { id }: Pick<Wallet, 'id'>): boolean {
    if (this.open().some((wallet) => path === wallet.path || isSameFile(path, wallet.path))) return true;
    return existsSync(path) && isInside(realpathSync(path), realpathSync(this.directory)) && holdsOtherWallet(path, id);
  }

  /** Names of all wallets in the directory. */
  listDirectory(): string[] {
    return listWallets(this.directory);
  }

  /** Finds the wallet of a call. @param name undefined for the only loaded one @throws {NodeError} */
  find(name: string | undefined): Wallet {
    if (name !== undefined) {
      const named = this.#loaded.get(name);
      if (!named) throw new NodeError('wallet-not-found', 'Requested wallet does not exist or is not loaded');
      return named;
    }
    const [first, second] = this.#loaded.values();
    if (!first) throw noWallet();
    if (second) {
      throw new NodeError(
        'wallet-not-specified',
        'Wallet file not specified (must request wallet RPC through /wallet/<filename> uri-path).',
      );
    }
    return first;
  }

  /** As {@link find}, but undefined if no wallet is named and not exactly one is loaded. @throws {NodeError} if the named one is not */
  findIfAny(name: string | undefined): Wallet | undefined {
    return name === undefined && this.#loaded.size !== 1 ? undefined : this.find(name);
  }

  /** A copy of a private key, if an unlocked wallet has it: encryption of the wallet does not wipe it while blocks are minted with it. */
  privateKey(keyId: Hash160): PrivateKey | undefined {
    for (const { keys } of this.#loaded.values()) {
      const key = keys.isLocked ? undefined : keys.privateKey(keyId);
      if (key) return { ...key, secret: Uint8Array.from(key.secret) };
    }
    return undefined;
  }

  /** Loads the configured wallets, and creates missing ones, whose key pools are filled later. @throws with a text for the user */
  async loadConfigured(names: readonly string[], how: LoadOptions = DEFAULT_LOAD): Promise<void> {
    const places = names.map((name) => this.#verify(name));
    const seen = new Set<string>();
    for (const { path, name } of places) {
      if (seen.has(path)) throw new BadWalletPath(`Error loading wallet ${name}. Duplicate -wallet filename specified.`);
      seen.add(path);
    }
    const fresh: Wallet[] = [];
    for (const place of places) {
      if (existsSync(place.file)) await this.#add(place, undefined, how);
      else fresh.push(await this.#add(place, PLAIN, { ...how, fillsLater: true }));
    }
    this.#filling = this.#fill(fresh);
  }

  async #fill(wallets: readonly Wallet[]): Promise<void> {
    for (const wallet of wallets) await wallet.fillKeyPool();
    this.#filling = undefined;
  }

  /** Loads an existing wallet. @throws {NodeError} */
  async load(name: string): Promise<Wallet> {
    const place = this.#locate(name);
    const isThere = place && existsSync(place.path);
    if (place && !isThere) throw new NodeError('wallet-not-found', `Wallet ${name} not found.`);
    if (place && statSync(place.path).isDirectory() && !existsSync(place.file)) {
      throw new NodeError('wallet-not-found', `Directory ${name} does not contain a wallet.dat file.`);
    }
    return this.#add(this.#requireUsable(name), undefined);
  }

  /** Creates and loads a wallet. @throws {NodeError} */
  async create(name: string, kind: NewWallet): Promise<Wallet> {
    const place = this.#locate(name);
    if (!place || this.#isTaken(place)) throw new NodeError('wallet', `Wallet ${name} already exists.`);
    if (!this.#allowsOutside && !isInside(place.path, this.directory)) {
      throw new NodeError('wallet', `Wallet ${name} would be outside of -walletdir ("${this.directory}"); -walletoutside allows that.`);
    }
    if (kind.passphrase !== undefined && kind.disablePrivateKeys) {
      throw new NodeError(
        'wallet',
        'Passphrase provided but private keys are disabled. A passphrase is only used to encrypt private keys, so cannot be used for ' +
          'wallets with private keys disabled.',
      );
    }
    return this.#add(this.#requireUsable(name), kind);
  }

  #isTaken(place: WalletLocation): boolean {
    return existsSync(place.path) && (isSameFile(place.path, this.directory) || !isInterruptedCreation(place));
  }

  /** Undefined if the name is not a valid path of a wallet. */
  #locate(name: string): WalletLocation | undefined {
    try {
      return locateWallet(name, this.directory);
    } catch (error) {
      if (error instanceof BadWalletPath) return undefined;
      throw error;
    }
  }

  #requireUsable(name: string): WalletLocation {
    try {
      return this.#verify(name);
    } catch (error) {
      if (error instanceof BadWalletPath) throw new NodeError('wallet', `Wallet file verification failed: ${error.message}`);
      throw error;
    }
  }

  /** @throws {BadWalletPath} if the path is not valid, or a wallet with the file is loaded, being loaded or being unloaded */
  #verify(name: string): WalletLocation {
    const place = locateWallet(name, this.directory);
    for (const path of [...this.open().map((wallet) => wallet.path), ...this.#starting.keys()]) {
      if (path === place.file) throw new BadWalletPath(`Error loading wallet ${name}. Duplicate -wallet filename specified.`);
    }
    return place;
  }

  async #add(place: WalletLocation, kind: NewWallet | undefined, how = DEFAULT_LOAD): Promise<Wallet> {
    this.#starting.set(place.file, undefined);
    try {
      const topmost = makeDirectory(place.directory);
      try {
        return await this.#addLocked(place, kind, how);
      } catch (error) {
        if (topmost !== undefined) removeEmpty(place.directory, topmost);
        throw error;
      }
    } finally {
      this.#starting.delete(place.file);
    }
  }

  async #addLocked(place: WalletLocation, kind: NewWallet | undefined, how: LoadOptions): Promise<Wallet> {
    const release = await this.#directories.use(place);
    try {
      if (this.#isStopped) throw new NodeError('unavailable', 'the node is stopping');
      return await (kind ? this.#createIn(place, kind, how, release) : this.#load(place, how, release));
    } catch (error) {
      await release();
      throw error;
    }
  }

  /** Creates a wallet, which becomes visible to clients when it has started. A failure before leaves no file. */
  async #createIn(place: WalletLocation, kind: NewWallet, how: LoadOptions, release: () => Promise<void>): Promise<Wallet> {
    const wallet = await Wallet.create(place.name, place.file, kind, this.#deps, how);
    this.#starting.set(place.file, wallet);
    await this.#start(wallet, how, release).catch((error) => {
      rmSync(place.file, { force: true });
      throw error;
    });
    this.#enter(place, wallet);
    return wallet;
  }

  /** Loads a wallet, which becomes visible to clients when it has caught up with the chain: before, its coins may be spent already. */
  async #load(place: WalletLocation, how: LoadOptions, release: () => Promise<void>): Promise<Wallet> {
    const wallet = this.#read(place);
    this.#starting.set(place.file, wallet);
    await this.#start(wallet, how, release);
    // A shutdown during the scan has stopped the wallet.
    if (this.#isStopped) throw new NodeError('unavailable', 'the node is stopping');
    this.#enter(place, wallet);
    return wallet;
  }

  /** Wallets that are being created or loaded, as far as they are open. */
  #startingWallets(): Wallet[] {
    return [...this.#starting.values()].flatMap((wallet) => wallet ?? []);
  }

  #enter({ name }: WalletLocation, wallet: Wallet): void {
    this.#loaded.set(name, wallet);
    this.#pastChanges += 1;
  }

  #leave(name: string): void {
    this.#pastChanges += (this.#loaded.get(name)?.changes ?? 0) + 1;
    this.#loaded.delete(name);
  }

  async #start(wallet: Wallet, how: LoadOptions, release: () => Promise<void>): Promise<void> {
    this.#releaseOf.set(wallet, release);
    try {
      await wallet.start(how);
    } catch (error) {
      // The error of `start` is the cause of any error here.
      await wallet.stop().catch(() => {});
      throw error;
    }
  }

  #read({ name, file }: WalletLocation): Wallet {
    try {
      // Before it is opened, which may rewrite it.
      this.#requireOther(file, ({ path }) => isSameFile(path, file));
      const opened = WalletFile.open(file, isPlainKey);
      try {
        this.#requireOther(file, ({ id }) => equalBytes(id, opened.id));
      } catch (error) {
        opened.close();
        throw error;
      }
      return openWallet(name, opened, this.#deps);
    } catch (error) {
      if (error instanceof WalletDamaged) throw new NodeError('wallet', error.describe(name), { cause: error });
      if (error instanceof WalletTooNew || error instanceof UnknownWalletFlag) {
        throw new NodeError('wallet', `Error loading ${name}: Wallet requires newer version of DeFi`, { cause: error });
      }
      throw error;
    }
  }

  /** @throws {NodeError} if an open wallet has the same file, or a copy of it */
  #requireOther(file: string, isEqual: (wallet: Wallet) => boolean): void {
    for (const wallet of this.open()) {
      if (!isEqual(wallet)) continue;
      const names = `${basename(file)} (duplicates fileid ${toHex(wallet.id)} from ${basename(wallet.path)})`;
      throw new NodeError('misc', `BerkeleyBatch: Can't open database ${names}`);
    }
  }

  /** @throws {NodeError} if no such wallet is loaded */
  async unload(name: string): Promise<void> {
    const wallet = this.find(name);
    this.#leave(name);
    await this.#end(wallet);
  }

  async #end(wallet: Wallet): Promise<void> {
    this.#ending.add(wallet);
    try {
      await wallet.stop();
    } finally {
      this.#ending.delete(wallet);
      await this.#releaseOf.get(wallet)?.();
    }
  }

  /** Unloads all wallets. @throws the first error, after all are unloaded */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#backups.stop();
    const wallets = new Set(this.open());
    for (const name of [...this.#loaded.keys()]) this.#leave(name);
    const ends = [];
    for (const wallet of wallets) ends.push(...(await Promise.allSettled([this.#end(wallet)])));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }
}

function openWallet(name: string, file: WalletFile, deps: WalletDeps): Wallet {
  try {
    return Wallet.open(name, file, deps);
  } catch (error) {
    file.discard();
    throw error;
  }
}

function isInside(path: string, directory: string): boolean {
  const between = relative(directory, path);
  return between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between);
}

/** Removes a directory and its parents up to `topmost`, as far as they are empty. */
function removeEmpty(directory: string, topmost: string): void {
  try {
    for (let at = directory; isInside(at, topmost); at = dirname(at)) rmdirSync(at);
  } catch {
    // Another wallet was created in it in the meantime.
  }
}

/** @returns the topmost directory that was created; undefined if all existed @throws {NodeError} with the prefix of the text of `defid` */
function makeDirectory(directory: string): string | undefined {
  if (existsSync(directory)) return undefined;
  try {
    return mkdirSync(directory, { recursive: true });
  } catch (cause) {
    const { message } = cause as Error;
    throw new NodeError('wallet', `boost::filesystem::create_directory: ${message}`, { cause });
  }
}
