import type { NetworkParams } from '../params/network.js';
import type { Transaction, TxIn } from '../primitives/transaction.js';
import { SEQUENCE_LOCKTIME_BY_TIME, SEQUENCE_LOCKTIME_DISABLED, SEQUENCE_LOCKTIME_MASK } from '../primitives/transaction.js';
import type { Ancestor } from './ancestry.js';

const TIME_GRANULARITY_BITS = 9;

/** True if the input has a relative lock time (BIP68). */
function hasLockTime({ sequence }: TxIn): boolean {
  return (sequence & SEQUENCE_LOCKTIME_DISABLED) === 0;
}

/**
 * True if the relative lock times (BIP68) of all inputs permit a block on `parent`.
 * @param spent the spent outputs, in the order of the inputs
 * @param enforced true if BIP68 is active at that height
 * @see BIP68
 */
export function sequenceLocksPass(
  tx: Transaction,
  spent: readonly { readonly height: number }[],
  parent: Ancestor,
  enforced: boolean,
): boolean {
  // The version is unsigned here, so the rule also applies to negative ones.
  if (!enforced || tx.version >>> 0 < 2 || !tx.vin.some(hasLockTime)) return true;
  const height = parent.height + 1;
  const time = parent.medianTimePast();
  return tx.vin.every((input, i) => {
    if (!hasLockTime(input)) return true;
    const { sequence } = input;
    const spentHeight = (spent[i] as { readonly height: number }).height;
    if ((sequence & SEQUENCE_LOCKTIME_BY_TIME) === 0) return spentHeight + (sequence & SEQUENCE_LOCKTIME_MASK) <= height;
    const mined = parent.ancestor(Math.max(spentHeight - 1, 0));
    return (mined?.medianTimePast() ?? 0) + ((sequence & SEQUENCE_LOCKTIME_MASK) << TIME_GRANULARITY_BITS) <= time;
  });
}

type Bip68Params = Pick<NetworkParams, 'buried'>;

/** True if relative lock times are enforced at a height. */
export function isBip68Active(height: number, { buried }: Bip68Params): boolean {
  return height >= buried.csv;
}

const GENESIS_OUTPUT = { height: 0 };

/** True if the relative lock times of an EVM transaction have passed. Its null inputs count as outputs of the genesis block. */
export function nullInputLocksPass(tx: Transaction, parent: Ancestor, params: Bip68Params): boolean {
  return sequenceLocksPass(tx, new Array(tx.vin.length).fill(GENESIS_OUTPUT), parent, isBip68Active(parent.height + 1, params));
}
