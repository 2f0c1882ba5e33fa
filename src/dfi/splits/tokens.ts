import { TxRejected } from '../kernel/rejected.js';
import { getToken, hasFlag, type Token, TokenFlag } from '../tokens/columns.js';
import { subMinted } from '../tokens/minted.js';
import { storeNewToken } from '../tokens/transactions.js';
import { storeAltered } from '../tokens/updates.js';
import { ascendantOf } from './attributes.js';
import type { SplitContext, Succession, SuccessionContext } from './context.js';

/** Separator between the symbol of a destroyed token and its version number. */
export const VERSION_MARK = '/v';

/**
 * Destroys the token to split under a versioned symbol, such as `TSLA/v1`, and creates its successor.
 * @throws {TxRejected}
 * @see docs/protocol/defi.md 9.3
 */
export function replaceToken(context: SplitContext): Succession {
  const { view, split } = context;
  const oldId = split.tokenId;
  const found = getToken(view, oldId);
  if (!found) throw new TxRejected(`Token ${oldId} not found`);
  const symbol = `${found.symbol}${VERSION_MARK}${versionOf(context)}`;
  subMinted(view, { tokenId: oldId, amount: found.minted });
  if (hasFlag(found, 'finalized')) throw new TxRejected("can't alter 'Finalized' tokens");
  const ended = TokenFlag.mintable | TokenFlag.tradeable | TokenFlag.loanToken;
  storeDestroyed(context, oldId, { ...found, symbol, minted: 0n, flags: (found.flags & ~ended) | TokenFlag.finalized });
  return { oldId, newId: storeNewToken(context, { ...found, minted: 0n, creationTx: split.token, creationHeight: context.height }) };
}

/** Stores a token as destroyed in this block. @throws {TxRejected} */
export function storeDestroyed(context: SuccessionContext, id: number, token: Token): void {
  const { view, height, blockHash } = context;
  const before = getToken(view, id);
  if (before) storeAltered(context, { id, token: before }, { ...token, destructionHeight: height, destructionTx: blockHash });
}

/** Version number of the token to split: 1, or one more than its predecessor's. @throws {TxRejected} */
function versionOf({ view, draft, split }: SplitContext): number {
  const previousId = ascendantOf(draft, split.tokenId);
  if (previousId === undefined) return 1;
  const previous = getToken(view, previousId);
  if (!previous) throw new TxRejected(`Previous token ${split.tokenId} not found\n`);
  const at = previous.symbol.indexOf(VERSION_MARK);
  if (at < 0) throw new TxRejected(`Previous token name not valid: ${previous.symbol}\n`);
  const digits = /^\s*[+-]?\d+/.exec(previous.symbol.slice(at + VERSION_MARK.length))?.[0];
  if (digits === undefined) throw new TxRejected('Previous token name not valid.');
  return Number(digits) + 1;
}
