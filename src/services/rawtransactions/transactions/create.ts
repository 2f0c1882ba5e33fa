import type {
  CreateRawTransactionRequest,
  CreateRawTransactionResponse,
} from '../../../../gen/ts/dfi/rawtransactions/v1/rawtransactions.js';
import type { TransactionInput } from '../../../../gen/ts/dfi/types/v1/building.js';
import { transactionVersion } from '../../../consensus/transaction.js';
import {
  makeLongTransaction,
  SEQUENCE_FINAL,
  SEQUENCE_NOT_FINAL,
  SEQUENCE_REPLACEABLE,
  type Transaction,
  type TxIn,
} from '../../../primitives/transaction.js';
import { rawJson } from '../../../rpc/bind.js';
import type { Handler } from '../../../rpc/handler.js';
import { asArray } from '../../../rpc/scalars.js';
import { parseHash } from '../../../rpc/shapes.js';
import { EMPTY_BYTES } from '../../../util/bytes.js';
import { invalidParameter } from '../../../util/errors.js';
import { JsonNumber, JsonObject, type JsonValue } from '../../../util/json.js';
import { toLongHex } from '../../../util/long-hex.js';
import { inSlices, type Steps } from '../../../util/slicer.js';
import { tokenNames } from '../../format/token-names.js';
import type { RawtransactionsModules } from '../modules.js';
import { outputEntries, outputsAsJson, readOutputs } from './outputs.js';

/** Modules for building transactions. */
export interface CreateModules {
  readonly chain: Pick<RawtransactionsModules['chain'], 'params' | 'tip' | 'state'>;
}

const MAX_UINT32 = 0xffffffffn;

export const createRawTransaction: Handler<CreateModules, CreateRawTransactionRequest, CreateRawTransactionResponse> = (
  modules,
  request,
  call,
) => inSlices(create(modules, request), call);

function* create(modules: CreateModules, request: CreateRawTransactionRequest): Steps<CreateRawTransactionResponse> {
  const { raw } = yield* buildTransaction(modules, request);
  return { hex: yield* toLongHex(raw) };
}

/**
 * Unsigned transaction of a request.
 * @param isReplaceable in place of the request's own value
 * @throws {NodeError} in the order of checks of `defid`
 * @see docs/protocol/rpc-chain.md 3.3.2
 */
export function* buildTransaction(
  { chain }: CreateModules,
  request: CreateRawTransactionRequest,
  isReplaceable?: boolean,
): Steps<Transaction> {
  requireBoth(request);
  const { inputs } = request;
  const outputs = readOutputsArgument(request);
  const lockTime = readLockTime(request);
  const replaceable = isReplaceable ?? request.replaceable ?? false;
  const sequence = replaceable ? SEQUENCE_REPLACEABLE : lockTime === 0 ? SEQUENCE_FINAL : SEQUENCE_NOT_FINAL;
  const vin: TxIn[] = [];
  for (const input of inputs) {
    vin.push(readInput(input, sequence));
    yield;
  }
  const vout = yield* readOutputs(outputEntries(outputs), chain, tokenNames(chain.state));
  if (replaceable && vin.length > 0 && vin.every((input) => input.sequence > SEQUENCE_REPLACEABLE)) {
    throw invalidParameter('Invalid parameter combination: Sequence number(s) contradict replaceable option');
  }
  const version = transactionVersion(chain.params, chain.tip.height);
  return yield* makeLongTransaction({ version, vin, vout, lockTime }, chain.params.txFormat);
}

/** Requires both arguments. Messages of other transports always have a list of inputs. */
function requireBoth(request: CreateRawTransactionRequest): void {
  const isJson = rawJson(request, 'inputs') !== undefined;
  const lacks = isJson ? rawJson(request, 'inputs') === null || rawJson(request, 'outputs') === null : request.outputs?.form === undefined;
  if (lacks) throw invalidParameter('Invalid parameter, arguments 1 and 2 must be non-null');
}

/** Outputs argument. Over JSON-RPC the JSON itself, because the map of a message has no duplicate keys. */
function readOutputsArgument(request: CreateRawTransactionRequest): JsonObject | readonly JsonValue[] {
  const json = rawJson(request, 'outputs');
  if (json === undefined) return request.outputs ? outputsAsJson(request.outputs) : [];
  return json instanceof JsonObject ? json : asArray(json);
}

function readLockTime({ locktime = 0n }: CreateRawTransactionRequest): number {
  if (locktime < 0n || locktime > MAX_UINT32) throw invalidParameter('Invalid parameter, locktime out of range');
  return Number(locktime);
}

function readInput(input: TransactionInput, defaultSequence: number): TxIn {
  const txid = parseHash(input.txid ?? '', 'txid');
  if (!isNumber(input, 'vout')) throw invalidParameter('Invalid parameter, missing vout key');
  const { vout = 0 } = input;
  if (vout < 0) throw invalidParameter('Invalid parameter, vout must be positive');
  return { prevout: { txid, vout }, scriptSig: EMPTY_BYTES, sequence: readSequence(input, defaultSequence), witness: [] };
}

/** True if the member is present; over JSON-RPC, if it is a number. */
function isNumber(input: TransactionInput, name: 'vout' | 'sequence'): boolean {
  return rawJson(input) === undefined ? input[name] !== undefined : rawJson(input, name) instanceof JsonNumber;
}

function readSequence(input: TransactionInput, defaultSequence: number): number {
  if (!isNumber(input, 'sequence')) return defaultSequence;
  const { sequence = 0n } = input;
  if (sequence < 0n || sequence > MAX_UINT32) throw invalidParameter('Invalid parameter, sequence number is out of range');
  return Number(sequence);
}
