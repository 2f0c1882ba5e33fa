import { rawJson } from '../../../rpc/bind.js';
import { asInteger } from '../../../rpc/scalars.js';
import { invalidParameter } from '../../../util/errors.js';
import { INT64_MAX, INT64_MIN } from '../../../util/numbers.js';
import { includesStart, lowestId } from '../../format/page.js';

const TOKEN_ID = /^\d{1,10}$/;

interface TokenPage {
  readonly start?: string | undefined;
  readonly includingStart?: boolean | undefined;
}

/** First token id to show. Over JSON-RPC it must be a number, of which the lower 32 bits count. @throws {NodeError} */
export function firstToken(request: TokenPage): number {
  const json = rawJson(request, 'start') ?? null;
  const { start } = json === null ? request : { start: asInteger(json, INT64_MIN, INT64_MAX).toString() };
  if (start !== undefined && json === null && !TOKEN_ID.test(start)) throw invalidParameter('start is not a token id');
  return lowestId(BigInt(start ?? 0), includesStart(request));
}
