import { byteText } from '../../dfi/kernel/text.js';
import type { PricePair } from '../../dfi/oracles/columns.js';
import { normaliseSymbol } from '../../dfi/oracles/transactions.js';
import { rawJson } from '../../rpc/bind.js';
import type { CallContext } from '../../rpc/handler.js';
import { invalidParameter, type NodeError } from '../../util/errors.js';
import { JsonObject } from '../../util/json.js';

interface PairRequest {
  readonly token?: string | undefined;
  readonly currency?: string | undefined;
}

/** Token and currency of a request. @throws {NodeError} `invalid-parameter` @see docs/protocol/oracles-governance.md 2.2 */
export function requirePair(request: PairRequest, { dialect }: Pick<CallContext, 'dialect'>): PricePair {
  const isGiven = (name: keyof PairRequest) =>
    dialect === 'json-rpc' ? rawJson(request, name) !== undefined : request[name] !== undefined && request[name] !== '';
  if (!isGiven('currency')) throw noCurrency();
  if (!isGiven('token')) throw invalidParameter('token is required field');
  const currency = normaliseSymbol(byteText(request.currency ?? ''));
  const token = normaliseSymbol(byteText(request.token ?? ''));
  if (token === '' || currency === '') throw invalidParameter('token/currency is empty');
  return { token, currency };
}

/** Refuses an element of a list that is no object, so that it has no currency. @throws {NodeError} `invalid-parameter` */
export function requireObjectAt<Request extends object>(request: Request, field: keyof Request & string, index: number): void {
  const list = rawJson(request, field);
  if (Array.isArray(list) && !(list[index] instanceof JsonObject)) throw noCurrency();
}

function noCurrency(): NodeError {
  return invalidParameter('currency is required field');
}

const MAX_SYMBOL = 8;

/** Parses `<token>/<currency>`; each name is cut to 8 bytes. @throws {NodeError} `invalid-parameter` */
export function parsePairId(text: string): PricePair {
  const parts = byteText(text).split('/');
  if (parts.length !== 2) throw invalidParameter('price feed not in valid format - token/currency!');
  const [token = '', currency = ''] = parts.map((part) => normaliseSymbol(part.slice(0, MAX_SYMBOL)));
  if (token === '' || currency === '') throw invalidParameter('token/currency contains empty string');
  return { token, currency };
}
