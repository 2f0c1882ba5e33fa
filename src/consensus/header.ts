import { isActive, type NetworkParams } from '../params/network.js';
import type { Hash256 } from '../primitives/hash.js';
import type { BlockHeader } from '../primitives/header.js';
import { equalBytes } from '../util/bytes.js';
import type { Ancestor } from './ancestry.js';
import { BlockInvalid } from './errors.js';
import { nextBits } from './pos/difficulty.js';
import { nextStakeModifier, recoverMinter } from './pos/signature.js';

/** Current time, seconds since 1970. */
export interface HeaderClock {
  /** System time, or mock time. */
  readonly systemTime: number;
  /** System time adjusted by the offset of peers. */
  readonly adjustedTime: number;
}

/** Context of a header check. */
export interface HeaderContext extends HeaderClock {
  readonly parent: Ancestor;
  readonly parentModifier: Hash256;
  /** Height of the highest checkpoint reached. */
  readonly lastCheckpoint: number;
  /** Governance setting: block times must exceed that of the parent, not only the median. */
  readonly ascendingTimes: boolean;
  readonly params: NetworkParams;
}

const MAX_FUTURE = 7200;
const MAX_FUTURE_CRESCENT = 300;
const MAX_FUTURE_PAYA = 30;

/** Checks that the signature recovers a key, unless proof of stake is disabled. @throws {BlockInvalid} bad-pos-header-signature */
export function checkHeaderSignature(header: BlockHeader, params: NetworkParams): void {
  if (!params.pos.dummy && recoverMinter(header) === undefined) throw new BlockInvalid('bad-pos-header-signature', 'header');
}

/**
 * Checks a header in the context of its ancestors and the clock.
 * @throws {BlockInvalid} in the order of docs/protocol/chain.md 4.1, rows 5 to 11
 */
export function checkHeader(header: BlockHeader, at: HeaderContext): void {
  const { parent, params } = at;
  const height = parent.height + 1;
  if (isActive(params, 'fortCanningMuseum', height) && header.height !== BigInt(height))
    throw new BlockInvalid('incorrect-height', 'header');
  if (header.bits !== nextBits(parent, params)) throw new BlockInvalid('bad-diffbits', 'header', 'incorrect proof of work');
  if (height <= at.lastCheckpoint) throw new BlockInvalid('bad-fork-prior-to-checkpoint', 'checkpoint');
  checkTime(header, height, at);
  checkVersion(header.version, height, params);
  checkStakeModifier(header, at);
}

function checkTime(header: BlockHeader, height: number, at: HeaderContext): void {
  const { params, systemTime, adjustedTime } = at;
  requireLater(header, at);
  const paya = isActive(params, 'eunosPaya', height) && !params.isRegtest && header.time > systemTime + MAX_FUTURE_PAYA;
  const crescent = isActive(params, 'dakotaCrescent', height) && header.time > systemTime + MAX_FUTURE_CRESCENT;
  if (paya || header.time > adjustedTime + MAX_FUTURE || crescent) {
    throw new BlockInvalid('time-too-new', 'time', 'block timestamp too far in the future');
  }
}

function requireLater({ time }: BlockHeader, { parent, ascendingTimes }: HeaderContext): void {
  if (ascendingTimes) {
    if (time > parent.time) return;
    throw new BlockInvalid('time-before-prev', 'header', "block's timestamp cannot be the same or before previous block's timestamp");
  }
  if (time <= parent.medianTimePast()) throw new BlockInvalid('time-too-old', 'header', "block's timestamp is too early");
}

function checkVersion(version: number, height: number, { buried }: NetworkParams): void {
  const outdated =
    (version < 2 && height >= buried.bip34) || (version < 3 && height >= buried.bip66) || (version < 4 && height >= buried.bip65);
  if (!outdated) return;
  const hex = (version >>> 0).toString(16).padStart(8, '0');
  throw new BlockInvalid(`bad-version(0x${hex})`, 'header', `rejected nVersion=0x${hex} block`);
}

function checkStakeModifier(header: BlockHeader, { params, parentModifier }: HeaderContext): void {
  if (params.pos.dummy) return;
  const minter = recoverMinter(header);
  if (!minter || !equalBytes(nextStakeModifier(parentModifier, minter), header.stakeModifier)) {
    throw new BlockInvalid('bad-stakemodifier', 'header');
  }
}
