import type { StateView, WritableView } from '../../storage/view.js';
import type { TokenAmount } from '../kernel/amounts.js';
import { safeAdd } from '../kernel/math.js';
import { TxRejected } from '../kernel/rejected.js';
import { getToken, type Token, tokens } from './columns.js';

/** Counts an amount of a token that came into being. @throws {TxRejected} if there is no such token, the amount is negative, or the sum too large */
export function addMinted(view: WritableView, { tokenId, amount }: TokenAmount): void {
  const token = requireToken(view, tokenId);
  try {
    view.put(tokens, tokenId, { ...token, minted: safeAdd(token.minted, amount) });
  } catch (error) {
    if (error instanceof TxRejected) throw new TxRejected('overflow when adding to minted');
    throw error;
  }
}

/** Counts an amount of a token that ended. @throws {TxRejected} if there is no such token, or less of it */
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
