import { StateAt } from '../../dfi/evm/state-at.js';
import { type BlockTag, LATEST, parseBlockTag, requireNumber } from '../block-tag.js';
import { type EthereumMethod, method } from '../method.js';
import type { EthereumModules } from '../modules.js';
import { optional, required } from '../params.js';
import { formatBytes, formatQuantity, formatWord, parseAddress, parseQuantity } from '../values.js';

const ofAddress = required('address', parseAddress);
const atBlock = optional('block_number', parseBlockTag, LATEST);

/** Methods about accounts after a block. @see docs/protocol/evm-engine.md 10.3 */
export const stateMethods: readonly EthereumMethod[] = [
  method('eth_getBalance', [ofAddress, atBlock], (modules, [address, tag]) => {
    return formatQuantity(stateOfTag(modules, tag).account(address)?.balance ?? 0n);
  }),
  method('eth_getTransactionCount', [ofAddress, atBlock], (modules, [address, tag]) => {
    const nonce = stateOfTag(modules, tag).account(address)?.nonce ?? 0n;
    const isPending = tag.kind === 'pending' && !modules.isStrict;
    return formatQuantity(isPending ? modules.mempool.evm.freeNonce(address, nonce) : nonce);
  }),
  method('eth_getCode', [ofAddress, atBlock], (modules, [address, tag]) => {
    return formatBytes(stateOfTag(modules, tag).code(address).bytes);
  }),
  method('eth_getStorageAt', [ofAddress, required('position', parseQuantity), atBlock], (modules, [address, slot, tag]) => {
    return formatWord(stateOfTag(modules, tag).storage(address, slot));
  }),
];

function stateOfTag({ chain }: EthereumModules, tag: BlockTag): StateAt {
  return new StateAt(chain, requireNumber(chain.state, tag));
}
