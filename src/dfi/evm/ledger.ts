import { keccak256 } from '../../crypto/hash.js';
import { encodeRlp, type Rlp } from '../../evm/codec/rlp.js';
import { encodeInteger } from '../../evm/words.js';
import { encode, fixedBytes } from '../../primitives/codec.js';
import type { StateView, WritableView } from '../../storage/view.js';
import { concatBytes } from '../../util/bytes.js';
import { TxRejected } from '../kernel/rejected.js';
import { hasSkippedEvmTransactions } from '../kernel/unexecuted-columns.js';
import { isReserved, refusesCoins } from './addresses.js';
import {
  EVM_KEY,
  type EvmAccount,
  type EvmTip,
  evmAccounts,
  evmCounts,
  evmTip,
  evmTips,
  evmTokens,
  evmTouched,
  evmTransactions,
} from './columns.js';

/** EVM transaction that transfers DFI or a token between DVM and EVM. */
export interface EvmTransfer {
  /** Address whose nonce it increments. */
  readonly sender: Uint8Array;
  readonly nonce: bigint;
  readonly hash: Uint8Array;
  /** EVM account that is credited or debited. */
  readonly account: Uint8Array;
  /** Amount with 18 decimals, of DFI or of a token. */
  readonly wei: bigint;
}

/** Data of an EVM block other than its transactions. */
export interface EvmBlockFacts {
  /** Height of the DVM block that contains it. */
  readonly height: number;
  /** Address that receives the fees. */
  readonly beneficiary: Uint8Array;
}

/** Interface of the EVM to the DVM. Errors have the texts of `defid`'s EVM executor. */
export interface Evm {
  /** Balance in wei. */
  balance(address: Uint8Array): bigint;
  /** Nonce of the next transaction of this address. */
  nonce(address: Uint8Array): bigint;
  isContract(address: Uint8Array): boolean;
  /** Credits DFI to an EVM account. @throws {TxRejected} */
  transferIn(transfer: EvmTransfer): void;
  /** Debits DFI from an EVM account. @throws {TxRejected} */
  transferOut(transfer: EvmTransfer): void;
  /** Credits a token to an EVM account. @throws {TxRejected} */
  tokenIn(tokenId: number, transfer: EvmTransfer): void;
  /** Debits a token from an EVM account. @throws {TxRejected} */
  tokenOut(tokenId: number, transfer: EvmTransfer): void;
  /** Ends the block that is being executed. */
  endBlock(facts: EvmBlockFacts): EvmTip;
}

const NO_ACCOUNT: EvmAccount = { nonce: 0n, wei: 0n };
const NO_HASH = new Uint8Array(32);
/** Prefix of block hashes made by this ledger, to distinguish them from those of a real EVM. */
const HASH_MARK = Buffer.from('DFILEDGR', 'ascii');
const addressBytes = fixedBytes(20);
/** @see EIP-2681 */
const MAX_NONCE = 2n ** 64n - 1n;

/** True if a block hash of 64 hex digits was made by a ledger. */
export function isLedgerHash(hash: string): boolean {
  return hash.startsWith(HASH_MARK.toString('hex'));
}

/**
 * Ledger of EVM balances and nonces that executes no contracts. It equals a real EVM as long as the chain has only transfers between DVM
 * and EVM. After the first skipped EVM transaction it is blind: balances and nonces may be wrong, so it accepts transfers without
 * checking them.
 * @see docs/protocol/evm.md 10.1
 */
export class EvmLedger implements Evm {
  readonly #view: WritableView;
  readonly #isBlind: boolean;

  constructor(view: WritableView) {
    this.#view = view;
    this.#isBlind = hasSkippedEvmTransactions(view);
  }

  balance(address: Uint8Array): bigint {
    return evmAccount(this.#view, address).wei;
  }

  nonce(address: Uint8Array): bigint {
    return evmAccount(this.#view, address).nonce;
  }

  /** Only contracts of the network are known: those of users are created by EVM transactions, which are not executed. */
  isContract(address: Uint8Array): boolean {
    return isReserved(address);
  }

  transferIn(transfer: EvmTransfer): void {
    this.#addTransaction(transfer);
    const { account, wei } = transfer;
    if (wei > 0n && refusesCoins(account)) throw new TxRejected('[execute_tx] Transfer domain failed VM execution Revert(Reverted)');
    this.#change(account, ({ nonce, wei: before }) => ({ nonce, wei: before + wei }));
  }

  transferOut(transfer: EvmTransfer): void {
    this.#addTransaction(transfer);
    this.#change(transfer.account, ({ nonce, wei }) => ({ nonce, wei: this.#subtract(wei, transfer.wei, 'insufficient balance') }));
  }

  tokenIn(tokenId: number, transfer: EvmTransfer): void {
    this.#addTransaction(transfer);
    const { account, wei } = transfer;
    if (account.every((byte) => byte === 0)) throw tokenReverted();
    this.#setToken(account, tokenId, evmTokenBalance(this.#view, account, tokenId) + wei);
  }

  tokenOut(tokenId: number, transfer: EvmTransfer): void {
    this.#addTransaction(transfer);
    const { account, wei } = transfer;
    const before = evmTokenBalance(this.#view, account, tokenId);
    if (before < wei && !this.#isBlind) throw tokenReverted();
    this.#setToken(account, tokenId, before < wei ? 0n : before - wei);
  }

  endBlock({ height, beneficiary }: EvmBlockFacts): EvmTip {
    const transactions = this.#clearTransactions();
    const parent = evmTip(this.#view);
    const number = parent ? parent.number + 1 : 0;
    const accounts = this.#clearTouched().map((address) => this.#encodeAccount(address));
    const state = keccak256(encodeRlp([parent?.state ?? NO_HASH, accounts]));
    const fields = [
      parent?.hash ?? NO_HASH,
      beneficiary,
      state,
      transactions,
      encodeInteger(BigInt(number)),
      Buffer.from(`DFI: ${height}`),
    ];
    const hash = concatBytes(HASH_MARK, keccak256(encodeRlp(fields)).subarray(HASH_MARK.length));
    const tip = { number, hash, state };
    this.#view.put(evmTips, EVM_KEY, tip);
    return tip;
  }

  /** Adds a transaction to the EVM block and increments the sender's nonce. */
  #addTransaction({ sender, nonce, hash }: EvmTransfer): void {
    if (!evmTip(this.#view)) throw new TxRejected('genesis block, tx cannot be added into block template');
    const expected = this.nonce(sender);
    if (nonce >= MAX_NONCE || (nonce !== expected && !this.#isBlind)) {
      throw new TxRejected(`[execute_tx] nonce check failed. Account nonce ${expected}, signed_tx nonce ${nonce}`);
    }
    const count = this.#view.get(evmCounts, EVM_KEY) ?? 0;
    this.#view.put(evmTransactions, count, hash);
    this.#view.put(evmCounts, EVM_KEY, count + 1);
    // A blind ledger may be behind: the next nonce is above both the transaction's nonce and the known one.
    const next = nonce > expected ? nonce + 1n : expected + 1n;
    this.#change(sender, ({ wei }) => ({ nonce: next, wei }));
  }

  #subtract(have: bigint, amount: bigint, text: string): bigint {
    if (have >= amount) return have - amount;
    if (this.#isBlind) return 0n;
    throw new TxRejected(text);
  }

  #change(address: Uint8Array, change: (before: EvmAccount) => EvmAccount): void {
    this.#view.put(evmAccounts, address, change(evmAccount(this.#view, address)));
    this.#view.put(evmTouched, address, true);
  }

  #setToken(address: Uint8Array, tokenId: number, amount: bigint): void {
    if (amount === 0n) this.#view.delete(evmTokens, { address, tokenId });
    else this.#view.put(evmTokens, { address, tokenId }, amount);
    this.#view.put(evmTouched, address, true);
  }

  /** Removes and returns the transaction hashes of the block that ends. */
  #clearTransactions(): readonly Uint8Array[] {
    const count = this.#view.get(evmCounts, EVM_KEY) ?? 0;
    this.#view.delete(evmCounts, EVM_KEY);
    return Array.from({ length: count }, (_, place) => {
      const hash = this.#view.get(evmTransactions, place);
      this.#view.delete(evmTransactions, place);
      return hash ?? NO_HASH;
    });
  }

  /** Removes and returns the addresses changed in the block that ends, in order. */
  #clearTouched(): readonly Uint8Array[] {
    const touched = [...this.#view.entries(evmTouched)].map(([address]) => address);
    for (const address of touched) this.#view.delete(evmTouched, address);
    return touched;
  }

  #encodeAccount(address: Uint8Array): Rlp {
    const { nonce, wei } = evmAccount(this.#view, address);
    const tokens: Rlp[] = [];
    for (const [{ tokenId }, amount] of this.#view.entries(evmTokens, { prefix: encode(addressBytes, address) })) {
      tokens.push([encodeInteger(BigInt(tokenId)), encodeInteger(amount)]);
    }
    return [address, encodeInteger(nonce), encodeInteger(wei), tokens];
  }
}

/** Account of an address; nonce and balance are 0 if it was never touched. */
export function evmAccount(view: StateView, address: Uint8Array): EvmAccount {
  return view.get(evmAccounts, address) ?? NO_ACCOUNT;
}

/** Token balance of an address, with 18 decimals. */
export function evmTokenBalance(view: StateView, address: Uint8Array, tokenId: number): bigint {
  return view.get(evmTokens, { address, tokenId }) ?? 0n;
}

function tokenReverted(): TxRejected {
  return new TxRejected('[execute_tx] DST20 bridge failed VM execution Revert(Reverted)');
}
