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
} from '../../../../gen/ts/dfi/rawtransactions/v1/rawtransactions.js';
import { formatHash } from '../../../primitives/hash.js';
import { makeLongTransaction, type TxFormat, type TxIn } from '../../../primitives/transaction.js';
import { combineLongPsbts } from '../../../psbt/combine.js';
import { extractLongTransaction, finalizeLongPsbt } from '../../../psbt/finalize.js';
import { joinPsbts as join, RepeatedInput } from '../../../psbt/join.js';
import { createPsbt as emptyPsbt, isSane, type Psbt } from '../../../psbt/psbt.js';
import { formatLongPsbt } from '../../../psbt/text.js';
import type { Handler } from '../../../rpc/handler.js';
import { EMPTY_BYTES } from '../../../util/bytes.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { toLongHex } from '../../../util/long-hex.js';
import { inSlices, type Steps } from '../../../util/slicer.js';
import { scriptOptions } from '../../format/script.js';
import { eachText, parsePsbtArgument } from '../format/arguments.js';
import { decodeModes, decodeTransactionHex } from '../format/decode.js';
import type { RawtransactionsModules } from '../modules.js';
import { buildTransaction, type CreateModules } from '../transactions/create.js';

type Modules = { readonly chain: Pick<RawtransactionsModules['chain'], 'params'> };

/** @see docs/protocol/rpc-chain.md 3.3.14 */
export const createPsbt: Handler<CreateModules, CreatePsbtRequest, CreatePsbtResponse> = (modules, request, call) =>
  inSlices(create(modules, request), call);

function* create(modules: CreateModules, request: CreatePsbtRequest): Steps<CreatePsbtResponse> {
  const psbt = emptyPsbt(yield* buildTransaction(modules, request));
  return { psbt: yield* formatLongPsbt(psbt, modules.chain.params.txFormat) };
}

/** @see docs/protocol/rpc-chain.md 3.3.15 */
export const convertToPsbt: Handler<Modules, ConvertToPsbtRequest, ConvertToPsbtResponse> = ({ chain }, request, call) =>
  inSlices(convert(request, chain.params.txFormat), call);

function* convert(request: ConvertToPsbtRequest, txFormat: TxFormat): Steps<ConvertToPsbtResponse> {
  const tx = yield* decodeTransactionHex(request.hexstring, decodeModes(request.iswitness), txFormat);
  if (request.permitsigdata !== true && tx.vin.some(isSigned)) {
    throw new NodeError('deserialization', 'Inputs must not have scriptSigs and scriptWitnesses');
  }
  const vin = tx.vin.map((input) => ({ ...input, scriptSig: EMPTY_BYTES, witness: [] }));
  return { psbt: yield* formatLongPsbt(emptyPsbt(yield* makeLongTransaction({ ...tx, vin }, txFormat)), txFormat) };
}

function isSigned({ scriptSig, witness }: TxIn): boolean {
  return scriptSig.length > 0 || witness.length > 0;
}

/** @see docs/protocol/rpc-chain.md 3.3.12 */
export const combinePsbt: Handler<Modules, CombinePsbtRequest, CombinePsbtResponse> = ({ chain }, request, call) =>
  inSlices(combine(request, chain.params.txFormat), call);

function* combine(request: CombinePsbtRequest, txFormat: TxFormat): Steps<CombinePsbtResponse> {
  const [first, ...others] = yield* parseAll(
    eachText(request, 'txs', () => request.txs),
    txFormat,
  );
  if (!first) throw invalidParameter("Parameter 'txs' cannot be empty");
  const combined = yield* combineLongPsbts([first, ...others]);
  if (!combined) throw invalidParameter('PSBTs not compatible (different transactions)');
  if (!isSane(combined)) throw invalidParameter('PSBT is not sane');
  return { psbt: yield* formatLongPsbt(combined, txFormat) };
}

function* parseAll(texts: readonly (() => string)[], txFormat: TxFormat): Steps<Psbt[]> {
  const psbts: Psbt[] = [];
  for (const text of texts) {
    psbts.push(yield* parsePsbtArgument(text(), txFormat));
    // Short ones are parsed without a pause.
    yield;
  }
  return psbts;
}

/** @see docs/protocol/rpc-chain.md 3.3.13 */
export const finalizePsbt: Handler<Modules, FinalizePsbtRequest, FinalizePsbtResponse> = ({ chain }, request, call) =>
  inSlices(finalize(request, chain.params), call);

function* finalize(request: FinalizePsbtRequest, params: Modules['chain']['params']): Steps<FinalizePsbtResponse> {
  const { txFormat } = params;
  const { psbt, complete } = yield* finalizeLongPsbt(yield* parsePsbtArgument(request.psbt, txFormat), txFormat, scriptOptions(params));
  const extract = request.extract ?? true;
  if (!complete || !extract) return { psbt: yield* formatLongPsbt(psbt, txFormat), hex: undefined, complete };
  const { raw } = yield* extractLongTransaction(psbt, txFormat);
  return { psbt: undefined, hex: yield* toLongHex(raw), complete };
}

const LEAST_TO_JOIN = 2;

/** @see docs/protocol/rpc-chain.md 3.3.16 */
export const joinPsbts: Handler<Modules, JoinPsbtsRequest, JoinPsbtsResponse> = ({ chain }, request, call) =>
  inSlices(joinAll(request, chain.params.txFormat), call);

function* joinAll(request: JoinPsbtsRequest, txFormat: TxFormat): Steps<JoinPsbtsResponse> {
  const texts = eachText(request, 'txs', () => request.txs);
  if (texts.length < LEAST_TO_JOIN) throw invalidParameter('At least two PSBTs are required to join PSBTs.');
  const psbts = yield* parseAll(texts, txFormat);
  try {
    return { psbt: yield* formatLongPsbt(yield* join(psbts, txFormat), txFormat) };
  } catch (error) {
    if (!(error instanceof RepeatedInput)) throw error;
    const { txid, vout } = error.point;
    throw invalidParameter(`Input ${formatHash(txid)}:${vout} exists in multiple PSBTs`, { cause: error });
  }
}
