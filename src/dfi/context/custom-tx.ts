import type { SpentOutput } from '../../consensus/transaction.js';
import type { BlockBuilder } from '../../evm/block/block-builder.js';
import { hasMetachainMembers, isActive } from '../../params/network.js';
import type { Upgrade } from '../../params/upgrades.js';
import { ByteReader, type Codec, DecodeError } from '../../primitives/codec.js';
import type { Hash256 } from '../../primitives/hash.js';
import type { Transaction } from '../../primitives/transaction.js';
import type { StateView } from '../../storage/view.js';
import type { Accounts, BalanceKey } from '../accounts/columns.js';
import type { BlockContext, HeightContext } from '../kernel/block-context.js';
import { TxRejected } from '../kernel/rejected.js';
import type { EventRecords } from './event-records.js';
import type { VaultHistoryRecorder } from './vault-history.js';

/**
 * Extent to which transactions that touch the EVM are executed.
 * - `block`: checked and executed in the EVM block
 * - `pool`: checked only; a transaction in the mempool has no effect on the EVM
 * - `call`: like `pool`, for the wallet's test before sending: a disabled EVM is reported by the rule, not before it
 */
export type EvmStage = 'block' | 'pool' | 'call';

/** Context of one custom transaction, passed to its rule. Its view is dropped if the rule throws. */
export interface TxContext extends BlockContext {
  /** Balances of the view. Changes made through it are recorded in the account history. */
  readonly accounts: Accounts;
  /** Records balance changes in the history under event numbers, like those of block events; undefined where no history is kept. */
  readonly eventRecords?: EventRecords;
  /** Records for the history of vaults. */
  readonly vaultHistoryRecorder?: VaultHistoryRecorder;
  readonly tx: Transaction;
  /** Index in the block. */
  readonly txIndex: number;
  /** Outputs that the transaction spends, in the order of its inputs. */
  readonly spent: readonly SpentOutput[];
  readonly evmStage: EvmStage;
  /** State at the tip, with which an EVM transaction of the mempool is checked; undefined elsewhere. */
  readonly evmTip?: StateView;
  /** True if the block contains an EVM block, which the state before its transactions decides. */
  readonly evmEnabled: boolean;
  /**
   * EVM block under construction in the DVM block; undefined outside of the stage `block` and where the EVM is off. What it refuses it
   * throws as `EntryRefused`. If the custom transaction fails, its entries are reverted.
   */
  readonly evmBlock: BlockBuilder | undefined;
}

/**
 * Context of a change of governance variables, by a transaction or at the end of a block. Its height is that of the block that makes the
 * change, or that stores it for a later block.
 */
export type GovernanceContext = Pick<TxContext, 'view' | 'height' | 'time' | 'params' | 'eventRecords'>;

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
  /** Use of the EVM: such types are rejected while it is disabled, and an EVM transaction may be larger than other messages. */
  readonly evm?: 'transfer' | 'transaction';
  /** True for types that create coins or tokens: a failure makes the block invalid before Dakota too. */
  readonly mustSucceed?: boolean;
  /** True for types that `defid` disables in the last block before Fort Canning Hill and in its first (`IsDisabledTx`). */
  readonly pausesAtFortCanningHill?: boolean;
}

/** Part of the first output's value that is recorded as a fee in the burn history; both in satoshis. */
export type FeeBurn = (value: bigint, context: TxContext) => bigint;

/** Accounts and vaults that a rule reads. For rows that are missing here, the rule may have to wait for the disk. */
export interface ExpectedReads {
  readonly balances?: readonly BalanceKey[];
  readonly vaults?: readonly Hash256[];
}

/** Definition of a custom transaction: type, gate, codec and rule in one value. */
export interface CustomTx<Body> extends CustomTxType {
  /** Codec of the message after the type letter; the wallet encodes with it. Undefined: any bytes are accepted and ignored. */
  readonly codec: Codec<Body> | undefined;
  /** Codec where messages have no members of Metachain, if `defid` 3.2.8 reads another form; the wallet does not use it. */
  readonly earlyCodec?: Codec<Body>;
  /** @throws {TxRejected} if a rule is broken */
  apply(context: TxContext, body: Body): void;
  /** Amount of the fee that counts as burnt; none by default. */
  readonly feeBurn?: FeeBurn;
  /** Rows that the rule reads, as far as the message alone names them; none by default. A hint without effect on the result. */
  reads?(body: Body): ExpectedReads;
}

/** Definition with the body type erased, so that definitions fit in one list. */
export interface AnyCustomTx extends CustomTxType {
  readonly codec: Codec<unknown> | undefined;
  readonly feeBurn: FeeBurn | undefined;
  /**
   * Decodes all bytes after the type letter, then runs the rule.
   * @throws {TxRejected} if they do not decode, the type pauses at the height, or a rule is broken
   */
  run(body: Uint8Array, context: TxContext): void;
  /** Rows that the rule is expected to read; undefined if that is not known, or if the bytes do not decode. */
  expectedReads?(body: Uint8Array): ExpectedReads | undefined;
}

/** Definition that fits in a list of {@link AnyCustomTx} and still has a typed codec for importers. */
export interface DefinedTx<Body> extends AnyCustomTx {
  readonly codec: Codec<Body> | undefined;
}

/** Erases the body type of a definition by joining decoding and rule in `run`. */
export function customTx<Body>(definition: CustomTx<Body>): DefinedTx<Body> {
  const { codec, earlyCodec, apply, feeBurn, reads, ...type } = definition;
  return {
    ...type,
    codec,
    feeBurn,
    run(body, context) {
      const isEarly = earlyCodec && !hasMetachainMembers(context.params, context.height);
      if (!codec) return;
      const decoded = decodeBody(isEarly ? earlyCodec : codec, body);
      if (isPaused(type, context)) throw new TxRejected('Disabled custom transaction', { fatal: true });
      apply(context, decoded);
    },
    expectedReads: (body) => (codec && reads ? readsOf(codec, reads, body) : undefined),
  };
}

function isPaused({ pausesAtFortCanningHill = false }: CustomTxType, { height, params }: HeightContext): boolean {
  const { fortCanningHill } = params.upgrades;
  if (!pausesAtFortCanningHill || !isActive(params, 'fortCanningPark', height)) return false;
  return height === fortCanningHill - 1 || height === fortCanningHill;
}

function readsOf<Body>(codec: Codec<Body>, reads: (body: Body) => ExpectedReads, bytes: Uint8Array): ExpectedReads | undefined {
  try {
    return reads(codec.read(new ByteReader(bytes)));
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** Type that is accepted with any bytes after its letter and has no effect. */
export function noOperation(type: string, name: string, since: Gate = 'genesis'): AnyCustomTx {
  return { type, name, since, codec: undefined, feeBurn: undefined, run() {} };
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
