import type {
  SignRawTransactionWithKeyRequest,
  SignRawTransactionWithKeyResponse,
} from '../../../../gen/ts/dfi/rawtransactions/v1/rawtransactions.js';
import { knowsEvm, type NetworkParams } from '../../../params/network.js';
import type { Handler } from '../../../rpc/handler.js';
import { KeyStore } from '../../../script/key-source.js';
import { parseHashType } from '../../../script/signature-encoding.js';
import { NodeError } from '../../../util/errors.js';
import { inSlices, type Steps } from '../../../util/slicer.js';
import { parsePrivateKey } from '../../format/private-key.js';
import { eachText } from '../format/arguments.js';
import { ANY_ENCODING, decodeTransactionHex } from '../format/decode.js';
import type { RawtransactionsModules } from '../modules.js';
import { type CoinModules, findOutput } from './coins.js';
import { readPreviousOutputs } from './previous-outputs.js';
import { SpentOutputs, signInputs } from './sign-inputs.js';

type Modules = CoinModules & { readonly chain: Pick<RawtransactionsModules['chain'], 'params'> };

/** @see docs/protocol/rpc-chain.md 3.3.8 */
export const signRawTransactionWithKey: Handler<Modules, SignRawTransactionWithKeyRequest, SignRawTransactionWithKeyResponse> = (
  modules,
  request,
  call,
) => inSlices(sign(modules, request), call);

function* sign(modules: Modules, request: SignRawTransactionWithKeyRequest): Steps<SignRawTransactionWithKeyResponse> {
  const { params } = modules.chain;
  const { txFormat } = params;
  const tx = yield* decodeTransactionHex(request.hexstring, ANY_ENCODING, txFormat);
  const keys = yield* readKeys(request, params);
  const outputs = yield* SpentOutputs.of(tx, (point) => findOutput(modules, point));
  yield* readPreviousOutputs(request, outputs, keys);
  const hashType = requireHashType(request.sighashtype ?? 'ALL');
  return yield* signInputs(tx, { format: txFormat, keys, outputs, hashType });
}

function* readKeys(request: SignRawTransactionWithKeyRequest, params: NetworkParams): Steps<KeyStore> {
  const keys = new KeyStore(knowsEvm(params));
  for (const text of eachText(request, 'privatekey', () => request.privatekey)) {
    const key = parsePrivateKey(text(), params);
    if (!key) throw new NodeError('invalid-address', 'Invalid private key');
    keys.addKey(key);
    yield;
  }
  return keys;
}

function requireHashType(name: string): number {
  const hashType = parseHashType(name);
  if (hashType === undefined) throw new NodeError('misc', `${name} is not a valid sighash parameter.`);
  return hashType;
}
