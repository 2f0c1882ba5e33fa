import { evmBlock, evmBlockNumber, evmReceipts, evmTip, evmTransaction } from '../../dfi/evm/blocks.js';
import { inSlices } from '../../util/slicer.js';
import { customError } from '../errors.js';
import { receiptForm } from '../forms/receipt.js';
import { minedForm, waitingForm } from '../forms/transaction.js';
import type { EthereumJson } from '../json.js';
import { type EthereumMethod, method } from '../method.js';
import type { EthereumModules } from '../modules.js';
import { required } from '../params.js';
import { indexOf, parseHash, parseQuantity } from '../values.js';

const byHash = required('hash', parseHash);
const byIndex = required('index', parseQuantity);

/** Methods about transactions of blocks. @see docs/protocol/evm-engine.md 10.3 */
export const transactionMethods: readonly EthereumMethod[] = [
  method('eth_getTransactionByHash', [byHash], (modules, [hash]) => {
    const { chain, mempool, isStrict } = modules;
    const place = evmTransaction(chain.state, hash);
    if (place) return transactionAt(modules, place.number, place.index);
    const waiting = isStrict ? undefined : mempool.evm.withHash(hash)?.evm;
    return waiting ? waitingForm(waiting.signed) : null;
  }),
  method('eth_getTransactionByBlockHashAndIndex', [byHash, byIndex], (modules, [hash, index]) => {
    const place = Number(indexOf(index));
    const number = evmBlockNumber(modules.chain.state, hash);
    return number === undefined ? null : transactionIn(modules, number, place);
  }),
  method('eth_getTransactionByBlockNumberAndIndex', [required('block_number', parseQuantity), byIndex], (modules, [number, index]) => {
    const place = Number(indexOf(index));
    if (number > (evmTip(modules.chain.state)?.number ?? -1)) throw customError('Error fetching block by number');
    return transactionIn(modules, Number(number), place);
  }),
  method('eth_getTransactionReceipt', [byHash], ({ chain: { state } }, [hash], call) => {
    const place = evmTransaction(state, hash);
    const block = place && evmBlock(state, place.number);
    return block ? inSlices(receiptForm(block, evmReceipts(state, place.number), place.index), call) : null;
  }),
];

/** If several entries have the same hash, as equal system entries do, `defid` returns the last of them, in whatever block. */
function transactionIn(modules: EthereumModules, number: number, index: number): EthereumJson {
  const { chain, isStrict } = modules;
  const entry = isStrict ? evmBlock(chain.state, number)?.entries[index] : undefined;
  const place = entry && evmTransaction(chain.state, entry.hash);
  return transactionAt(modules, place?.number ?? number, place?.index ?? index);
}

function transactionAt({ chain, isStrict }: EthereumModules, number: number, index: number): EthereumJson {
  const block = evmBlock(chain.state, number);
  const receipt = evmReceipts(chain.state, number)[index];
  return block && receipt ? minedForm(block, index, receipt, isStrict) : null;
}
