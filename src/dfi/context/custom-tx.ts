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
import type { VaultHistoryRecorder } from './vault-history.js';

/**
 * Extent to which transactions that touch the EVM are executed.
 * - `block`: checked and applied to the EVM ledger
 * - `pool`: checked only; a transaction in the mempool has no effect on the EVM ledger
 * - `call`: like `pool`, for the wallet's test before sending: a disabled EVM is reported by the rule, not before it
 */
export type EvmStage = 'block' | 'pool' | 'call';

/** Block context available to the rules of custom transactions. */
export interface CustomTxBlock {
  readonly height: number;
  /** Seconds since 1970: the block's header time; in the mempool, the time of acceptance. */
  readonly time: number;
  readonly params: NetworkParams;
  /** Unspent output as of before this transaction, so the coins that it spends are found. */
  coin(point: OutPoint): TxOut | undefined;
  /** Header times of the chain that the block extends. */
  readonly blockTime: BlockTimeAt;
  /** `block` by default. */
  readonly evmStage?: EvmStage;
  /** True if the block contains an EVM block, which the state before its transactions decides. By default the current state is asked. */
  readonly evmEnabled?: boolean;
}

/** Context of one custom transaction, passed to its rule. */
export interface CustomTxContext extends CustomTxBlock {
  /** State that the transaction changes; dropped if the rule throws. */
  readonly view: WritableView;
  /** Balances of that state. Changes made through it are recorded in the account history. */
  readonly accounts: Accounts;
  /** Records balance changes in the history under event numbers, like those of block events. */
  readonly eventRecords?: EventRecords;
  /** Records for the history of vaults. */
  readonly vaultHistoryRecorder?: VaultHistoryRecorder;
  readonly collateralRecorder?: CollateralRecorder;
  readonly tx: Transaction;
  /** Index in the block. */
  readonly txIndex: number;
  /** Outputs that the transaction spends, in the order of its inputs. */
  readonly spent: readonly SpentOutput[];
  readonly evmStage: EvmStage;
  readonly evmEnabled: boolean;
}

/** Upgrade from which a type may be used. */
export type Gate = Upgrade | 'genesis';

/** Type of custom transaction, without codec and rule. */
export interface CustomTxType {
  /** Letter after the marker. */
  readonly type: string;
  /** Name in error texts, the history and operations. Not unique: a later second form of a message has the name of the first. */
  readonly name: string;
  readonly since: Gate;
  /** Upgrade from which the type may no longer be used. */
  readonly until?: Upgrade;
}

/** Part of the first output's value that is recorded as a fee in the burn history; both in satoshis. */
export type FeeBurn = (value: bigint, context: CustomTxContext) => bigint;

/** Definition of a custom transaction: type, gate, codec and rule in one value. */
export interface CustomTx<Body> extends CustomTxType {
  /** Codec of the message after the type letter; the wallet encodes with it. Undefined: any bytes are accepted and ignored. */
  readonly codec: Codec<Body> | undefined;
  /** @throws {TxRejected} if a rule is broken */
  apply(context: CustomTxContext, body: Body): void;
  /** None by default. */
  readonly feeBurn?: FeeBurn;
}

/** Definition with the body type erased, so that definitions fit in one list. */
export interface AnyCustomTx extends CustomTxType {
  readonly codec: Codec<unknown> | undefined;
  readonly feeBurn: FeeBurn | undefined;
  /**
   * Decodes all bytes after the type letter, then runs the rule.
   * @throws {TxRejected} if they do not decode, or a rule is broken
   */
  run(body: Uint8Array, context: CustomTxContext): void;
}

/** Definition that fits in a list of {@link AnyCustomTx} and still has a typed codec for importers. */
export interface DefinedTx<Body> extends AnyCustomTx {
  readonly codec: Codec<Body> | undefined;
}

/** Erases the body type of a definition by joining decoding and rule in `run`. */
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

/** Type that is accepted with any bytes after its letter and has no effect. */
export function noOperation(type: string, name: string): AnyCustomTx {
  return { type, name, since: 'genesis', codec: undefined, feeBurn: undefined, run() {} };
}

/** Decodes a message completely. @throws {TxRejected} with the text of `defid`: that of `CDataStream` and `std::ios_base::failure` */
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
