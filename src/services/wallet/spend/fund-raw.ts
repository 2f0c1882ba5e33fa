import type { FundRawTransactionRequest, FundRawTransactionResponse } from '../../../../gen/ts/dfi/rawtransactions/v1/rawtransactions.js';
import { serializeTransaction } from '../../../primitives/transaction.js';
import { rawJson } from '../../../rpc/bind.js';
import type { Handler } from '../../../rpc/handler.js';
import { requireKind } from '../../../rpc/kinds.js';
import { toHex } from '../../../util/bytes.js';
import { inSlices, withValue } from '../../../util/slicer.js';
import { decodeModes, decodeTransactionHex } from '../../rawtransactions/format/decode.js';
import { type WalletModules, walletOf } from '../modules.js';
import { fundForRequest } from './funding-options.js';

/** @see docs/protocol/rpc-chain.md 3.3.7, docs/protocol/wallet.md 3.0.3 */
const fundRawTransaction: Handler<WalletModules, FundRawTransactionRequest, FundRawTransactionResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  // Unlike elsewhere, null is of the wrong type.
  const witness = rawJson(request, 'iswitness');
  if (witness !== undefined) requireKind(witness, 'bool');
  const { txFormat } = modules.chain.params;
  return withValue(inSlices(decodeTransactionHex(request.hexstring, decodeModes(request.iswitness), txFormat), call), (tx) => {
    const { tx: funded, fee, changePosition } = fundForRequest(wallet, tx, request);
    return { hex: toHex(serializeTransaction(funded, txFormat)), fee, changepos: changePosition };
  });
};

/** Operations on raw transactions that need a wallet. */
export const rawWalletHandlers = { fundRawTransaction };
