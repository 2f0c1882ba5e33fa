import { Overlay } from '../../storage/overlay.js';
import { type AttributeSource, attributes, storedAttributes, valueAs } from '../attributes/attributes.js';
import { type AttributeKey, letter } from '../attributes/key.js';
import { liveTotal } from '../attributes/live-totals.js';
import type { BlockEventContext } from '../context/block-event.js';
import { ignoreRefusal, TxRejected } from '../kernel/rejected.js';
import { tokenBySymbol } from '../tokens/columns.js';
import { RESTARTED_TOKENS } from '../tokens/lock-columns.js';
import { closeAuctions } from './auctions.js';
import { closeLoans } from './loans.js';
import { lockTokens } from './locks.js';
import { replaceAll } from './successors.js';

/** Key of the restart that governance wants at a height. */
function restartKey(height: number): AttributeKey {
  return { type: letter('a'), id: letter('m'), key: height, keyId: 0 };
}

/** Which part of all tokens a restart at this height locks, of COIN; undefined if there is none, or was one before. */
export function restartRatio(source: AttributeSource, height: number): bigint | undefined {
  if (liveTotal(source, RESTARTED_TOKENS).length > 0) return undefined;
  return valueAs(source, restartKey(height), 'amount') || undefined;
}

/**
 * Restarts the tokens that vaults may borrow, if governance wants it at this height: ends all auctions and loans, puts new tokens in the
 * place of the old ones, and locks a part of them. All of it, or nothing but that the wish is gone.
 * @see docs/protocol/defi.md 9.7
 */
export function executeRestart(context: BlockEventContext): void {
  const { view, height } = context;
  const ratio = restartRatio(storedAttributes(view), height);
  if (ratio === undefined) return;
  view.delete(attributes, restartKey(height));
  const overlay = new Overlay(view);
  ignoreRefusal(() => {
    restart({ ...context, view: overlay }, ratio);
    overlay.commit();
  });
}

function restart(context: BlockEventContext, ratio: bigint): void {
  closeAuctions(context);
  const dollar = tokenBySymbol(context.view, 'DUSD')?.id;
  if (dollar === undefined) throw new TxRejected('DUSD token not found');
  const at = { ...context, dollar };
  closeLoans(at);
  replaceAll(at);
  lockTokens(at, ratio);
}
