import type { ChainEvent } from '../../chain/chain.js';
import type { DefinedTx } from '../../dfi/context/custom-tx.js';
import { classify } from '../../dfi/execution/classify.js';
import { isActive, type NetworkParams } from '../../params/network.js';
import { skippedCustomTxs } from '../../params/skipped-custom-txs.js';
import { DecodeError, decode } from '../../primitives/codec.js';
import { formatHash } from '../../primitives/hash.js';
import { isCoinbase, type Transaction } from '../../primitives/transaction.js';
import type { StateView } from '../../storage/view.js';

/** Custom transaction of a block that took effect. */
export interface AppliedCustomTx {
  readonly tx: Transaction;
  /** Index in the block. */
  readonly txno: number;
  /** Type letter. */
  readonly type: string;
  /** Message after the type letter. */
  readonly body: Uint8Array;
}

/** Block to be indexed. */
export interface IndexedBlock extends ChainEvent {
  /** State of the tip, which is this block or a later one. */
  readonly state: StateView;
  readonly params: NetworkParams;
  readonly customTxs: readonly AppliedCustomTx[];
}

export function indexedBlock(event: ChainEvent, state: StateView, params: NetworkParams): IndexedBlock {
  return { ...event, state, params, customTxs: appliedCustomTxs(event, params) };
}

/**
 * Custom transactions that took effect, in block order. From Dakota on a block contains no others; those before are a known list.
 * @see docs/protocol/ocean.md 4.1
 */
function appliedCustomTxs({ block, entry }: Pick<ChainEvent, 'block' | 'entry'>, params: NetworkParams): AppliedCustomTx[] {
  const strict = isActive(params, 'fortCanning', entry.height);
  const isEarly = !isActive(params, 'metachain', entry.height);
  const skipped = isActive(params, 'dakota', entry.height) ? undefined : skippedCustomTxs(params.name);
  return block.transactions.flatMap((tx, txno) => {
    if (isCoinbase(tx) && entry.height > 0) return [];
    const found = classify(tx, strict, isEarly);
    if (found.kind !== 'custom' || skipped?.has(formatHash(tx.txid))) return [];
    return [{ tx, txno, type: found.type.type, body: found.body }];
  });
}

/** Message of a transaction of that type; undefined for another type, or if the bytes do not decode. */
export function messageOf<Body>({ type, codec }: Pick<DefinedTx<Body>, 'type' | 'codec'>, applied: AppliedCustomTx): Body | undefined {
  if (applied.type !== type || !codec) return undefined;
  try {
    return decode(codec, applied.body);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
