import { Overlay } from '../../storage/overlay.js';
import { type AttributeSource, attributes, storedAttributes, valueAs } from '../attributes/attributes.js';
import type { AttributeKey } from '../attributes/key.js';
import { liveTotal } from '../attributes/live-totals.js';
import { attributeAt } from '../attributes/path.js';
import type { BlockEventContext } from '../context/block-event.js';
import { ignoreRejection, isRejection, TxRejected } from '../kernel/rejected.js';
import { tokenBySymbol } from '../tokens/columns.js';
import { RESTARTED_TOKENS } from '../tokens/lock-columns.js';
import { closeAuctions } from './auctions.js';
import { closeLoans } from './loans.js';
import { lockTokens } from './locks.js';
import { replaceTokensAndPools } from './successors.js';

/** Attribute key of the restart scheduled for a height. */
function restartKey(height: number): AttributeKey {
  return attributeAt(`v0/params/dtoken_restart/${height}`);
}

/** Part of the tokens that a restart at this height locks, of COIN; undefined if none is scheduled or one has already happened. */
export function restartRatio(source: AttributeSource, height: number): bigint | undefined {
  if (liveTotal(source, RESTARTED_TOKENS).length > 0) return undefined;
  return valueAs(source, restartKey(height), 'amount') || undefined;
}

/**
 * Restarts all loan tokens (dTokens) if scheduled for this height: closes auctions and loans, replaces the tokens by new ones and locks a
 * part of them. If a step fails, only the schedule attribute is deleted.
 * @see docs/protocol/defi.md 9.7
 */
export function executeRestart(context: BlockEventContext): void {
  const { view, height } = context;
  const ratio = restartRatio(storedAttributes(view), height);
  if (ratio === undefined) return;
  view.delete(attributes, restartKey(height));
  const overlay = new Overlay(view);
  ignoreRejection(() => {
    restart({ ...context, view: overlay }, ratio);
    overlay.commit();
  }, isRejection);
}

function restart(context: BlockEventContext, ratio: bigint): void {
  closeAuctions(context);
  const dollar = tokenBySymbol(context.view, 'DUSD')?.id;
  if (dollar === undefined) throw new TxRejected('DUSD token not found');
  const at = { ...context, dollar };
  closeLoans(at);
  replaceTokensAndPools(at);
  lockTokens(at, ratio);
}
