import type { NetworkParams } from '../../params/network.js';
import type { OutPoint } from '../../primitives/outpoint.js';
import type { TxOut } from '../../primitives/transaction.js';
import type { StateView, WritableView } from '../../storage/view.js';

/** Header time, in seconds since 1970, of the block at a height of the chain being extended; undefined above its tip. */
export type BlockTimeAt = (height: number) => number | undefined;

/** Height and network of a block: what decides which upgrades are active in it. */
export interface HeightContext {
  readonly height: number;
  readonly params: NetworkParams;
}

/** Context of a rule that only reads the state. */
export interface ReadContext extends HeightContext {
  readonly view: StateView;
}

/** Context of a rule that changes the state, and needs nothing else of the block than height and network. */
export interface WriteContext extends HeightContext {
  readonly view: WritableView;
}

/** Context of the rules of a block: one being connected, or the next block as the mempool, the minter and the wallet assume it. */
export interface BlockContext extends WriteContext {
  /** Seconds since 1970: the block's header time; in the mempool, the time of acceptance. */
  readonly time: number;
  /** Header times of the chain that the block extends. */
  readonly blockTime: BlockTimeAt;
  /** Unspent output as of the transaction being executed, so the coins that it spends are found. */
  readonly coin: (point: OutPoint) => TxOut | undefined;
}
