import { parseHash256 } from '../../primitives/hash.js';
import type { StateView } from '../../storage/view.js';
import { byteText } from '../kernel/text.js';
import { getToken, type IdentifiedToken, tokenByCreation, tokenBySymbol } from './columns.js';

const HASH = /^[0-9a-fA-F]{64}$/;
const ID = /^\d+$/;
const MAX_ID = 0xffffffff;

/**
 * The id that a text names: nothing is DFI, a number is an id whether it exists or not, then the transaction that created a token, then a
 * symbol key.
 * @see docs/protocol/accounts.md 4.1
 */
export function guessTokenId(view: StateView, text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return 0;
  if (ID.test(trimmed) && Number(trimmed) <= MAX_ID) return Number(trimmed);
  if (HASH.test(trimmed)) return tokenByCreation(view, parseHash256(trimmed))?.id;
  return tokenBySymbol(view, byteText(trimmed))?.id;
}

/** As {@link guessTokenId}, but the token has to exist. */
export function guessToken(view: StateView, text: string): IdentifiedToken | undefined {
  const id = guessTokenId(view, text);
  const token = id === undefined ? undefined : getToken(view, id);
  return id === undefined || !token ? undefined : { id, token };
}
