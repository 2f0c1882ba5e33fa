import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The directory is locked by another running process. */
export class DirectoryLocked extends Error {
  override name = 'DirectoryLocked';
  constructor(
    readonly directory: string,
    readonly holderPid: number,
  ) {
    super(`Cannot obtain a lock on data directory ${directory}. DeFi Blockchain is probably already running.`);
  }
}

/** Owner of a lock. Process ids are reused, so the start time of the process is part of its identity. */
interface Holder {
  readonly pid: number;
  /** Boot id and clock tick of the start of the process; empty if the system does not provide them. */
  readonly started: string;
  /** Distinguishes two locks of one process. */
  readonly nonce: string;
}

const FILE = '.lock';
const MAX_ATTEMPTS = 50;

/**
 * Exclusive lock of a directory by a running process, without native code.
 *
 * `.lock` contains a record of its holder; a stale lock is taken over. Processes that try to take it over compete in creating
 * `.lock.<nonce of the dead holder>`, in which only one succeeds; that process then replaces `.lock` by its own record. If it dies in
 * between, the next process continues from there: the records form a chain, and the last one is the holder.
 */
export class DirectoryLock {
  private constructor(
    private readonly directory: string,
    private readonly holder: Holder,
  ) {}

  /**
   * @throws {DirectoryLocked} if the holder is running
   * @throws {Error} of `node:fs` if the directory cannot be written
   */
  static acquire(directory: string): DirectoryLock {
    const me: Holder = { pid: process.pid, started: startTime(process.pid) ?? '', nonce: randomBytes(8).toString('hex') };
    const claim = join(directory, `${FILE}.${me.nonce}.claim`);
    writeFileSync(claim, JSON.stringify(me), { mode: 0o600 });
    try {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        if (succeed(directory, claim)) return new DirectoryLock(directory, me);
      }
      throw new DirectoryLocked(directory, 0);
    } finally {
      rmSync(claim, { force: true });
    }
  }

  /** Releases the lock. A process that ends without it leaves a stale lock, which can be taken over. */
  release(): void {
    if (readHolder(join(this.directory, FILE))?.nonce === this.holder.nonce) rmSync(join(this.directory, FILE), { force: true });
  }
}

/** Checks the lock without acquiring it, before the daemon leaves the terminal. @throws {DirectoryLocked} if the holder is running */
export function checkUnlocked(directory: string): void {
  const holder = chainOf(directory).at(-1);
  if (holder && isAlive(holder)) throw new DirectoryLocked(directory, holder.pid);
}

/** Tries once to become the holder. @returns false if another process was faster */
function succeed(directory: string, claim: string): boolean {
  const chain = chainOf(directory);
  const last = chain.at(-1);
  if (!last) return tryLink(claim, join(directory, FILE));
  if (isAlive(last)) throw new DirectoryLocked(directory, last.pid);
  const successor = join(directory, `${FILE}.${last.nonce}`);
  if (!tryLink(claim, successor)) return false;
  const now = chainOf(directory).slice(0, -1);
  if (now.length !== chain.length || now.some(({ nonce }, i) => nonce !== chain[i]?.nonce)) {
    rmSync(successor, { force: true }); // another process completed a takeover between our reading of the chain and our link
    return false;
  }
  renameSync(claim, join(directory, FILE));
  for (const { nonce } of chain) rmSync(join(directory, `${FILE}.${nonce}`), { force: true });
  return true;
}

/** The record in `.lock` and those that took it over, oldest first; empty without lock. */
function chainOf(directory: string): Holder[] {
  const chain: Holder[] = [];
  for (let holder = readHolder(join(directory, FILE)); holder && chain.length < MAX_ATTEMPTS; ) {
    chain.push(holder);
    holder = readHolder(join(directory, `${FILE}.${holder.nonce}`));
  }
  return chain;
}

/** A file without a record of ours counts as a dead holder; `defid` leaves an empty one. */
function readHolder(path: string): Holder | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { pid, started, nonce } = JSON.parse(text) as Partial<Holder>;
    if (typeof pid === 'number' && typeof started === 'string' && /^[0-9a-f]+$/.test(nonce ?? ''))
      return { pid, started, nonce: nonce ?? '' };
  } catch {
    // not JSON: below
  }
  return { pid: 0, started: '', nonce: 'foreign' };
}

/** Creates `to` with the content of `from` atomically. @returns false if it exists */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function isAlive({ pid, started }: Holder): boolean {
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const now = startTime(pid);
  return now !== 'dead' && (now === undefined || started === '' || now === started);
}

/** Boot id and clock tick of the start of a process; `dead` for a zombie (exited, not reaped); undefined without `/proc`. */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the process name in front may contain any character
    if (fields[0] === 'Z') return 'dead';
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}:${fields[19]}`;
  } catch {
    return undefined;
  }
}
