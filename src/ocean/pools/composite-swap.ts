import { type CompositeSwap, compositeSwap } from '../../dfi/pools/swap-transactions.js';
import type { NetworkParams } from '../../params/network.js';
import { DecodeError, decode } from '../../primitives/codec.js';
import { decodeLongTransaction, type Transaction } from '../../primitives/transaction.js';
import { customTxPayload } from '../../script/custom-tx.js';
import { fromLongHex } from '../../util/long-hex.js';
import { Slicer } from '../../util/slicer.js';
import { badRequest, OperationFailed } from '../api/errors.js';
import { Reader } from '../api/json.js';
import type { OceanModules } from '../modules.js';

/** Version 4 and the marker of witnesses, with which wallets begin. Other transactions are not checked. */
const CHECKED_HEAD = '040000000001';

/**
 * Refuses a swap along a path whose last pool does not have the token that the swap is to end with, with a text that wallets know.
 * @throws {OceanError}
 * @see docs/protocol/ocean.md 2.10
 */
export async function checkCompositeSwap({ chain, operations }: Pick<OceanModules, 'chain' | 'operations'>, hex: string): Promise<void> {
  if (!hex.startsWith(CHECKED_HEAD)) return;
  const swap = compositeSwapOf(await decoded(hex, chain.params));
  const last = swap?.path.at(-1);
  if (!swap || last === undefined) return;
  try {
    const [pool] = new Reader(await operations.call('getpoolpair', String(last))).members();
    const tokens = pool && [pool[1].get('idTokenA').text(), pool[1].get('idTokenB').text()];
    if (tokens?.includes(String(swap.tokenTo))) return;
  } catch (error) {
    if (!(error instanceof OperationFailed)) throw error;
  }
  throw badRequest('Invalid CompositeSwap');
}

/** Undefined if the text is no transaction. */
async function decoded(hex: string, { txFormat }: Pick<NetworkParams, 'txFormat'>): Promise<Transaction | undefined> {
  const slicer = new Slicer();
  const bytes = await slicer.run(fromLongHex(hex));
  return bytes && unlessMalformed(() => slicer.run(decodeLongTransaction(bytes, txFormat, true)));
}

/** Message of a transaction of two outputs that swaps along a path; undefined for others. */
function compositeSwapOf(tx: Transaction | undefined): CompositeSwap | undefined {
  const payload = tx?.vout.length === 2 ? customTxPayload(tx) : undefined;
  const { codec, type } = compositeSwap;
  if (payload?.type !== type || payload.extra || !codec) return undefined;
  try {
    return decode(codec, payload.body);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

async function unlessMalformed<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
