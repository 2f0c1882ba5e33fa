import type { StateView, WritableView } from '../../storage/view.js';
import type { TokenAmount } from '../kernel/amounts.js';
import { safeAdd } from '../kernel/math.js';
import { mapRejection, TxRejected } from '../kernel/rejected.js';
import { getToken, type Token, tokens } from './columns.js';

/** Adds to the minted amount of a token. @throws {TxRejected} if the token does not exist, the amount is negative, or the sum overflows */
export function addMinted(view: WritableView, { tokenId, amount }: TokenAmount): void {
  const token = requireToken(view, tokenId);
  const minted = mapRejection(
    () => safeAdd(token.minted, amount),
    () => new TxRejected('overflow when adding to minted'),
  );
  view.put(tokens, tokenId, { ...token, minted });
}

/** Subtracts from the minted amount of a token. @throws {TxRejected} if the token does not exist or less of it is minted */
export function subMinted(view: WritableView, { tokenId, amount }: TokenAmount): void {
  const token = requireToken(view, tokenId);
  if (token.minted < amount) throw new TxRejected('not enough tokens exist to subtract this amount');
  view.put(tokens, tokenId, { ...token, minted: token.minted - amount });
}

function requireToken(view: StateView, tokenId: number): Token {
  const token = getToken(view, tokenId);
  if (!token) throw new TxRejected(`token with id ${tokenId} does not exist!`);
  return token;
}
