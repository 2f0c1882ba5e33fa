import { keccak256 } from '../../crypto/keccak.js';
import { addBloom, BLOOM_SIZE, bloomOf } from '../codec/bloom.js';
import { type EvmHeader, headerHash } from '../codec/header.js';
import { orderedRoot } from '../codec/ordered-root.js';
import { encodeReceipt, type Receipt } from '../codec/receipt.js';
import {
  type EvmTransaction,
  effectivePrice,
  encodeEvmTransaction,
  priceCap,
  recoverSender,
  type SignedEvmTransaction,
} from '../codec/transaction.js';
import { type Executed, executeInSteps, hasTooMuchInitCode } from '../execute.js';
import { type ExecutionSteps, type FindPrecompile, finishExecution, type InterpreterOptions } from '../interpreter.js';
import type { Environment } from '../machine.js';
import { BlockState, isChangedByTouch } from '../state/block-state.js';
import { commitBlock, type StateStore } from '../state/commit.js';
import type { StateBelow } from '../state/transaction-state.js';
import { addressBytes, readWord } from '../words.js';
import { EntryRefused } from './entry-error.js';
import { nextBaseFee } from './fees.js';
import * as system from './system-entries.js';
import { type DomainTransfer, finishTransfer, prepareTransfer } from './transfer-domain.js';

/** Facts about a block that are known before its first transaction. @see docs/protocol/evm-engine.md 6.1 */
export interface BlockOptions {
  /** Last EVM block; undefined for the first. */
  readonly parent: (Pick<EvmHeader, 'number' | 'gasLimit' | 'gasUsed' | 'baseFee'> & { readonly hash: Uint8Array }) | undefined;
  /** State after the parent. A block that is only executed again needs no store. */
  readonly store: StateStore | StateBelow;
  /** Address of the miner. */
  readonly beneficiary: bigint;
  /** Compact target of the DVM block. */
  readonly bits: number;
  /** Seconds. */
  readonly timestamp: number;
  readonly gasLimit: bigint;
  readonly gasTargetFactor: bigint;
  /** Base fee of a block that is executed again; undefined to compute it. */
  readonly baseFee?: bigint;
  readonly dvmHeight: number;
  readonly chainId: bigint;
  readonly upgrades: system.UpgradeHeights;
  /** Hash of an EVM block of the best chain, 32 bytes; undefined for unknown numbers. */
  readonly blockHash: (number: bigint) => Uint8Array | undefined;
  readonly findPrecompile: FindPrecompile;
}

/** An entry of a block. */
export interface BlockEntry {
  readonly tx: EvmTransaction;
  /** 32 bytes in natural order. */
  readonly hash: Uint8Array;
  /** Signer; of a system entry, the meaningless address that its artificial signature recovers to. */
  readonly sender: bigint;
  readonly receipt: Receipt;
  /** Contract of a creation or of a system entry. */
  readonly contract: bigint | undefined;
  /** Wei per gas that was paid. */
  readonly price: bigint;
}

/** A finished block. */
export interface BuiltBlock {
  readonly header: EvmHeader;
  readonly hash: Uint8Array;
  readonly entries: readonly BlockEntry[];
  /** Wei. */
  readonly burnt: bigint;
  /** Wei, credited to the beneficiary. */
  readonly priority: bigint;
}

/** Position of a block to return to. */
export interface BlockCheckpoint {
  /** Position in the journal of the state; undefined if it was not used yet. */
  readonly state: number | undefined;
  readonly entries: number;
  readonly usedGas: bigint;
  readonly fees: bigint;
}

const MAX_WEI = 1n << 256n;
const NO_HASH = new Uint8Array(32);
const MAX_GAS = (1n << 64n) - 1n;

type EntriesSummary = Pick<EvmHeader, 'transactionsRoot' | 'receiptsRoot' | 'logsBloom'>;

const NO_ENTRIES = summaryOf([]);

function summaryOf(entries: readonly BlockEntry[]): EntriesSummary {
  const logsBloom = new Uint8Array(BLOOM_SIZE);
  const blooms = entries.map(({ receipt }) => bloomOf(receipt.logs));
  for (const bloom of blooms) addBloom(logsBloom, bloom);
  return {
    transactionsRoot: orderedRoot(entries.map(({ tx }) => encodeEvmTransaction(tx))),
    receiptsRoot: orderedRoot(entries.map(({ receipt }, index) => encodeReceipt(receipt, blooms[index] as Uint8Array))),
    logsBloom,
  };
}

/** An EVM block under construction: for validation, and for mining. @see docs/protocol/evm-engine.md 6 */
export class BlockBuilder {
  readonly number: bigint;
  readonly baseFee: bigint;
  /** Undefined until it is used. The root of a block that only changes the counters is computed without it. */
  #state: BlockState | undefined;
  /** True if the block counters are the first change of the state. */
  #changesCounters = false;
  /** Position in the journal of the state after that change. */
  #stateStart = 0;
  readonly #entries: BlockEntry[] = [];
  #usedGas = 0n;
  #executedGas = 0n;
  #fees = 0n;

  constructor(private readonly options: BlockOptions) {
    const { parent, gasTargetFactor, baseFee } = options;
    this.number = parent ? parent.number + 1n : 0n;
    this.baseFee = baseFee ?? nextBaseFee(parent, gasTargetFactor);
  }

  /** State of the block so far, to be used from `startBlock` on. */
  get state(): BlockState {
    if (this.#state) return this.#state;
    this.#state = new BlockState(this.options.store);
    if (this.#changesCounters) system.updateIntrinsics(this.#state, this.number, this.options.dvmHeight);
    this.#stateStart = this.#state.checkpoint();
    return this.#state;
  }

  /** Entries so far. */
  get entries(): readonly BlockEntry[] {
    return this.#entries;
  }

  /** Most gas that its transactions may use. */
  get gasLimit(): bigint {
    return this.options.gasLimit;
  }

  /** Gas of transactions that were executed but are not in the block: they were refused afterwards, or reverted. */
  get wastedGas(): bigint {
    return this.#executedGas - this.#usedGas;
  }

  /** Position to return to if what follows fails. */
  checkpoint(): BlockCheckpoint {
    return { state: this.#state?.checkpoint(), entries: this.#entries.length, usedGas: this.#usedGas, fees: this.#fees };
  }

  /** Reverts all entries since a checkpoint, with their effects. */
  rollback({ state, entries, usedGas, fees }: BlockCheckpoint): void {
    this.#state?.rollback(state ?? this.#stateStart);
    this.#entries.length = entries;
    this.#usedGas = usedGas;
    this.#fees = fees;
  }

  /** Entries of the node itself at the start of the block. @param tokens for the first block: tokens that exist, by ascending id */
  startBlock(tokens: readonly system.TokenEntry[]): void {
    const { dvmHeight, upgrades } = this.options;
    if (this.number === 0n) {
      for (const entry of system.deployGenesis(this.state, dvmHeight, this.baseFee)) this.#addSystem(entry);
      for (const token of tokens) this.#addSystem(system.deployToken(this.state, token, this.#implementation(), this.baseFee));
    } else this.#changesCounters = true;
    if (system.isUpgradeHeight(dvmHeight, upgrades)) {
      for (const entry of system.deployUpgrades(this.state, dvmHeight, upgrades, this.baseFee)) this.#addSystem(entry);
    }
  }

  /** @throws {EntryRefused} if the block may not contain the transaction */
  addTransaction(signed: SignedEvmTransaction): Executed {
    return finishExecution(this.transactionSteps(signed));
  }

  /** {@link addTransaction} with points of interruption. @throws {EntryRefused} */
  *transactionSteps({ tx, sender, hash }: SignedEvmTransaction, options?: InterpreterOptions): ExecutionSteps<Executed> {
    const checkpoint = this.#begin();
    try {
      if (hasTooMuchInitCode(tx)) throw new EntryRefused('initcode size exceeded');
      if (priceCap(tx) < this.baseFee) throw new EntryRefused('tx gas price per gas is lower than block base fee per gas');
      this.#checkNonce(sender, tx.nonce);
      const price = this.#priceOf(tx);
      this.#prepay(sender, tx.gasLimit * price);
      const executed = yield* this.#execute(sender, tx, price, options);
      this.#executedGas += executed.usedGas;
      if (this.#usedGas + executed.usedGas > this.options.gasLimit)
        throw new EntryRefused('[exec] block size limit exceeded, tx cannot make it into the block');
      this.state.apply(executed.changes);
      this.#credit(sender, (tx.gasLimit - executed.usedGas) * price);
      this.#usedGas += executed.usedGas;
      this.#fees += executed.usedGas * price;
      const { isSuccess, usedGas, logs } = executed;
      this.#entries.push({ tx, hash, sender, price, contract: executed.created, receipt: { isSuccess, usedGas, logs, isSystem: false } });
      return executed;
    } catch (error) {
      this.rollback(checkpoint);
      throw error;
    }
  }

  /** Moves DFI or a token between the domains. @throws {EntryRefused} */
  addTransfer(transfer: DomainTransfer): void {
    finishExecution(this.transferSteps(transfer));
  }

  /** {@link addTransfer} with points of interruption. @throws {EntryRefused} */
  *transferSteps(transfer: DomainTransfer, options?: InterpreterOptions): ExecutionSteps<Executed> {
    const checkpoint = this.#begin();
    try {
      const { tx, sender, hash } = transfer.signed;
      this.#checkNonce(sender, tx.nonce);
      prepareTransfer(this.state, transfer);
      const executed = yield* this.#execute(sender, { ...tx, gasLimit: MAX_GAS }, 0n, options);
      const { isSuccess, exit, changes, logs } = executed;
      finishTransfer(this.state, transfer, { isSuccess, exit }, changes);
      this.#entries.push({ tx, hash, sender, price: 0n, contract: undefined, receipt: { isSuccess, usedGas: 0n, logs, isSystem: false } });
      return executed;
    } catch (error) {
      this.rollback(checkpoint);
      throw error;
    }
  }

  /** Contract of a new token. @throws {EntryRefused} */
  createToken(token: system.TokenEntry): void {
    this.#attempt(() => this.#addSystem(system.deployToken(this.state, token, this.#implementation(), this.baseFee)));
  }

  /** New name and symbol of a token. @throws {EntryRefused} */
  renameToken(token: system.TokenEntry): void {
    this.#attempt(() => this.#addSystem(system.updateToken(this.state, token, this.#implementation(), this.baseFee)));
  }

  /** Pays the beneficiary, writes the state and makes the header. */
  finish(): BuiltBlock {
    const { parent, store, beneficiary, bits, timestamp, gasLimit, dvmHeight } = this.options;
    if (!('putAccount' in store)) throw new Error('a block that is executed again cannot be finished');
    const burnt = this.#usedGas * this.baseFee;
    const priority = this.#fees - burnt;
    const stateRoot = this.#idleRoot(store) ?? this.#commit(store, priority);
    const { transactionsRoot, receiptsRoot, logsBloom } = this.#entries.length === 0 ? NO_ENTRIES : summaryOf(this.#entries);
    const header: EvmHeader = {
      parentHash: parent?.hash ?? NO_HASH,
      beneficiary: addressBytes(beneficiary),
      stateRoot,
      transactionsRoot,
      receiptsRoot,
      logsBloom,
      difficulty: BigInt(bits),
      number: this.number,
      gasLimit,
      gasUsed: this.#usedGas,
      timestamp: BigInt(timestamp),
      extraData: Buffer.from(`DFI: ${dvmHeight}`, 'ascii'),
      baseFee: this.baseFee,
    };
    return { header, hash: headerHash(header), entries: this.#entries, burnt, priority };
  }

  /** Root of a block that changes the block counters alone; undefined for others. */
  #idleRoot(store: StateStore): Uint8Array | undefined {
    if (this.#state || !this.#changesCounters || isChangedByTouch(store.account(this.options.beneficiary))) return undefined;
    return store.rootWithCounters?.(this.options.dvmHeight);
  }

  #commit(store: StateStore, priority: bigint): Uint8Array {
    const { beneficiary } = this.options;
    if (priority !== 0n || this.state.isChangedByTouch(beneficiary)) this.#credit(beneficiary, priority);
    return commitBlock(this.state, store);
  }

  /** Position to return to if an entry is refused. @throws {EntryRefused} in the first block, which has only entries of the node */
  #begin(): BlockCheckpoint {
    if (this.number === 0n) throw new EntryRefused('genesis block, tx cannot be added into block template');
    return this.checkpoint();
  }

  /** Does a step wholly or not at all. */
  #attempt<R>(step: () => R): R {
    const checkpoint = this.#begin();
    try {
      return step();
    } catch (error) {
      this.rollback(checkpoint);
      throw error;
    }
  }

  #execute(from: bigint, tx: EvmTransaction, gasPrice: bigint, options?: InterpreterOptions): ExecutionSteps<Executed> {
    const { findPrecompile } = this.options;
    const environment = this.#environment(from, gasPrice);
    return executeInSteps({ from, ...tx }, { ...options, below: this.state, environment, findPrecompile });
  }

  #environment(origin: bigint, gasPrice: bigint): Environment {
    const { beneficiary, bits, timestamp, gasLimit, chainId, blockHash } = this.options;
    return {
      number: this.number,
      timestamp: BigInt(timestamp),
      coinbase: beneficiary,
      gasLimit,
      baseFee: this.baseFee,
      difficulty: BigInt(bits),
      chainId,
      gasPrice,
      origin,
      blockHash: (number) => readWord(blockHash(number) ?? NO_HASH, 0),
    };
  }

  #checkNonce(sender: bigint, nonce: bigint): void {
    const expected = this.state.account(sender)?.nonce ?? 0n;
    if (nonce !== expected) throw new EntryRefused(`[execute_tx] nonce check failed. Account nonce ${expected}, signed_tx nonce ${nonce}`);
  }

  /** Price of a unit of gas. */
  #priceOf(tx: EvmTransaction): bigint {
    if (tx.type === 2 && tx.maxPriorityFee + this.baseFee >= MAX_WEI) throw new EntryRefused('effective_gas_price overflow');
    return effectivePrice(tx, this.baseFee);
  }

  #prepay(sender: bigint, cost: bigint): void {
    const { nonce, balance } = this.state.account(sender) ?? { nonce: 0n, balance: 0n };
    if (cost >= MAX_WEI) throw new EntryRefused('calculate current prepay fee failed from overflow');
    if (balance < cost)
      throw new EntryRefused('EVM: Backend error: DeductPrepayGasFailed("failed checked sub prepay gas with account balance")');
    this.state.write(sender, { basic: { nonce, balance: balance - cost } });
  }

  #credit(address: bigint, amount: bigint): void {
    const { nonce, balance } = this.state.account(address) ?? { nonce: 0n, balance: 0n };
    this.state.write(address, { basic: { nonce, balance: balance + amount } });
  }

  #addSystem({ tx, contract }: system.SystemEntry): void {
    const hash = keccak256(encodeEvmTransaction(tx));
    const receipt = { isSuccess: true, usedGas: 0n, logs: [], isSystem: true };
    this.#entries.push({ tx, hash, sender: recoverSender(tx), price: this.baseFee, contract, receipt });
  }

  #implementation(): bigint {
    return system.tokenImplementation(this.options.dvmHeight, this.options.upgrades);
  }
}
