import type { SignRawTransactionWithWalletRequest, SignRawTransactionWithWalletResponse } from '../../../../gen/ts/dfi/wallet/v1/wallet.js';
import type { Handler } from '../../../rpc/handler.js';
import { parseHashType } from '../../../script/signature-encoding.js';
import { NodeError } from '../../../util/errors.js';
import { inSlices, type Steps } from '../../../util/slicer.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { ANY_ENCODING, decodeTransactionHex } from '../../rawtransactions/format/decode.js';
import { findOutput } from '../../rawtransactions/signing/coins.js';
import { readPreviousOutputs } from '../../rawtransactions/signing/previous-outputs.js';
import { SpentOutputs, signInputs } from '../../rawtransactions/signing/sign-inputs.js';
import { type WalletModules, walletOf } from '../modules.js';

/** @see docs/protocol/wallet.md 3.50 */
export const signRawTransactionWithWallet: Handler<
  WalletModules,
  SignRawTransactionWithWalletRequest,
  SignRawTransactionWithWalletResponse
> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  return inSlices(sign(modules, wallet, request), call);
};

function* sign(
  modules: WalletModules,
  wallet: Wallet,
  request: SignRawTransactionWithWalletRequest,
): Steps<SignRawTransactionWithWalletResponse> {
  const { txFormat } = modules.chain.params;
  const tx = yield* decodeTransactionHex(request.hexstring, ANY_ENCODING, txFormat);
  wallet.keys.requireUnlocked();
  const outputs = yield* SpentOutputs.of(tx, (point) => findOutput(modules, point));
  yield* readPreviousOutputs(request, outputs);
  const name = request.sighashtype ?? 'ALL';
  const hashType = parseHashType(name);
  if (hashType === undefined) throw new NodeError('misc', `${name} is not a valid sighash parameter.`);
  return yield* signInputs(tx, { format: txFormat, keys: wallet.keys, outputs, hashType });
}
