import { sha256 } from '../../crypto/hash.js';
import { type Codec, encode, i64, mapped, optional, struct, u8, u32be } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import { varInt } from '../../primitives/var-int.js';
import type { AnyColumn, Column } from '../../storage/view.js';
import { displayHash } from './keys.js';
import { wideSum } from './wide-sum.js';

/** SHA-256 of a script, by which its rows are found. */
export function scriptId(script: Uint8Array): Hash256 {
  return sha256(script);
}

/** Sums of all outputs of a script up to a block. Amounts are satoshis of DFI. */
export interface ScriptTotals {
  /** Height of the last block with an output of the script, or an input that spends one. */
  readonly height: number;
  /** Number of outputs. */
  readonly received: number;
  /** Number of outputs that were spent. */
  readonly spent: number;
  readonly receivedAmount: bigint;
  readonly spentAmount: bigint;
}

/** Totals of each script, as of the last block with one of its outputs or inputs. */
export const scriptTotals: Column<Hash256, ScriptTotals> = {
  name: 'ocean/script',
  key: hash256,
  value: struct<ScriptTotals>({ height: varInt, received: varInt, spent: varInt, receivedAmount: wideSum, spentAmount: wideSum }),
};

/** Amount of an output. */
export interface OutputAmount {
  /** Satoshis of the token. */
  readonly value: bigint;
  /** Undefined for a transaction of a version without token ids. */
  readonly tokenId: number | undefined;
}

/** A VARINT that is one more than the token id, or 0. */
const tokenId: Codec<number | undefined> = mapped(
  varInt,
  (code) => (code === 0 ? undefined : code - 1),
  (id) => (id === undefined ? 0 : id + 1),
);

/** Kind of an activity: an output of the script, or an input that spends one. */
export type ActivityType = 'vin' | 'vout';

const activityType: Codec<ActivityType> = mapped(
  u8,
  (code) => (code === 0 ? 'vin' : 'vout'),
  (type) => (type === 'vin' ? 0 : 1),
);

/** Output, by the script and a block. */
export interface ScriptOutputKey {
  readonly script: Hash256;
  /** Height of the block of the activity, or of the one with the unspent output. */
  readonly height: number;
  readonly txid: Hash256;
  /** Index of the output. */
  readonly vout: number;
}

export interface ActivityKey extends ScriptOutputKey {
  readonly type: ActivityType;
}

export interface Activity extends OutputAmount {
  /** Transaction that spends the output; only for a vin. */
  readonly spentBy: Hash256 | undefined;
}

/** Outputs of a script and their inputs, in the order of blocks. An input is found by the output that it spends. */
export const scriptActivities: Column<ActivityKey, Activity> = {
  name: 'ocean/script-activity',
  key: struct<ActivityKey>({ script: hash256, height: u32be, type: activityType, txid: displayHash, vout: u32be }),
  value: struct<Activity>({ value: i64, tokenId, spentBy: optional(hash256) }),
};

/** Unspent outputs of a script, in the order of blocks. */
export const scriptUnspents: Column<ScriptOutputKey, OutputAmount> = {
  name: 'ocean/script-unspent',
  key: struct<ScriptOutputKey>({ script: hash256, height: u32be, txid: displayHash, vout: u32be }),
  value: struct<OutputAmount>({ value: i64, tokenId }),
};

/** First bytes of the keys of a script. */
export function scriptPrefix(script: Hash256): Uint8Array {
  return encode(hash256, script);
}

/** Columns of the coins of scripts. */
export const scriptColumns: readonly AnyColumn[] = [scriptTotals, scriptActivities, scriptUnspents];
