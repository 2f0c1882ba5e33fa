import type {
  CombinePsbtRequest,
  CombinePsbtResponse,
  ConvertToPsbtRequest,
  ConvertToPsbtResponse,
  CreatePsbtRequest,
  CreatePsbtResponse,
  FinalizePsbtRequest,
  FinalizePsbtResponse,
  JoinPsbtsRequest,
  JoinPsbtsResponse,
} from '../../../gen/ts/dfi/rawtransactions/v1/rawtransactions.js';
import { formatHash } from '../../primitives/hash.js';
import { makeLongTransaction, type TxFormat, type TxIn } from '../../primitives/transaction.js';
import { combinePsbts } from '../../psbt/combine.js';
import { extractTransaction, finalizePsbt as finalizeInputs } from '../../psbt/finalize.js';
import { joinPsbts as join, RepeatedInput } from '../../psbt/join.js';
import { createPsbt as emptyPsbt, isSane } from '../../psbt/psbt.js';
import { formatPsbt } from '../../psbt/text.js';
import type { Handler } from '../../rpc/handler.js';
import { EMPTY_BYTES, toHex } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import { inSlices, type Steps } from '../../util/slicer.js';
import { eachText, parsePsbtArgument } from './arguments.js';
import { buildTransaction, type CreateModules } from './create.js';
import { decodeModes, decodeTransactionHex } from './decode.js';
import type { RawtransactionsModules } from './modules.js';

type Modules = { readonly chain: Pick<RawtransactionsModules['chain'], 'params'> };

/** @see docs/protocol/rpc-chain.md 3.3.14 */
export const createPsbt: Handler<CreateModules, CreatePsbtRequest, CreatePsbtResponse> = (modules, request) => {
  const psbt = emptyPsbt(buildTransaction(modules, request));
  return { psbt: formatPsbt(psbt, modules.chain.params.txFormat) };
};

/** @see docs/protocol/rpc-chain.md 3.3.15 */
export const convertToPsbt: Handler<Modules, ConvertToPsbtRequest, ConvertToPsbtResponse> = ({ chain }, request, call) =>
  inSlices(convert(request, chain.params.txFormat), call);

function* convert(request: ConvertToPsbtRequest, txFormat: TxFormat): Steps<ConvertToPsbtResponse> {
  const tx = yield* decodeTransactionHex(request.hexstring, decodeModes(request.iswitness), txFormat);
  if (request.permitsigdata !== true && tx.vin.some(isSigned)) {
    throw new NodeError('deserialization', 'Inputs must not have scriptSigs and scriptWitnesses');
  }
  const vin = tx.vin.map((input) => ({ ...input, scriptSig: EMPTY_BYTES, witness: [] }));
  return { psbt: formatPsbt(emptyPsbt(yield* makeLongTransaction({ ...tx, vin }, txFormat)), txFormat) };
}

function isSigned({ scriptSig, witness }: TxIn): boolean {
  return scriptSig.length > 0 || witness.length > 0;
}

/** @see docs/protocol/rpc-chain.md 3.3.12 */
export const combinePsbt: Handler<Modules, CombinePsbtRequest, CombinePsbtResponse> = ({ chain }, request) => {
  const { txFormat } = chain.params;
  const [first, ...others] = eachText(request, 'txs', () => request.txs).map((text) => parsePsbtArgument(text(), txFormat));
  if (!first) throw new NodeError('invalid-parameter', "Parameter 'txs' cannot be empty");
  const combined = combinePsbts([first, ...others]);
  if (!combined) throw new NodeError('invalid-parameter', 'PSBTs not compatible (different transactions)');
  if (!isSane(combined)) throw new NodeError('invalid-parameter', 'PSBT is not sane');
  return { psbt: formatPsbt(combined, txFormat) };
};

/** @see docs/protocol/rpc-chain.md 3.3.13 */
export const finalizePsbt: Handler<Modules, FinalizePsbtRequest, FinalizePsbtResponse> = ({ chain }, request) => {
  const { txFormat } = chain.params;
  const { psbt, complete } = finalizeInputs(parsePsbtArgument(request.psbt, txFormat), txFormat);
  const extract = request.extract ?? true;
  if (complete && extract) return { psbt: undefined, hex: toHex(extractTransaction(psbt, txFormat).raw), complete };
  return { psbt: formatPsbt(psbt, txFormat), hex: undefined, complete };
};

const LEAST_TO_JOIN = 2;

/** @see docs/protocol/rpc-chain.md 3.3.16 */
export const joinPsbts: Handler<Modules, JoinPsbtsRequest, JoinPsbtsResponse> = ({ chain }, request) => {
  const { txFormat } = chain.params;
  const texts = eachText(request, 'txs', () => request.txs);
  if (texts.length < LEAST_TO_JOIN) throw new NodeError('invalid-parameter', 'At least two PSBTs are required to join PSBTs.');
  const psbts = texts.map((text) => parsePsbtArgument(text(), txFormat));
  try {
    return { psbt: formatPsbt(join(psbts, txFormat), txFormat) };
  } catch (error) {
    if (!(error instanceof RepeatedInput)) throw error;
    const { txid, vout } = error.point;
    throw new NodeError('invalid-parameter', `Input ${formatHash(txid)}:${vout} exists in multiple PSBTs`, { cause: error });
  }
};
