import type { NetworkName } from '../params/network.js';
import type { Settings } from './settings.js';

/** How a network is chosen and where it lives: what must be known before its parameters are. */
export interface NetworkBase {
  readonly name: NetworkName;
  /** Flag that chooses it; main needs none. */
  readonly flag: 'testnet' | 'changi' | 'devnet' | 'regtest' | undefined;
  /** Section of the configuration file. */
  readonly section: string;
  /** Sub-directory of the data directory. */
  readonly directory: string;
  readonly ports: Readonly<Record<PortName, number>>;
}

/** The listeners a node may have; `eth`, `ws` and `ocean` belong to later upgrades. */
export type PortName = 'p2p' | 'rpc' | 'grpc' | 'metrics' | 'eth' | 'ws';

function network(
  name: NetworkName,
  flag: NetworkBase['flag'],
  directory: string,
  [grpc, eth, metrics, ws, rpc, p2p]: readonly [number, number, number, number, number, number],
): NetworkBase {
  return { name, flag, section: name, directory, ports: { grpc, eth, metrics, ws, rpc, p2p } };
}

/** docs/protocol/rpc-chain.md 2.3; the gRPC and metrics ports are our own. */
export const NETWORKS: readonly NetworkBase[] = [
  network('main', undefined, '', [8550, 8551, 8552, 8553, 8554, 8555]),
  network('test', 'testnet', 'testnet3', [18550, 18551, 18552, 18553, 18554, 18555]),
  network('changi', 'changi', 'changi', [20550, 20551, 20552, 20553, 20554, 20555]),
  network('devnet', 'devnet', 'devnet', [21550, 21551, 21552, 21553, 21554, 21555]),
  network('regtest', 'regtest', 'regtest', [19550, 19551, 19552, 19553, 19554, 19555]),
];

export function networkBase(name: NetworkName): NetworkBase {
  const found = NETWORKS.find((candidate) => candidate.name === name);
  if (!found) throw new RangeError(`no network ${name}`);
  return found;
}

const BOOTSTRAP_KEYS = { changi: 'changi-bootstrap', devnet: 'devnet-bootstrap' } as const;

/** Whether a network that once left the test network fetches its history from the peers of that. */
export function isBootstrapping(settings: Pick<Settings, 'bool'>, name: NetworkName): boolean {
  return (name === 'changi' || name === 'devnet') && settings.bool(BOOTSTRAP_KEYS[name]);
}

/** Among peers of the test network also the ports are theirs. docs/protocol/chain.md 1.1 */
export function withPortsInUse(base: NetworkBase, settings: Pick<Settings, 'bool'>): NetworkBase {
  return isBootstrapping(settings, base.name) ? { ...base, ports: networkBase('test').ports } : base;
}

/** The default ports of a listener as help prints them. */
export function portsText(port: PortName): string {
  return NETWORKS.map(({ name, ports }) => (name === 'main' ? `${ports[port]}` : `${name}: ${ports[port]}`)).join(', ');
}
