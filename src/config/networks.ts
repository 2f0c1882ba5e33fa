import { type NetworkName, P2P_PORTS } from '../params/network.js';
import type { Settings } from './settings.js';

/** Facts of a network that are needed before its parameters can be built. */
export interface NetworkBase {
  readonly name: NetworkName;
  /** Flag that selects it; undefined for main, the default. */
  readonly flag: 'testnet' | 'changi' | 'devnet' | 'regtest' | undefined;
  /** Section of the configuration file. */
  readonly section: string;
  /** Sub-directory of the data directory; empty on main. */
  readonly directory: string;
  readonly ports: Readonly<Record<PortName, number>>;
  /** True for -dev: regtest with all upgrades and a chain of its own. */
  readonly isDev?: boolean;
}

/** Listeners of a node. */
export type PortName = 'p2p' | 'rpc' | 'grpc' | 'metrics' | 'eth' | 'ws';

function network(
  name: NetworkName,
  flag: NetworkBase['flag'],
  directory: string,
  [grpc, eth, metrics, ws, rpc]: readonly [number, number, number, number, number],
): NetworkBase {
  return { name, flag, section: name, directory, ports: { grpc, eth, metrics, ws, rpc, p2p: P2P_PORTS[name] } };
}

/** All networks. The gRPC and metrics ports are our own. @see docs/protocol/rpc-chain.md 2.3 */
export const NETWORKS: readonly NetworkBase[] = [
  network('main', undefined, '', [8550, 8551, 8552, 8553, 8554]),
  network('test', 'testnet', 'testnet3', [18550, 18551, 18552, 18553, 18554]),
  network('changi', 'changi', 'changi', [20550, 20551, 20552, 20553, 20554]),
  network('devnet', 'devnet', 'devnet', [21550, 21551, 21552, 21553, 21554]),
  network('regtest', 'regtest', 'regtest', [19550, 19551, 19552, 19553, 19554]),
];

export function networkBase(name: NetworkName): NetworkBase {
  const found = NETWORKS.find((candidate) => candidate.name === name);
  if (!found) throw new RangeError(`no network ${name}`);
  return found;
}

/** The development network of -dev: regtest in a directory of its own, because its genesis block and its rules are others. */
export const DEVELOPMENT: NetworkBase = { ...networkBase('regtest'), directory: 'dev', isDev: true };

const BOOTSTRAP_KEYS = { changi: 'changi-bootstrap', devnet: 'devnet-bootstrap' } as const;

/** True if changi or devnet, which branched off the test network, downloads its history from the peers of the test network. */
export function isBootstrapping(settings: Pick<Settings, 'bool'>, name: NetworkName): boolean {
  return (name === 'changi' || name === 'devnet') && settings.bool(BOOTSTRAP_KEYS[name]);
}

/** Facts of a network; while it bootstraps it has the ports of the test network. @see docs/protocol/chain.md 1.1 */
export function withPortsInUse(base: NetworkBase, settings: Pick<Settings, 'bool'>): NetworkBase {
  return isBootstrapping(settings, base.name) ? { ...base, ports: networkBase('test').ports } : base;
}

/** Default ports of a listener on each network, for help texts. */
export function portsText(port: PortName): string {
  return NETWORKS.map(({ name, ports }) => (name === 'main' ? `${ports[port]}` : `${name}: ${ports[port]}`)).join(', ');
}
