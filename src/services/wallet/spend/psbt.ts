import type {
  WalletCreateFundedPsbtRequest,
  WalletCreateFundedPsbtResponse,
  WalletProcessPsbtRequest,
  WalletProcessPsbtResponse,
} from '../../../../gen/ts/dfi/wallet/v1/wallet.js';
import { makeLongTransaction } from '../../../primitives/transaction.js';
import { createPsbt, type Psbt } from '../../../psbt/psbt.js';
import { formatLongPsbt } from '../../../psbt/text.js';
import { rawJson } from '../../../rpc/bind.js';
import type { Handler } from '../../../rpc/handler.js';
import { requireKind } from '../../../rpc/kinds.js';
import { parseHashType, SIGHASH_ALL } from '../../../script/signature-encoding.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { inSlices, type Steps } from '../../../util/slicer.js';
import { BadPsbt, type FillOptions, fillPsbt } from '../../../wallet/spend/fill-psbt.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { isNullObject } from '../../format/options-object.js';
import { parsePsbtArgument } from '../../rawtransactions/format/arguments.js';
import { buildTransaction } from '../../rawtransactions/transactions/create.js';
import { type WalletModules, walletOf } from '../modules.js';
import { fundForRequest } from './funding-options.js';

/** @see docs/protocol/wallet.md 3.56 */
export const walletProcessPsbt: Handler<WalletModules, WalletProcessPsbtRequest, WalletProcessPsbtResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  return inSlices(process(wallet, request), call);
};

function* process(wallet: Wallet, request: WalletProcessPsbtRequest): Steps<WalletProcessPsbtResponse> {
  const { txFormat } = wallet.deps.chain.params;
  const psbt = yield* parsePsbtArgument(request.psbt, txFormat);
  const name = request.sighashtype ?? 'ALL';
  const hashType = parseHashType(name);
  if (hashType === undefined) throw new NodeError('misc', `${name} is not a valid sighash parameter.`);
  const filled = yield* fill(wallet, psbt, { sign: request.sign ?? true, hashType, showsPaths: request.bip32derivs ?? false });
  return { psbt: yield* formatLongPsbt(filled.psbt, txFormat), complete: filled.complete };
}

function* fill(wallet: Wallet, psbt: Psbt, options: FillOptions): ReturnType<typeof fillPsbt> {
  try {
    return yield* fillPsbt(wallet, psbt, options);
  } catch (error) {
    if (!(error instanceof BadPsbt)) throw error;
    if (error.fault === 'insane') throw invalidParameter('PSBT is not sane');
    throw new NodeError('deserialization', 'Specified sighash value does not match existing value');
  }
}

/** @see docs/protocol/wallet.md 3.52 */
export const walletCreateFundedPsbt: Handler<WalletModules, WalletCreateFundedPsbtRequest, WalletCreateFundedPsbtResponse> = (
  modules,
  request,
  call,
) => {
  const wallet = walletOf(modules, call);
  return inSlices(createFunded(modules, wallet, request), call);
};

/** Option that is checked before the other arguments. @throws {NodeError} `type` */
function readReplaceable(request: WalletCreateFundedPsbtRequest): boolean | undefined {
  if (isNullObject(request)) return undefined;
  const json = rawJson(request, 'replaceable') ?? null;
  if (json !== null) requireKind(json, 'bool');
  return request.replaceable;
}

function* createFunded(
  modules: WalletModules,
  wallet: Wallet,
  request: WalletCreateFundedPsbtRequest,
): Steps<WalletCreateFundedPsbtResponse> {
  const { txFormat } = modules.chain.params;
  const tx = yield* buildTransaction(modules, request, readReplaceable(request) ?? wallet.deps.settings.replaceable);
  const funded = fundForRequest(wallet, tx, request);
  const options = { sign: false, hashType: SIGHASH_ALL, showsPaths: request.bip32derivs ?? false };
  const { psbt } = yield* fill(wallet, createPsbt(yield* makeLongTransaction(funded.tx, txFormat)), options);
  return { psbt: yield* formatLongPsbt(psbt, txFormat), fee: funded.fee, changepos: funded.changePosition };
}
