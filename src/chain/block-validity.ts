import { checkBlock, checkBlockContext } from '../consensus/block.js';
import { BlockInvalid } from '../consensus/errors.js';
import { checkHeader } from '../consensus/header.js';
import type { Block } from '../primitives/block.js';
import { Overlay } from '../storage/overlay.js';
import type { Clock } from '../util/clock.js';
import { connectBlock } from './connect.js';
import type { ChainDatabase } from './database.js';
import type { HeaderAcceptance } from './headers.js';
import type { Interruption } from './interruption.js';
import type { ChainQueries } from './reader.js';
import type { TipConnector } from './tip-connector.js';

interface ValidityParts {
  readonly chain: Pick<ChainQueries, 'params' | 'tip'>;
  readonly db: Pick<ChainDatabase, 'view'>;
  readonly headers: Pick<HeaderAcceptance, 'lastCheckpoint' | 'ascendingTimes'>;
  readonly connector: Pick<TipConnector, 'contextAbove'>;
  readonly interruption: Pick<Interruption, 'check'>;
  readonly clock: Pick<Clock, 'seconds'>;
}

/**
 * Tests a block on the tip without a change of the state. Signature and proof of stake are not checked, so a block that is still to be
 * signed can be tested.
 * @returns the reject reason; undefined for a valid block
 */
export function testBlockValidity(block: Block, { chain, db, headers, connector, interruption, clock }: ValidityParts): string | undefined {
  const { params, tip } = chain;
  const unsigned = { ...params, pos: { ...params.pos, dummy: true } };
  try {
    const context = { ...connector.contextAbove(tip), params: unsigned };
    const checked = checkBlock(block, context.height, params);
    const now = clock.seconds();
    checkHeader(block.header, {
      ...context,
      lastCheckpoint: headers.lastCheckpoint(),
      ascendingTimes: headers.ascendingTimes(),
      systemTime: now,
      adjustedTime: now,
    });
    checkBlockContext(checked, tip, params);
    interruption.check({ height: context.height, hash: block.hash });
    connectBlock(checked, context, new Overlay(db.view));
    return undefined;
  } catch (error) {
    if (error instanceof BlockInvalid) return error.reason;
    throw error;
  }
}
