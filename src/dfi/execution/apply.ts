import type { SpentOutput } from '../../consensus/transaction.js';
import { isActive } from '../../params/network.js';
import { isCoinbase, type Transaction } from '../../primitives/transaction.js';
import { Op } from '../../script/opcodes.js';
import { Overlay } from '../../storage/overlay.js';
import type { StateView } from '../../storage/view.js';
import { equalBytes } from '../../util/bytes.js';
import { Accounts } from '../accounts/columns.js';
import { storedAttributes, valueAs } from '../attributes/attributes.js';
import { isFeatureOn } from '../attributes/features.js';
import { attributeAt } from '../attributes/path.js';
import type { AnyCustomTx, CustomTxType, TxContext } from '../context/custom-tx.js';
import { EventRecords } from '../context/event-records.js';
import { BalanceChanges, type BlockHistory } from '../context/history.js';
import { VaultHistoryRecorder } from '../context/vault-history.js';
import type { BlockContext, HeightContext } from '../kernel/block-context.js';
import { categoryByte } from '../kernel/event-types.js';
import { isUncomputable, TxRejected } from '../kernel/rejected.js';
import { readableReason } from '../kernel/text.js';
import { classify } from './classify.js';
import { checkGate } from './gate.js';
import { customTxOf } from './registry.js';

/** Transaction of a block, or one to be accepted to the mempool, with the outputs it spends. */
export interface CustomTxInput {
  readonly tx: Transaction;
  /** Index in the block. */
  readonly txIndex: number;
  readonly spent: readonly SpentOutput[];
}

/**
 * Block that a transaction is executed in. By default the stage is `block`, and the state decides about the EVM. Entries that the
 * transaction adds to `evmBlock` stay there if it is applied; a caller that drops its effects rolls the EVM block back.
 */
export type ExecutionBlock = Omit<BlockContext, 'view'> & Partial<Pick<TxContext, 'evmStage' | 'evmTip' | 'evmEnabled' | 'evmBlock'>>;

/** Result of executing the custom part of a transaction. */
export type CustomTxOutcome =
  /** No custom transaction, or one that is ignored. */
  | { readonly status: 'none' }
  /** Effects are in `overlay`; the caller commits or drops them. */
  | { readonly status: 'applied'; readonly effects: CustomTxEffects }
  /** Rejected without effect; with `fatal` its block is invalid. */
  | { readonly status: 'failed'; readonly message: string; readonly fatal: boolean; readonly lacksBalance: boolean };

export interface CustomTxEffects {
  readonly overlay: Overlay;
  /** Adds the balance changes, burns and vault records to the histories of the block. */
  record(history: BlockHistory): void;
}

const NONE: CustomTxOutcome = { status: 'none' };

/**
 * Executes the custom part of a transaction. The state is not changed; the effects are returned in an overlay.
 * @see docs/protocol/accounts.md 1.5, docs/protocol/chain.md 4.6
 */
export function applyCustomTx(input: CustomTxInput, block: ExecutionBlock, state: StateView): CustomTxOutcome {
  const { height, params } = block;
  if (isCoinbase(input.tx) && height > 0) return NONE;
  const strict = isActive(params, 'fortCanning', height);
  const { evmStage = 'block' } = block;
  // The wallet's test names the upgrade that a message waits for.
  const found = classify(input.tx, strict, evmStage !== 'call' && !isActive(params, 'metachain', height));
  const isEvm = found.kind === 'custom' && found.type.evm !== undefined;
  const evmEnabled = isEvm && (block.evmEnabled ?? isFeatureOn(state, 'evm'));
  if (isEvm && !evmEnabled && evmStage !== 'call') return fatal('EVM is not enabled on this block');
  const hasLimits = evmStage !== 'call' && isActive(params, 'metachain', height);
  const oversized = hasLimits ? oversizedData(input.tx, found, state) : undefined;
  if (oversized) return fatal(oversized);
  if (found.kind === 'none') return NONE;
  if (found.kind === 'reject') return strict ? fatal('Invalid custom transaction') : NONE;
  const definition = customTxOf(found.type.type);
  if (!definition) throw new Error(`no rule for transactions of type ${found.type.type}`);
  return run(definition, found.body, input, { ...block, evmStage, evmEnabled, evmBlock: block.evmBlock }, state);
}

function run(
  definition: AnyCustomTx,
  body: Uint8Array,
  input: CustomTxInput,
  block: ExecutionBlock & Pick<TxContext, 'evmStage' | 'evmEnabled' | 'evmBlock'>,
  state: StateView,
): CustomTxOutcome {
  const overlay = new Overlay(state);
  const changes = new BalanceChanges();
  const eventRecords = new EventRecords();
  const vaultHistoryRecorder = new VaultHistoryRecorder();
  const context: TxContext = {
    ...block,
    ...input,
    view: overlay,
    accounts: new Accounts(overlay, changes),
    eventRecords,
    vaultHistoryRecorder,
  };
  const checkpoint = block.evmBlock?.checkpoint();
  try {
    checkGate(definition, block.height, block.params);
    definition.run(body, context);
  } catch (error) {
    if (checkpoint) block.evmBlock?.rollback(checkpoint);
    const rejected = rejectionOf(error, block);
    const isFatal = rejected.fatal || failsBlock(definition, input.tx, block);
    const message = `${definition.name}Tx: ${readableReason(rejected.message)}`;
    return { status: 'failed', message, fatal: isFatal, lacksBalance: rejected.lacksBalance };
  }
  return { status: 'applied', effects: { overlay, record: (history) => recordEffects(definition, changes, context, history) } };
}

/**
 * Arithmetic without a result, such as a division by zero, rejects the transaction; so does an error text that cannot be formatted. Any
 * other error is thrown to the caller: a stack overflow or a bug must not decide, because nodes could disagree about it.
 */
function rejectionOf(error: unknown, { height, params }: HeightContext): TxRejected {
  if (error instanceof TxRejected) return error;
  if (isUncomputable(error)) return new TxRejected(`${isActive(params, 'metachain', height) ? 'CustomTxVisit ' : ''}unexpected error`);
  throw error;
}

function recordEffects(definition: AnyCustomTx, changes: BalanceChanges, context: TxContext, history: BlockHistory): void {
  const { feeBurn } = definition;
  const { tx, txIndex, eventRecords, vaultHistoryRecorder } = context;
  const writer = { txid: tx.txid, category: categoryByte(definition), txn: txIndex };
  history.add(changes.entries(), writer);
  if (vaultHistoryRecorder) history.vaults?.add(vaultHistoryRecorder, changes.entries(), writer);
  eventRecords?.addTo(history);
  const [first] = tx.vout;
  if (!feeBurn || !first) return;
  const amount = feeBurn(first.value, context);
  if (amount !== 0n) history.addBurn({ ...writer, owner: first.scriptPubKey, differences: [{ tokenId: 0, amount }] });
}

function fatal(message: string): CustomTxOutcome {
  return { status: 'failed', message, fatal: true, lacksBalance: false };
}

/** True if a failure of the transaction makes its block invalid. */
function failsBlock({ mustSucceed = false }: CustomTxType, { txid }: Transaction, { height, params }: HeightContext): boolean {
  if (isActive(params, 'dakota', height)) return true;
  const { toleratedFailure } = params;
  const isTolerated = toleratedFailure?.height === height && equalBytes(toleratedFailure.txid, txid);
  return mustSucceed && !isTolerated;
}

/** Maximum size of an OP_RETURN script in bytes, including the opcode: an attribute, and its value if that is not set. */
const DATA_LIMITS = {
  EVM: { key: attributeAt('v0/rules/tx/evm_op_return_max_size_bytes'), byDefault: 65_536n },
  DVM: { key: attributeAt('v0/rules/tx/dvm_op_return_max_size_bytes'), byDefault: 4_096n },
  Core: { key: attributeAt('v0/rules/tx/core_op_return_max_size_bytes'), byDefault: 1_024n },
} as const;

/** True if an OP_RETURN output of a transaction, custom or not, is longer than a block at the height may contain. */
export function hasOversizedData(tx: Transaction, { height, params }: Pick<BlockContext, 'height' | 'params'>, state: StateView): boolean {
  return isActive(params, 'metachain', height) && oversizedData(tx, classify(tx, true), state) !== undefined;
}

/** @returns error text for the first OP_RETURN output that is too long; undefined if there is none @see docs/protocol/accounts.md 1.4 */
function oversizedData({ vout }: Transaction, found: ReturnType<typeof classify>, state: StateView): string | undefined {
  const firstKind = found.kind === 'none' ? 'Core' : found.kind === 'custom' && found.type.evm === 'transaction' ? 'EVM' : 'DVM';
  for (const [i, { scriptPubKey }] of vout.entries()) {
    if (scriptPubKey[0] !== Op.RETURN) continue;
    const kind = i === 0 ? firstKind : 'Core';
    const { key, byDefault } = DATA_LIMITS[kind];
    // `defid` compares with the lower 32 bits.
    const limit = BigInt.asUintN(32, valueAs(storedAttributes(state), key, 'u64') ?? byDefault);
    if (BigInt(scriptPubKey.length) > limit) return `OP_RETURN size check: vout[${i}] ${kind} failure`;
  }
  return undefined;
}
