import { JsonNumber, JsonObject, type JsonValue, parseJson } from '../../util/json.js';
import { badRequest, type InvalidField, invalid, notFound, OperationFailed } from '../api/errors.js';
import { Reader } from '../api/json.js';
import { pathText, queryFlag } from '../api/request.js';
import { get, type OceanRequest, post, type Route } from '../api/route.js';
import type { Operations } from '../node/operations.js';
import { checkCompositeSwap } from '../pools/composite-swap.js';

/** Transaction of a request. */
interface GivenTransaction {
  readonly hex: string;
  /** DFI per 1,000 virtual bytes. */
  readonly maxFeeRate: JsonNumber;
}

const DEFAULT_MAX_FEE_RATE = new JsonNumber('0.1');
/** Code of the error that a transaction is unknown. */
const NOT_FOUND = -5;

/** Raw transactions. @see docs/protocol/ocean.md 2.10 */
export const rawTransactionRoutes: readonly Route[] = [
  post('rawtx/send', async (modules, request) => {
    const { hex, maxFeeRate } = transactionOf(request);
    await checkCompositeSwap(modules, hex);
    return { data: (await submit(modules.operations, 'sendrawtransaction', [hex, maxFeeRate])).text() };
  }),
  post('rawtx/test', async ({ operations }, request) => {
    const { hex, maxFeeRate } = transactionOf(request);
    const [verdict] = (await submit(operations, 'testmempoolaccept', [[hex], maxFeeRate])).list();
    if (!verdict?.get('allowed').flag()) throw badRequest('Transaction is not allowed to be inserted');
    return { data: undefined };
  }),
  get('rawtx/{txid}', async ({ operations }, request) => {
    const isVerbose = queryFlag(request, 'verbose');
    try {
      return { body: `{"data":${await operations.callRaw('getrawtransaction', [pathText(request, 'txid'), isVerbose])}}` };
    } catch (error) {
      if (!(error instanceof OperationFailed)) throw error;
      throw error.code === NOT_FOUND ? notFound('Transaction could not be found') : badRequest(error.message);
    }
  }),
];

async function submit(operations: Operations, method: string, params: readonly JsonValue[]): Promise<Reader> {
  try {
    return new Reader(parseJson(await operations.callRaw(method, params)));
  } catch (error) {
    throw error instanceof OperationFailed ? badRequest(refusal(error.message)) : error;
  }
}

/** Text of a refusal, by which clients know the usual ones. */
function refusal(message: string): string {
  if (message === 'TX decode failed') return 'Transaction decode failed';
  return message.includes('absurdly-high-fee') ? 'Absurdly high fee' : message;
}

/** Transaction in the body. @throws {OceanError} with all fields that break a rule */
function transactionOf({ body }: OceanRequest): GivenTransaction {
  const [hex, maxFeeRate] = ['hex', 'maxFeeRate'].map((name) => (body instanceof JsonObject ? (body.get(name) ?? null) : null));
  const isRate = maxFeeRate === null || maxFeeRate === undefined || (maxFeeRate instanceof JsonNumber && Number(maxFeeRate.text) >= 0);
  if (typeof hex === 'string' && /^[0-9a-f]+$/i.test(hex) && isRate) {
    return { hex, maxFeeRate: maxFeeRate instanceof JsonNumber ? maxFeeRate : DEFAULT_MAX_FEE_RATE };
  }
  throw invalid(...hexFaults(hex ?? null), ...(isRate ? [] : rateFaults(maxFeeRate)));
}

function hexFaults(hex: JsonValue): InvalidField[] {
  if (typeof hex === 'string' && /^[0-9a-f]+$/i.test(hex)) return [];
  const isEmpty = hex === null || hex === '';
  const constraints = ['hex must be a hexadecimal number', ...(isEmpty ? ['hex should not be empty'] : [])];
  return [{ property: 'hex', value: shownValue(hex), constraints }];
}

function rateFaults(rate: JsonValue): InvalidField[] {
  const isNumber = rate instanceof JsonNumber;
  const notNumber = isNumber ? [] : ['maxFeeRate must be a number conforming to the specified constraints'];
  return [{ property: 'maxFeeRate', value: shownValue(rate), constraints: ['maxFeeRate must not be less than 0', ...notNumber] }];
}

function shownValue(value: JsonValue): string | number | undefined {
  if (value instanceof JsonNumber) return Number(value.text);
  return typeof value === 'string' ? value : undefined;
}
