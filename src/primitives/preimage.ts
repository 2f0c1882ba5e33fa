import { concatBytes } from '../util/bytes.js';
import { ByteWriter } from './codec.js';

const VERSION_SIZE = 4;
const LOCK_TIME_SIZE = 4;
/** Bytes of inputs and outputs up to which the shared buffer is used: it would keep the size of the longest. */
const MAX_SHARED = 64 * 1024;

const shared = new ByteWriter(1024);

/**
 * Preimage of the txid of a transaction with witness data.
 * @param raw serialised transaction
 * @param core its inputs and outputs, the first byte and the one after the last
 * @returns a view until the next one is asked for
 */
export function txidPreimage(raw: Uint8Array, core: { readonly start: number; readonly end: number }): Uint8Array {
  const version = raw.subarray(0, VERSION_SIZE);
  const inner = raw.subarray(core.start, core.end);
  const lockTime = raw.subarray(raw.length - LOCK_TIME_SIZE);
  if (inner.length > MAX_SHARED) return concatBytes(version, inner, lockTime);
  shared.reset();
  shared.bytes(version);
  shared.bytes(inner);
  shared.bytes(lockTime);
  return shared.view();
}
