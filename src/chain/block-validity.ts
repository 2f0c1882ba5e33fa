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

/** Reasons of the inputs of a transaction, whose details `defid` reports. It only logs those of other rules of the connection. */
const REPORTED: ReadonlySet<string> = new Set([
  'bad-txns-premature-spend-of-coinbase',
  'bad-txns-collateral-locked',
  'bad-txns-in-belowout',
  'bad-txns-minttokens-in-belowout',
]);

/**
 * Tests a block on the tip without a change of the state. Signature and proof of stake are not checked, so a block that is still to be
 * signed can be tested.
 * @returns the violation that `defid` finds first, with the details that it reports to clients; undefined for a valid block
 */
export function testBlockValidity(block: Block, parts: ValidityParts): BlockInvalid | undefined {
  try {
    check(block, parts);
    return undefined;
  } catch (error) {
    if (error instanceof BlockInvalid) return error;
    throw error;
  }
}

/** @throws {BlockInvalid} */
function check(block: Block, { chain, db, headers, connector, interruption, clock }: ValidityParts): void {
  const { params, tip } = chain;
  const context = { ...connector.contextAbove(tip), params: { ...params, pos: { ...params.pos, dummy: true } } };
  const now = clock.seconds();
  checkHeader(block.header, {
    ...context,
    lastCheckpoint: headers.lastCheckpoint(),
    ascendingTimes: headers.ascendingTimes(),
    systemTime: now,
    adjustedTime: now,
  });
  const checked = checkBlock(block, context.height, params);
  checkBlockContext(checked, tip, params);
  interruption.check({ height: context.height, hash: block.hash });
  try {
    connectBlock(checked, context, new Overlay(db.view));
  } catch (error) {
    if (!(error instanceof BlockInvalid) || REPORTED.has(error.reason)) throw error;
    throw new BlockInvalid(error.reason, error.kind);
  }
}
