import type { StateView } from '../../storage/view.js';
import { byteText } from '../kernel/text.js';
import { getToken, type IdentifiedToken, tokenIdByBytes } from './columns.js';

/** Like {@link tokenIdByBytes}, for text of a caller. */
export function tokenIdByText(view: StateView, text: string): number | undefined {
  return tokenIdByBytes(view, byteText(text));
}

/** Like {@link tokenIdByText}, but undefined also if the token does not exist. */
export function findTokenByText(view: StateView, text: string): IdentifiedToken | undefined {
  const id = tokenIdByText(view, text);
  const token = id === undefined ? undefined : getToken(view, id);
  return id === undefined || !token ? undefined : { id, token };
}
