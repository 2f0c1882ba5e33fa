import type {
  SpvGetTxConfirmationsRequest,
  SpvGetTxConfirmationsResponse,
  SpvSendRawTxRequest,
  SpvSendRawTxResponse,
  SpvSetLastHeightRequest,
  SpvSetLastHeightResponse,
  SpvSyncStatusRequest,
  SpvSyncStatusResponse,
} from '../../../gen/ts/dfi/node/v1/anchors.js';
import { BITCOIN_FORMAT } from '../../bitcoin/regtest-bitcoin.js';
import { DecodeError, decode } from '../../primitives/codec.js';
import { HASH_DIGITS, parseHash256 } from '../../primitives/hash.js';
import { type Transaction, transaction } from '../../primitives/transaction.js';
import type { Handler } from '../../rpc/handler.js';
import { parseHex } from '../../rpc/shapes.js';
import { isHex } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import { type AnchorsModules, requireBitcoin } from './modules.js';

/** As in `defid`, signatures are not checked: the Bitcoin chain of regtest validates nothing. */
export const spvSendRawTx: Handler<AnchorsModules, SpvSendRawTxRequest, SpvSendRawTxResponse> = (modules, request) => {
  requireBitcoin(modules).send(readTransaction(parseHex(request.rawtx, 'rawtx')));
  return { result: '' };
};

function readTransaction(bytes: Uint8Array): Transaction {
  try {
    return decode(transaction(BITCOIN_FORMAT), bytes);
  } catch (error) {
    if (error instanceof DecodeError) throw new NodeError('invalid-request', "Can't parse transaction");
    throw error;
  }
}

export const spvSyncStatus: Handler<AnchorsModules, SpvSyncStatusRequest, SpvSyncStatusResponse> = (modules) => {
  const { height } = requireBitcoin(modules);
  return { connected: true, current: height, estimated: height };
};

export const spvGetTxConfirmations: Handler<AnchorsModules, SpvGetTxConfirmationsRequest, SpvGetTxConfirmationsResponse> = (
  { anchors: { inBitcoin } },
  { txhash },
) => {
  const anchor = txhash.length === HASH_DIGITS && isHex(txhash) ? inBitcoin?.find(parseHash256(txhash)) : undefined;
  return { confirmations: anchor && inBitcoin ? inBitcoin.confirmations(anchor) : -1 };
};

export const spvSetLastHeight: Handler<AnchorsModules, SpvSetLastHeightRequest, SpvSetLastHeightResponse> = (modules, { height }) => {
  requireBitcoin(modules, 'command disabled').setHeight(height);
  return {};
};
