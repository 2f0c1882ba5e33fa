import { parseHash256 } from '../../primitives/hash.js';
import type { StateView } from '../../storage/view.js';
import { exactUint32 } from '../../util/numbers.js';
import { trimBlanks } from '../../util/trim.js';
import { byteText } from '../kernel/text.js';
import { getToken, type IdentifiedToken, tokenByCreation, tokenBySymbol } from './columns.js';

const HASH = /^[0-9a-fA-F]{64}$/;

/**
 * Id of the token that a text names. An empty text is DFI, a number is an id whether or not the token exists, then come the txid of the
 * transaction that created a token, and a symbol key.
 * @see docs/protocol/accounts.md 4.1
 */
export function tokenIdByText(view: StateView, text: string): number | undefined {
  const trimmed = trimBlanks(text);
  if (trimmed === '') return 0;
  const number = exactUint32(trimmed);
  if (number !== undefined) return number;
  if (HASH.test(trimmed)) return tokenByCreation(view, parseHash256(trimmed))?.id;
  return tokenBySymbol(view, byteText(trimmed))?.id;
}

/** Like {@link tokenIdByText}, but undefined also if the token does not exist. */
export function findTokenByText(view: StateView, text: string): IdentifiedToken | undefined {
  const id = tokenIdByText(view, text);
  const token = id === undefined ? undefined : getToken(view, id);
  return id === undefined || !token ? undefined : { id, token };
}
