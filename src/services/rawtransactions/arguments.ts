import { DecodeError } from '../../primitives/codec.js';
import type { TxFormat } from '../../primitives/transaction.js';
import type { Psbt } from '../../psbt/psbt.js';
import { parseLongPsbt } from '../../psbt/text.js';
import { givenJson } from '../../rpc/bind.js';
import { asString } from '../../rpc/scalars.js';
import { NodeError } from '../../util/errors.js';
import type { JsonValue } from '../../util/json.js';
import type { Steps } from '../../util/slicer.js';

/**
 * Texts of a list, to be read one by one, so that of several bad ones the first is told.
 * @param name of the list in the request
 * @param list reads all of it, and throws where it is none
 */
export function eachText(request: object, name: string, list: () => readonly string[]): readonly (() => string)[] {
  const json = givenJson(request, name);
  if (Array.isArray(json)) return (json as readonly JsonValue[]).map((each) => () => asString(each));
  return list().map((text) => () => text);
}

/** @throws {NodeError} `deserialization` with what is wrong */
export function* parsePsbtArgument(text: string, format: TxFormat): Steps<Psbt> {
  try {
    return yield* parseLongPsbt(text, format);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new NodeError('deserialization', `TX decode failed ${error.message}`, { cause: error });
  }
}
