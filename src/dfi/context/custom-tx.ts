import type { SpentOutput } from '../../consensus/transaction.js';
import type { NetworkParams } from '../../params/network.js';
import type { Upgrade } from '../../params/upgrades.js';
import { ByteReader, type Codec, DecodeError } from '../../primitives/codec.js';
import type { OutPoint } from '../../primitives/outpoint.js';
import type { Transaction, TxOut } from '../../primitives/transaction.js';
import type { WritableView } from '../../storage/view.js';
import type { Accounts } from '../accounts/columns.js';
import type { BlockTimeAt } from '../kernel/block-time.js';
import { TxRejected } from '../kernel/rejected.js';
import type { CollateralRecorder } from '../vaults/columns.js';
import type { EventRecords } from './event-records.js';
import type { VaultNotes } from './vault-notes.js';

/**
 * How far transactions that touch the EVM are taken.
 * - `block`: they are checked and have their effects
 * - `pool`: they are checked; what waits has no effect on the EVM yet
 * - `call`: the same, for who asks before sending: whether the block has an EVM is asked like everything else
 */
export type EvmStage = 'block' | 'pool' | 'call';

/** What a rule may know of the block that a transaction stands in. */
export interface CustomTxBlock {
  readonly height: number;
  /** Seconds since 1970: of the block; in the pool, when the transaction came in. */
  readonly time: number;
  readonly params: NetworkParams;
  /** Unspent outputs as they were before this transaction, those it spends included. */
  coin(point: OutPoint): TxOut | undefined;
  /** Times of the chain that the block extends; undefined above its end. */
  readonly blockTime: BlockTimeAt;
  /** `block` by default. */
  readonly evmStage?: EvmStage;
  /** Whether the block has a block of the EVM, as the state before its transactions decides. By default that at hand is taken for it. */
  readonly evmEnabled?: boolean;
}

/** Everything that a rule is handed. */
export interface CustomTxContext extends CustomTxBlock {
  /** State that the transaction changes; dropped if the rule throws. */
  readonly view: WritableView;
  /** Balances of that state. Changes made through it are in the account history. */
  readonly accounts: Accounts;
  /** For changes of balances that are in the history like those of block events. */
  readonly asides?: EventRecords;
  /** For what the history of vaults shows. */
  readonly vaultNotes?: VaultNotes;
  readonly collateralRecorder?: CollateralRecorder;
  readonly tx: Transaction;
  /** Index in the block. */
  readonly txIndex: number;
  /** Outputs that the transaction spends, in the order of its inputs. */
  readonly spent: readonly SpentOutput[];
  readonly evmStage: EvmStage;
  readonly evmEnabled: boolean;
}

/** From when on a type may be used. */
export type Gate = Upgrade | 'genesis';

/** A type of custom transaction, its rule left out. */
export interface CustomTxType {
  /** The one letter after the marker. */
  readonly type: string;
  /** What errors, the history and operations call it. Two types share a name where a second form of a message came later. */
  readonly name: string;
  readonly since: Gate;
  /** The upgrade that ended it. */
  readonly until?: Upgrade;
}

/** Part of the first output's value that the burn history shows as a fee, in satoshis. */
export type FeeBurn = (value: bigint, context: CustomTxContext) => bigint;

/** A custom transaction: everything about it in one value. */
export interface CustomTx<Body> extends CustomTxType {
  /** Reads what follows the type; the wallet writes with it. Undefined: whatever follows is accepted and ignored. */
  readonly codec: Codec<Body> | undefined;
  /** @throws {TxRejected} if a rule is broken */
  apply(context: CustomTxContext, body: Body): void;
  /** None by default. */
  readonly feeBurn?: FeeBurn;
}

/** A custom transaction of whatever body, for lists. */
export interface AnyCustomTx extends CustomTxType {
  readonly codec: Codec<unknown> | undefined;
  readonly feeBurn: FeeBurn | undefined;
  /**
   * Reads all of the bytes behind the type letter, then runs the rule.
   * @throws {TxRejected} if they are no such message, or a rule is broken
   */
  run(body: Uint8Array, context: CustomTxContext): void;
}

/** A definition that can stand in a list; its codec keeps its type for those who import it by name. */
export interface DefinedTx<Body> extends AnyCustomTx {
  readonly codec: Codec<Body> | undefined;
}

export function customTx<Body>(definition: CustomTx<Body>): DefinedTx<Body> {
  const { codec, apply, feeBurn, ...type } = definition;
  return {
    ...type,
    codec,
    feeBurn,
    run(body, context) {
      if (codec) apply(context, decodeBody(codec, body));
    },
  };
}

/** A type that is accepted and does nothing, whatever follows its letter. */
export function noOperation(type: string, name: string): AnyCustomTx {
  return { type, name, since: 'genesis', codec: undefined, feeBurn: undefined, run() {} };
}

/** @throws {TxRejected} in the reference's words, which are those of the library that it reads streams with */
export function decodeBody<Body>(codec: Codec<Body>, bytes: Uint8Array): Body {
  const r = new ByteReader(bytes);
  const body = readBody(codec, r);
  if (r.remaining > 0) throw new TxRejected(`deserialization failed: excess ${r.remaining} bytes`);
  return body;
}

function readBody<Body>(codec: Codec<Body>, r: ByteReader): Body {
  try {
    return codec.read(r);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const text = error.message === 'end of data' ? 'CDataStream::read(): end of data' : error.message;
    throw new TxRejected(`${text}: iostream error`);
  }
}
