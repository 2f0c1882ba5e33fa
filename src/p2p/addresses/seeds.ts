import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../util/logger.js';
import type { AddressBook } from './address-book.js';
import { type Resolve, resolveNode } from './dns.js';
import { type Ip, parseEndpoint } from './ip.js';
import { Service } from './services.js';

const DAY_SEC = 86_400;
/** What a node knows may serve it better than seeds: they are asked when it has not in this time. */
const OWN_CHANCE_MS = 11_000;
const FIXED_AFTER_MS = 60_000;
const MOST_PER_SEED = 256;
const WANTED_SERVICES = Service.network | Service.witness;

export interface SeedOptions {
  readonly dnsSeeds: readonly string[];
  /** `ip:port` */
  readonly fixedSeeds: readonly string[];
  readonly port: number;
  readonly useDns: boolean;
  /** Ask even if enough addresses are known. */
  readonly force: boolean;
}

export interface SeedDeps {
  readonly book: AddressBook;
  readonly resolve: Resolve;
  readonly log: Logger;
  /**
   * Connects to a seed by name and asks it for addresses; undefined where names are looked up here. With a proxy for names no DNS query
   * leaves this node: the proxy picks one of the addresses of the name.
   */
  readonly connectSeed: ((seed: string) => Promise<void>) | undefined;
  /** Own connections that are ready. */
  readonly connected: () => number;
  readonly now: () => number;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** First addresses for a node that knows nobody: from names that list nodes, and if that fails from a list in the program. */
export async function findFirstAddresses(options: SeedOptions, deps: SeedDeps): Promise<void> {
  const { book, signal } = deps;
  if (options.useDns && options.dnsSeeds.length > 0) await askDns(options, deps);
  if (options.fixedSeeds.length === 0) return;
  if (book.size === 0) await pause(FIXED_AFTER_MS, signal);
  if (book.size === 0 && !signal.aborted) addFixed(options, deps);
}

async function askDns({ dnsSeeds, port, force }: SeedOptions, deps: SeedDeps): Promise<void> {
  const { book, connected, resolve, connectSeed, log, signal } = deps;
  if (book.size > 0 && !force) {
    await pause(OWN_CHANCE_MS, signal);
    if (signal.aborted || connected() >= 2) return;
  }
  for (const seed of dnsSeeds) {
    if (connectSeed) {
      await connectSeed(seed);
      if (signal.aborted) return;
      continue;
    }
    // Seeds that know of services answer for those only; the others answer for all.
    const filtered = await resolveNode(`x${WANTED_SERVICES.toString(16)}.${seed}`, port, resolve);
    const found = filtered.length > 0 ? filtered : await resolveNode(seed, port, resolve);
    if (signal.aborted) return;
    const source = found[0]?.ip;
    if (source) book.add(found.slice(0, MOST_PER_SEED).map(withGuessedAge(deps, 3, 4)), source);
    log.debug('asked a DNS seed', { seed, addresses: found.length });
  }
}

function addFixed({ fixedSeeds, port }: SeedOptions, deps: SeedDeps): void {
  const found = fixedSeeds.flatMap((text) => parseEndpoint(text, port) ?? []);
  const source: Ip | undefined = found[0]?.ip;
  if (source) deps.book.add(found.map(withGuessedAge(deps, 7, 7)), source);
  deps.log.info('took the addresses of the program, as no others are known', { addresses: found.length });
}

/** Nobody says when these were last there: somewhere between the two, so that what peers tell counts for more. */
function withGuessedAge({ now, random }: SeedDeps, leastDays: number, moreDays: number) {
  return ({ ip, port }: { ip: Ip; port: number }) => ({
    ip,
    port,
    services: WANTED_SERVICES,
    time: Math.floor(now() - (leastDays + random() * moreDays) * DAY_SEC),
  });
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
