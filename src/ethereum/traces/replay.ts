import { decodeBody } from '../../dfi/context/custom-tx.js';
import { evmBlock, evmHeader, type StoredBlock } from '../../dfi/evm/blocks.js';
import { type CarriedTransaction, carriedKind } from '../../dfi/evm/carried.js';
import { StateAt } from '../../dfi/evm/state-at.js';
import { TxRejected } from '../../dfi/kernel/rejected.js';
import { hasFlag, type Token, tokenByCreation } from '../../dfi/tokens/columns.js';
import { updateTokenAnyBody } from '../../dfi/tokens/updates.js';
import { BlockBuilder } from '../../evm/block/block-builder.js';
import { EntryRefused } from '../../evm/block/entry-error.js';
import type { TokenEntry } from '../../evm/block/system-entries.js';
import type { DomainTransfer } from '../../evm/block/transfer-domain.js';
import { decodeUnrecovered, type SignedEvmTransaction } from '../../evm/codec/transaction.js';
import { TRANSFER_DOMAIN } from '../../evm/contracts/addresses.js';
import type { Executed } from '../../evm/execute.js';
import type { ExecutionSteps } from '../../evm/interpreter.js';
import type { Tracer } from '../../evm/tracing/tracer.js';
import { addressWord, readWord } from '../../evm/words.js';
import type { Transaction } from '../../primitives/transaction.js';
import { customTxPayload } from '../../script/custom-tx.js';
import type { StateView } from '../../storage/view.js';
import { EMPTY_BYTES, toHex } from '../../util/bytes.js';
import { blockHashOf, callPrecompiles } from '../calls/execution.js';
import { type EthereumError, engineError, headerNotFound } from '../errors.js';
import type { EthereumModules } from '../modules.js';

/** Entry of a block that was executed again. */
export interface Replayed {
  readonly index: number;
  readonly hash: Uint8Array;
  /** Undefined for entries of the node itself. */
  readonly executed: Executed | undefined;
  /** True for transfers between DVM and EVM and for entries of the node itself, which cost no gas. */
  readonly isFree: boolean;
}

const SELECTOR_SIZE = 4;
const WORD = 32;
const CREATE_TOKEN = 'T';
const UPDATE_TOKEN = 'n';

/** A DVM transaction that represents the entry at the same place. */
type Carrier =
  | { readonly kind: CarriedTransaction['kind'] }
  | { readonly kind: 'created token' | 'renamed token'; readonly token: TokenEntry };

/** Selector of `transferDST20`. */
const TOKEN_TRANSFER = '917e9b69';

/**
 * Executes the entries of a block again, from the first to that at `last`. Counters of blocks that contracts read keep their values of the
 * block before, as in `defid`.
 * @param tracerOf observer of an entry
 * @param replayed called after each entry
 * @throws {EthereumError} if the block has entries without a DVM transaction of their own @see docs/protocol/evm-engine.md 10.9
 */
export function* replay(
  modules: Pick<EthereumModules, 'chain' | 'execution'>,
  number: number,
  last: number,
  tracerOf: (index: number) => Tracer | undefined,
  replayed: (entry: Replayed) => void,
): ExecutionSteps<void> {
  const { chain, execution } = modules;
  const block = evmBlock(chain.state, number);
  if (!block) throw headerNotFound();
  const carriers = carriersOf(chain, block);
  if (block.entries.length !== carriers.length) throw mismatch();
  // The block of -ethstartstate has none, and no parent.
  if (block.entries.length === 0) return;
  const builder = builderOf(chain, block);
  for (const [index, { raw, sender, hash }] of block.entries.slice(0, last + 1).entries()) {
    const signed = { tx: decodeUnrecovered(raw), sender, hash };
    const carrier = carriers[index] as Carrier;
    const options = { tracer: tracerOf(index), offload: execution.offload };
    try {
      let executed: Executed | undefined;
      if (carrier.kind === 'created token') builder.createToken(carrier.token);
      else if (carrier.kind === 'renamed token') builder.renameToken(carrier.token);
      else if (carrier.kind === 'transfer') executed = yield* builder.transferSteps(transferOf(signed), options);
      else executed = yield* builder.transactionSteps(signed, options);
      replayed({ index, hash, executed, isFree: carrier.kind !== 'transaction' });
    } catch (error) {
      if (error instanceof EntryRefused) throw engineError(error.message);
      throw error;
    }
  }
}

function builderOf(chain: EthereumModules['chain'], { header }: StoredBlock): BlockBuilder {
  const parentNumber = Number(header.number) - 1;
  const parent = evmHeader(chain.state, parentNumber);
  if (!parent) throw mismatch();
  const { df23, df24 } = chain.params.upgrades;
  return new BlockBuilder({
    parent: { ...parent.header, hash: parent.hash },
    store: new StateAt(chain, parentNumber),
    beneficiary: addressWord(header.beneficiary),
    bits: Number(header.difficulty),
    timestamp: Number(header.timestamp),
    gasLimit: header.gasLimit,
    gasTargetFactor: 1n,
    baseFee: header.baseFee,
    // As in `defid`: a token that is created or renamed has the first version of token contracts in the rest of the trace.
    dvmHeight: 0,
    chainId: BigInt(chain.params.evmChainId),
    upgrades: { df23, df24 },
    blockHash: (wanted) => blockHashOf(chain.state, wanted),
    findPrecompile: callPrecompiles(chain),
  });
}

/**
 * The transfer of which an entry is the call of the contract. The contract itself represents the DVM side.
 * @throws {EthereumError} if the entry is no such call
 */
function transferOf(signed: SignedEvmTransaction): DomainTransfer {
  const { data } = signed.tx;
  const isToken = toHex(data.subarray(0, SELECTOR_SIZE)) === TOKEN_TRANSFER;
  const from = SELECTOR_SIZE + (isToken ? WORD : 0);
  if (data.length < from + 3 * WORD) throw mismatch();
  const addressAt = (at: number): bigint => readWord(data, at + 12, 20);
  return {
    signed,
    direction: addressAt(from) === TRANSFER_DOMAIN ? 'in' : 'out',
    token: isToken ? addressAt(SELECTOR_SIZE) : undefined,
    wei: readWord(data, from + 2 * WORD),
  };
}

function mismatch(): EthereumError {
  return engineError('Cannot replay tx, DVM and EVM block state mismatch.');
}

/**
 * DVM transactions of a block for each of which `defid` expects an entry, up to one that it cannot read. Tokens have their present or new
 * names. In a block that creates a loan token and has such a transaction without an entry, these transactions are executed in place of
 * other entries.
 */
function carriersOf(chain: EthereumModules['chain'], { dvmHeight }: StoredBlock): readonly Carrier[] {
  const entry = chain.entryAt(dvmHeight);
  const block = entry && chain.block(entry);
  const carriers: Carrier[] = [];
  for (const tx of block?.transactions ?? []) {
    const type = customTxPayload(tx)?.type;
    const kind = carriedKind(tx);
    if (kind) carriers.push({ kind });
    else if (type === CREATE_TOKEN || type === UPDATE_TOKEN) {
      const token = type === CREATE_TOKEN ? createdToken(tx, chain.state) : updatedToken(tx, chain.state);
      if (!token) break;
      carriers.push({ kind: type === CREATE_TOKEN ? 'created token' : 'renamed token', token });
    }
  }
  return carriers;
}

function createdToken({ txid }: Transaction, view: StateView): TokenEntry | undefined {
  const found = tokenByCreation(view, txid);
  return found && tokenEntry(found.id, found.token);
}

function updatedToken(tx: Transaction, view: StateView): TokenEntry | undefined {
  try {
    const { tokenTx, token } = decodeBody(updateTokenAnyBody, customTxPayload(tx)?.body ?? EMPTY_BYTES);
    const found = tokenByCreation(view, tokenTx);
    return found && hasFlag(found.token, 'dat') ? tokenEntry(found.id, token) : undefined;
  } catch (error) {
    if (error instanceof TxRejected) return undefined;
    throw error;
  }
}

function tokenEntry(id: number, { name, symbol }: Pick<Token, 'name' | 'symbol'>): TokenEntry {
  return { id, name: Buffer.from(name, 'latin1'), symbol: Buffer.from(symbol, 'latin1') };
}
