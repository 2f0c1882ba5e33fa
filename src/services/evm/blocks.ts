import type {
  GetEvmBlockRequest,
  GetEvmBlockResponse,
  GetEvmReceiptRequest,
  GetEvmReceiptResponse,
  GetEvmTransactionRequest,
  GetEvmTransactionResponse,
} from '../../../gen/ts/dfi/evm/v1/evm.js';
import type { StoredReceipt } from '../../dfi/evm/block-columns.js';
import { evmBlock, evmReceipts, evmTransaction, type StoredBlock } from '../../dfi/evm/blocks.js';
import { requireNumber } from '../../ethereum/block-tag.js';
import { parseHash } from '../../ethereum/values.js';
import type { Handler } from '../../rpc/handler.js';
import type { StateView } from '../../storage/view.js';
import { NodeError } from '../../util/errors.js';
import { answered, readTag } from './arguments.js';
import { blockMessage, receiptMessage, transactionMessage } from './messages.js';
import type { EvmModules } from './modules.js';

/** A block. */
export const getEvmBlock: Handler<EvmModules, GetEvmBlockRequest, GetEvmBlockResponse> = ({ chain }, { block }) =>
  answered(() => ({ block: blockMessage(evmBlock(chain.state, requireNumber(chain.state, readTag(block))) as StoredBlock) }));

/** A transaction of a block. */
export const getEvmTransaction: Handler<EvmModules, GetEvmTransactionRequest, GetEvmTransactionResponse> = ({ chain }, { hash }) =>
  answered(() => {
    const { block, receipts, index } = requirePlace(chain.state, parseHash(hash));
    return { transaction: transactionMessage(block, index, receipts[index] as StoredReceipt) };
  });

/** The receipt of a transaction. */
export const getEvmReceipt: Handler<EvmModules, GetEvmReceiptRequest, GetEvmReceiptResponse> = ({ chain }, { hash }) =>
  answered(() => {
    const { block, receipts, index } = requirePlace(chain.state, parseHash(hash));
    return { receipt: receiptMessage(block, receipts, index) };
  });

/** @throws {NodeError} `transaction-not-found` */
function requirePlace(view: StateView, hash: Uint8Array) {
  const place = evmTransaction(view, hash);
  const block = place && evmBlock(view, place.number);
  if (!block) throw new NodeError('transaction-not-found', 'No such EVM transaction in a block');
  return { block, receipts: evmReceipts(view, place.number), index: place.index };
}
