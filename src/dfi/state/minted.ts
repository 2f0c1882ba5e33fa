import type { WritableView } from '../../storage/view.js';
import type { TokenAmount } from '../amounts.js';
import { safeAdd } from '../math.js';
import { TxRejected } from '../rejected.js';
import { getToken, tokens } from './tokens.js';

/** Counts an amount of a token that came into being. @throws {TxRejected} if the amount is negative or the sum too large */
export function addMinted(view: WritableView, { tokenId, amount }: TokenAmount): void {
  const token = getToken(view, tokenId);
  if (!token) return;
  try {
    view.put(tokens, tokenId, { ...token, minted: safeAdd(token.minted, amount) });
  } catch (error) {
    if (error instanceof TxRejected) throw new TxRejected('overflow when adding to minted');
    throw error;
  }
}

/** Counts an amount of a token that ended. @throws {TxRejected} if there is less */
export function subMinted(view: WritableView, { tokenId, amount }: TokenAmount): void {
  const token = getToken(view, tokenId);
  if (!token) return;
  if (token.minted < amount) throw new TxRejected('not enough tokens exist to subtract this amount');
  view.put(tokens, tokenId, { ...token, minted: token.minted - amount });
}
