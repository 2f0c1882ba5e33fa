import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '../../util/errors.js';
import type { Logger } from '../../util/logger.js';
import { formatEndpoint, isOnion, parseEndpoint } from '../addresses/ip.js';
import type { LocalAddresses } from '../addresses/local-addresses.js';
import type { Networks } from '../addresses/networks.js';
import { isValidIp } from '../addresses/reachability.js';
import type { Endpoint } from '../wire/net-address.js';
import { authenticate } from './authenticate.js';
import { TorControl } from './control.js';
import { isKey, KEY_TYPES, type KeyFiles, type KeyType } from './key-file.js';
import { parseArguments, type TorReply } from './reply.js';

const OK = 250;
const UNRECOGNIZED_COMMAND = 510;
const COLLISION = 550;
const FIRST_PAUSE_MS = 1000;
const PAUSE_FACTOR = 1.5;
const LONGEST_PAUSE_MS = 10 * 60_000;
/** Default SOCKS address of a Tor daemon. */
const DEFAULT_SOCKS = '127.0.0.1:9050';
/** Form of the names of v2 and v3 services, without `.onion`. */
const SERVICE_ID: Readonly<Record<KeyType, RegExp>> = { RSA1024: /^[a-z2-7]{16}$/, 'ED25519-V3': /^[a-z2-7]{56}$/ };

export interface OnionServiceConfig {
  /** Control port of the Tor daemon. */
  readonly control: Endpoint;
  /** -torpassword; empty for none. */
  readonly password: string;
  /** Port of the service: the default one of the network, because any other would identify the node. */
  readonly port: number;
  /** Port that this node listens on. */
  readonly listenPort: number;
  /** Address that this node listens on; undefined for all of them. */
  readonly listenIp: Uint8Array | undefined;
}

export interface OnionServiceDeps {
  readonly keys: KeyFiles;
  readonly local: Pick<LocalAddresses, 'setOnion' | 'clearOnion'>;
  readonly networks: Pick<Networks, 'offerOnionProxy'>;
  readonly log: Logger;
  /** For tests. */
  readonly firstPauseMs?: number;
}

/**
 * Maintains a Tor service for inbound connections while a Tor daemon is running (-listenonion). If there is no daemon, the connection is
 * retried at growing intervals.
 */
export class OnionService {
  readonly #config: OnionServiceConfig;
  readonly #deps: OnionServiceDeps;
  readonly #stopping = new AbortController();
  /** Keys of this run, including those that could not be stored. */
  readonly #keys = new Map<KeyType, string>();
  #running: Promise<void> = Promise.resolve();
  #lastWarning = '';

  constructor(config: OnionServiceConfig, deps: OnionServiceDeps) {
    this.#config = config;
    this.#deps = deps;
  }

  start(): void {
    this.#running = this.#keepService();
  }

  /** Closes the control connection, with which Tor removes the service. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #keepService(): Promise<void> {
    const { signal } = this.#stopping;
    const { firstPauseMs = FIRST_PAUSE_MS } = this.#deps;
    let pauseMs = firstPauseMs;
    while (!signal.aborted) {
      if (await this.#serve()) pauseMs = firstPauseMs;
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * PAUSE_FACTOR);
    }
  }

  /** Adds the service and keeps it until the connection ends. @returns true if there was a service */
  async #serve(): Promise<boolean> {
    const { local, networks, log } = this.#deps;
    let control: TorControl | undefined;
    try {
      control = await TorControl.open(this.#config.control, this.#stopping.signal);
    } catch (error) {
      log.debug('no Tor control port', { control: formatEndpoint(this.#config.control), error: errorText(error) });
      return false;
    }
    try {
      await authenticate(control, this.#config.password, log);
      networks.offerOnionProxy({ endpoint: await socksEndpoint(control), randomizesCredentials: true });
      const host = `${await this.#addService(control)}.onion`;
      local.setOnion(host, this.#config.port);
      this.#lastWarning = '';
      log.info('Tor service created', { address: `${host}:${this.#config.port}` });
      await control.closed;
      return true;
    } catch (error) {
      this.#warn(errorText(error));
      return false;
    } finally {
      local.clearOnion();
      control.close();
    }
  }

  /**
   * Adds a v2 service if Tor still supports them, because only their addresses fit into messages to peers; otherwise a v3 service.
   * @returns name of the service, without `.onion`
   */
  async #addService(control: TorControl): Promise<string> {
    let reply: TorReply | undefined;
    for (const type of this.#typesToTry()) {
      const key = this.#keys.get(type) ?? this.#deps.keys.read(type);
      reply = await control.command(`ADD_ONION ${key ?? `NEW:${type}`} Port=${this.#config.port},${this.#target(control)}`);
      if (reply.code === OK) return this.#added(type, key, reply);
      this.#deps.log.debug('Tor rejected a service', { type, code: reply.code });
      if (reply.code === UNRECOGNIZED_COMMAND || reply.code === COLLISION) break;
    }
    const hint = reply?.code === UNRECOGNIZED_COMMAND ? ' (Tor is too old)' : '';
    throw new Error(`Tor refuses ADD_ONION: ${reply?.code}${hint}`);
  }

  /** Key types to try; a node with the key of a v3 service keeps that service. */
  #typesToTry(): readonly KeyType[] {
    const [v2, v3] = KEY_TYPES;
    const has = (type: KeyType) => this.#keys.has(type) || this.#deps.keys.read(type) !== undefined;
    return has(v3) && !has(v2) ? [v3] : KEY_TYPES;
  }

  #added(type: KeyType, known: string | undefined, { lines }: TorReply): string {
    const answer = new Map(lines.flatMap((line) => [...parseArguments(line)]));
    const id = answer.get('ServiceID');
    const key = known ?? answer.get('PrivateKey');
    if (id === undefined || !SERVICE_ID[type].test(id) || key === undefined || !isKey(key, type)) {
      throw new Error('the answer of Tor to ADD_ONION has no name or no key');
    }
    this.#keys.set(type, key);
    if (known === undefined) this.#store(type, key);
    return id;
  }

  /** Stores a key. If that fails, the service works, but has another name after the next start. */
  #store(type: KeyType, key: string): void {
    try {
      this.#deps.keys.write(type, key);
    } catch (error) {
      this.#deps.log.error('failed to store the key of the Tor service', { error: errorText(error) });
    }
  }

  /** Endpoint of this node to which Tor forwards connections. */
  #target(control: TorControl): string {
    const ip = this.#config.listenIp ?? control.localIp;
    if (!ip) throw new Error('Tor control connection ended');
    return formatEndpoint({ ip, port: this.#config.listenPort });
  }

  /** Warns once per reason, not at each attempt. */
  #warn(reason: string): void {
    if (this.#stopping.signal.aborted) return;
    if (reason !== this.#lastWarning) this.#deps.log.warn('no Tor service', { reason });
    this.#lastWarning = reason;
  }
}

/** SOCKS endpoint of the daemon, preferably on loopback. */
async function socksEndpoint(control: TorControl): Promise<Endpoint> {
  const { code, lines } = await control.command('GETINFO net/listeners/socks');
  const listed = code === OK ? lines.flatMap((line) => [...line.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text)) : [];
  const usable = listed.flatMap((text) => parseEndpoint(text, 0) ?? []).filter(({ ip, port }) => port > 0 && isValidIp(ip) && !isOnion(ip));
  const chosen = usable.find((each) => formatEndpoint(each).startsWith('127.0.0.1:')) ?? usable[0] ?? parseEndpoint(DEFAULT_SOCKS, 0);
  if (!chosen) throw new Error('Tor has no SOCKS port');
  return chosen;
}
