import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../util/logger.js';
import type { AddressBook } from './address-book.js';
import { type Resolve, resolveNode } from './dns.js';
import { type Ip, parseEndpoint } from './ip.js';
import { Service } from './services.js';

const DAY_SEC = 86_400;
/** Time in which the node tries to connect to known addresses before it queries the seeds. */
const KNOWN_ADDRESSES_MS = 11_000;
const FIXED_AFTER_MS = 60_000;
const MAX_PER_SEED = 256;
const WANTED_SERVICES = Service.network | Service.witness;

/** Seeds of the network, and the options that control their use. */
export interface SeedOptions {
  readonly dnsSeeds: readonly string[];
  /** `ip:port` */
  readonly fixedSeeds: readonly string[];
  readonly port: number;
  readonly useDns: boolean;
  /** -forcednsseed: query the seeds even if addresses are known. */
  readonly force: boolean;
}

/** Parts of the node that `findFirstAddresses` uses. */
export interface SeedDeps {
  readonly book: AddressBook;
  readonly resolve: Resolve;
  readonly log: Logger;
  /** A proxy resolves names, so that this node makes no DNS query: the proxy chooses one of the addresses of the name. */
  readonly byProxy: boolean;
  /** Connects to a seed by name and requests addresses from it. */
  readonly connectSeed: (seed: string) => Promise<void>;
  /** Number of outbound peers whose handshake is complete. */
  readonly connected: () => number;
  readonly now: () => number;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** Fills an empty address book: from DNS seeds, and if that fails from the built-in seed nodes. */
export async function findFirstAddresses(options: SeedOptions, deps: SeedDeps): Promise<void> {
  const { book, signal } = deps;
  if (options.useDns && options.dnsSeeds.length > 0) await queryDnsSeeds(options, deps);
  if (options.fixedSeeds.length === 0) return;
  if (book.size === 0) await pause(FIXED_AFTER_MS, signal);
  if (book.size === 0 && !signal.aborted) addFixed(options, deps);
}

async function queryDnsSeeds({ dnsSeeds, port, force }: SeedOptions, deps: SeedDeps): Promise<void> {
  const { book, connected, resolve, byProxy, connectSeed, log, signal } = deps;
  if (book.size > 0 && !force) {
    await pause(KNOWN_ADDRESSES_MS, signal);
    if (signal.aborted || connected() >= 2) return;
  }
  for (const seed of dnsSeeds) {
    // A seed that supports service filters answers with matching nodes; other seeds do not resolve the name with the prefix.
    const found = byProxy ? [] : await resolveNode(`x${WANTED_SERVICES.toString(16)}.${seed}`, port, resolve);
    if (signal.aborted) return;
    const source = found[0]?.ip;
    if (source) book.add(found.slice(0, MAX_PER_SEED).map(withRandomAge(deps, 3, 4)), source);
    else await connectSeed(seed);
    log.debug('queried a DNS seed', { seed, addresses: found.length });
  }
}

function addFixed({ fixedSeeds, port }: SeedOptions, deps: SeedDeps): void {
  const found = fixedSeeds.flatMap((text) => parseEndpoint(text, port) ?? []);
  const source: Ip | undefined = found[0]?.ip;
  if (source) deps.book.add(found.map(withRandomAge(deps, 7, 7)), source);
  deps.log.info('address book empty, using built-in seed nodes', { addresses: found.length });
}

/** Gives addresses of seeds, whose times are unknown, a random age of some days, so that those announced by peers are preferred. */
function withRandomAge({ now, random }: SeedDeps, leastDays: number, moreDays: number) {
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
