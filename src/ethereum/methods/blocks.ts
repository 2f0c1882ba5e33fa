import { evmBlockNumber, evmReceipts, evmTip, type StoredBlock } from '../../dfi/evm/blocks.js';
import type { MaybePromise } from '../../util/slicer.js';
import { parseBlockTag, requireBlock, requireNumber } from '../block-tag.js';
import { blockForm } from '../forms/block.js';
import type { EthereumObject } from '../json.js';
import { type EthereumCall, type EthereumMethod, method } from '../method.js';
import type { EthereumModules } from '../modules.js';
import { optional, required } from '../params.js';
import { formatQuantity, parseBoolean, parseHash } from '../values.js';

const isFull = optional('full_transactions', parseBoolean, false);
const byTag = required('block_number', parseBlockTag);
const ofTag = required('number', parseBlockTag);
const byHash = required('hash', parseHash);

/** Methods about blocks. @see docs/protocol/evm-engine.md 10.3 */
export const blockMethods: readonly EthereumMethod[] = [
  method('eth_blockNumber', [], ({ chain }) => formatQuantity(evmTip(chain.state)?.number ?? 0)),
  method('eth_getBlockByNumber', [byTag, isFull], (modules, [tag, full], call) => {
    const { state } = modules.chain;
    return shown(modules, requireBlock(state, requireNumber(state, tag)), full, call);
  }),
  method('eth_getBlockByHash', [byHash, isFull], (modules, [hash, full], call) => {
    const { state } = modules.chain;
    const number = evmBlockNumber(state, hash);
    return number === undefined ? null : shown(modules, requireBlock(state, number), full, call);
  }),
  method('eth_getBlockTransactionCountByNumber', [ofTag], ({ chain: { state } }, [tag]) => {
    return requireBlock(state, requireNumber(state, tag)).entries.length;
  }),
  method('eth_getBlockTransactionCountByHash', [byHash], ({ chain: { state } }, [hash]) => {
    const number = evmBlockNumber(state, hash);
    return number === undefined ? 0 : requireBlock(state, number).entries.length;
  }),
  method('eth_getUncleCountByBlockNumber', [], () => '0x0'),
  method('eth_getUncleCountByBlockHash', [], () => '0x0'),
  method('eth_getUncleByBlockNumberAndIndex', [], () => null),
  method('eth_getUncleByBlockHashAndIndex', [], () => null),
];

function shown({ chain, isStrict }: EthereumModules, block: StoredBlock, full: boolean, call: EthereumCall): MaybePromise<EthereumObject> {
  return blockForm(block, full ? evmReceipts(chain.state, Number(block.header.number)) : undefined, isStrict, call);
}
