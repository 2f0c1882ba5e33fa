import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Another process that is still running holds the directory. */
export class DirectoryLocked extends Error {
  override name = 'DirectoryLocked';
  constructor(
    readonly directory: string,
    readonly holderPid: number,
  ) {
    super(`Cannot obtain a lock on data directory ${directory}. DeFi Blockchain is probably already running.`);
  }
}

/** Who holds a lock. Pids are used again, so the time at which the process started belongs to its identity. */
interface Holder {
  readonly pid: number;
  /** Boot and clock tick at which the process started; empty where the system does not say. */
  readonly started: string;
  /** Tells two locks of one process apart. */
  readonly nonce: string;
}

const FILE = '.lock';
const MAX_ATTEMPTS = 50;

/**
 * A directory that one running process has for itself, without native code.
 *
 * `.lock` names its holder; a holder that died, however it died, is succeeded. Who succeeds is decided by the creation of
 * `.lock.<nonce of the dead>`, which only one process can do; that process then puts its own record in the place of `.lock`. Should
 * it die in between, its successor continues from there: the records form a chain, and the last one counts.
 */
export class DirectoryLock {
  private constructor(
    private readonly directory: string,
    private readonly holder: Holder,
  ) {}

  /**
   * @throws {DirectoryLocked} while the holder lives
   * @throws {Error} of node:fs if the directory cannot be written
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

  /** Gives the directory free. The process need not do it: a dead holder holds nothing. */
  release(): void {
    if (readHolder(join(this.directory, FILE))?.nonce === this.holder.nonce) rmSync(join(this.directory, FILE), { force: true });
  }
}

/** @throws {DirectoryLocked} if the directory is held: a look before leaving the terminal */
export function checkUnlocked(directory: string): void {
  const holder = chainOf(directory).at(-1);
  if (holder && isAlive(holder)) throw new DirectoryLocked(directory, holder.pid);
}

/** One try to become the successor. @returns false if another process was quicker */
function succeed(directory: string, claim: string): boolean {
  const chain = chainOf(directory);
  const last = chain.at(-1);
  if (!last) return tryLink(claim, join(directory, FILE));
  if (isAlive(last)) throw new DirectoryLocked(directory, last.pid);
  const successor = join(directory, `${FILE}.${last.nonce}`);
  if (!tryLink(claim, successor)) return false;
  const now = chainOf(directory).slice(0, -1);
  if (now.length !== chain.length || now.some(({ nonce }, i) => nonce !== chain[i]?.nonce)) {
    rmSync(successor, { force: true }); // the chain we read was over before our link came to its end
    return false;
  }
  renameSync(claim, join(directory, FILE));
  for (const { nonce } of chain) rmSync(join(directory, `${FILE}.${nonce}`), { force: true });
  return true;
}

/** The record in `.lock` and those that succeeded it, oldest first; empty without lock. */
function chainOf(directory: string): Holder[] {
  const chain: Holder[] = [];
  for (let holder = readHolder(join(directory, FILE)); holder && chain.length < MAX_ATTEMPTS; ) {
    chain.push(holder);
    holder = readHolder(join(directory, `${FILE}.${holder.nonce}`));
  }
  return chain;
}

/** A file that is no record of ours (the reference leaves an empty one) is a holder that is gone. */
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

/** Creates `to` with the content of `from`, whole or not at all. @returns false if it exists */
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

/** Boot and tick at which a process started; `dead` for one that ended unmourned; undefined where the system does not tell (no /proc). */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name before may hold anything
    if (fields[0] === 'Z') return 'dead';
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}:${fields[19]}`;
  } catch {
    return undefined;
  }
}
