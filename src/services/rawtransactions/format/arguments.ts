import { DecodeError } from '../../../primitives/codec.js';
import type { TxFormat } from '../../../primitives/transaction.js';
import type { Psbt } from '../../../psbt/psbt.js';
import { parseLongPsbt } from '../../../psbt/text.js';
import { rawJson } from '../../../rpc/bind.js';
import { asString } from '../../../rpc/scalars.js';
import { NodeError } from '../../../util/errors.js';
import type { JsonValue } from '../../../util/json.js';
import type { Steps } from '../../../util/slicer.js';

/**
 * Readers of the strings in a list. They are called one by one, so that the error of the first invalid string is thrown.
 * @param name field of the list in the request
 * @param list returns the whole list; throws if the argument is no list
 */
export function eachText(request: object, name: string, list: () => readonly string[]): readonly (() => string)[] {
  const json = rawJson(request, name);
  if (Array.isArray(json)) return (json as readonly JsonValue[]).map((each) => () => asString(each));
  return list().map((text) => () => text);
}

/** Parses a PSBT of up to megabytes in base64. @throws {NodeError} `deserialization` with the reason */
export function* parsePsbtArgument(text: string, format: TxFormat): Steps<Psbt> {
  try {
    return yield* parseLongPsbt(text, format);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new NodeError('deserialization', `TX decode failed ${error.message}`, { cause: error });
  }
}
