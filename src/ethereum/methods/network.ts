import { keccak256 } from '../../crypto/keccak.js';
import { RELEASE_VERSION } from '../../params/protocol.js';
import { type MaybePromise, withValue } from '../../util/slicer.js';
import { customError, headerNotFound } from '../errors.js';
import type { EthereumJson } from '../json.js';
import { type EthereumMethod, method } from '../method.js';
import type { EthereumModules } from '../modules.js';
import { required } from '../params.js';
import { formatBytes, formatQuantity, parseBytes, parseText } from '../values.js';

const WORK = [required('nonce', parseText), required('hash', parseText), required('digest', parseText)] as const;

/** Methods about the network and the node. @see docs/protocol/evm-engine.md 10.3 */
export const networkMethods: readonly EthereumMethod[] = [
  method('eth_chainId', [], ({ chain }) => formatQuantity(chain.params.evmChainId)),
  method('net_version', [], ({ chain }) => String(chain.params.evmChainId)),
  method('net_peerCount', [], ({ peers }) => formatQuantity(peers.count)),
  method('web3_clientVersion', [], clientVersion),
  method('web3_sha3', [required('input', parseBytes)], (modules, [data]) => withValue(hashOf(modules, data), formatBytes)),
  method('eth_syncing', [], syncing),
  method('eth_mining', [], ({ minting }) => minting.isMinting()),
  method('eth_hashrate', [], () => '0x0'),
  method('eth_submitHashrate', [required('hashrate', parseText), required('id', parseText)], () => false),
  method('eth_submitWork', WORK, () => false),
  method('eth_getWork', [], () => [NO_WORK, NO_WORK, NO_WORK]),
];

/** Size from which data are hashed by another thread. Hashing less takes no longer than the transfer to that thread. */
const LONG_DATA = 64 * 1024;

function hashOf({ execution }: Pick<EthereumModules, 'execution'>, data: Uint8Array): MaybePromise<Uint8Array> {
  const work = data.length >= LONG_DATA ? execution.offload?.({ name: 'keccak', data }, 0) : undefined;
  return work ? work.then((hash) => hash as Uint8Array) : keccak256(data);
}

function syncing({ chain, sync }: EthereumModules): EthereumJson {
  if (chain.tip.height === 0) throw customError('Block index not available');
  if (!sync.isBehind) return false;
  const progress = sync.progress();
  if (!progress) throw headerNotFound();
  const { starting, current, highest } = progress;
  // Snake case, as `defid` writes it.
  return { starting_block: formatQuantity(starting), current_block: formatQuantity(current), highest_block: formatQuantity(highest) };
}

/** With -rpcstrict in the form of `defid`, which its clients parse: version of `defid`, names of Rust for the system, compiler. */
function clientVersion({ version, isStrict }: EthereumModules): string {
  if (!isStrict) return `DeFiChain/${version}/${process.platform}-${process.arch}`;
  const architecture = process.arch === 'x64' ? 'x86_64' : 'aarch64';
  return `DeFiChain/v${RELEASE_VERSION}-${version}/${process.platform === 'darwin' ? 'macos' : 'linux'}-${architecture}/rustc-none`;
}

const NO_WORK = formatBytes(new Uint8Array(32));
