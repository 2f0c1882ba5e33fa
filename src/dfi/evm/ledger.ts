import { keccak256 } from '../../crypto/hash.js';
import { encode, fixedBytes } from '../../primitives/codec.js';
import type { StateView, WritableView } from '../../storage/view.js';
import { concatBytes } from '../../util/bytes.js';
import { encodeInteger } from '../kernel/evm-numbers.js';
import { TxRejected } from '../kernel/rejected.js';
import { lacksEffects } from '../kernel/unexecuted-columns.js';
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
import { encodeRlp, type Rlp } from './rlp.js';

/** The transaction of the EVM that moves something between the machines. */
export interface EvmTransfer {
  /** Whose nonce it uses up. */
  readonly sender: Uint8Array;
  readonly nonce: bigint;
  readonly hash: Uint8Array;
  /** The account on this side: who gets it, or gives it away. */
  readonly account: Uint8Array;
  readonly wei: bigint;
}

/** What a block of the EVM says of itself beside its transactions. */
export interface EvmBlockFacts {
  /** Height of the native block that holds it. */
  readonly height: number;
  /** Address that gets the fees. */
  readonly beneficiary: Uint8Array;
}

/** The EVM as the native side sees it. */
export interface Evm {
  /** In wei. */
  balance(address: Uint8Array): bigint;
  /** Number of the next transaction of this address. */
  nonce(address: Uint8Array): bigint;
  isContract(address: Uint8Array): boolean;
  /** DFI comes in. @throws {TxRejected} in the words of the executor */
  transferIn(transfer: EvmTransfer): void;
  /** DFI goes out. @throws {TxRejected} */
  transferOut(transfer: EvmTransfer): void;
  /** @throws {TxRejected} */
  tokenIn(tokenId: number, transfer: EvmTransfer): void;
  /** @throws {TxRejected} */
  tokenOut(tokenId: number, transfer: EvmTransfer): void;
  /** Ends the block that is being executed. */
  endBlock(facts: EvmBlockFacts): EvmTip;
}

const NO_ACCOUNT: EvmAccount = { nonce: 0n, wei: 0n };
const NO_HASH = new Uint8Array(32);
/** What hashes of this ledger begin with, so that they are not taken for those of a real EVM. */
const HASH_MARK = Buffer.from('DFILEDGR', 'ascii');
const addressBytes = fixedBytes(20);
/** @see EIP-2681 */
const MAX_NONCE = 2n ** 64n - 1n;

/** Whether a block's hash, 64 hex digits, is one that a ledger made. */
export function isLedgerHash(hash: string): boolean {
  return hash.startsWith(HASH_MARK.toString('hex'));
}

/**
 * The EVM without its machine: accounts and what they hold, kept in the state. Right as long as nothing but transfers between the
 * machines happens in it. Once a transaction of the EVM itself was left out, it no longer knows who has what, and lets through what
 * it cannot judge.
 * @see docs/protocol/evm.md 10.1
 */
export class EvmLedger implements Evm {
  readonly #view: WritableView;
  readonly #isBlind: boolean;

  constructor(view: WritableView) {
    this.#view = view;
    this.#isBlind = lacksEffects(view);
  }

  balance(address: Uint8Array): bigint {
    return evmAccount(this.#view, address).wei;
  }

  nonce(address: Uint8Array): bigint {
    return evmAccount(this.#view, address).nonce;
  }

  /** Those of users come into being by transactions of the EVM, so here there are none. */
  isContract(address: Uint8Array): boolean {
    return isReserved(address);
  }

  transferIn(transfer: EvmTransfer): void {
    this.#begin(transfer);
    const { account, wei } = transfer;
    if (wei > 0n && refusesCoins(account)) throw new TxRejected('[execute_tx] Transfer domain failed VM execution Revert(Reverted)');
    this.#change(account, ({ nonce, wei: before }) => ({ nonce, wei: before + wei }));
  }

  transferOut(transfer: EvmTransfer): void {
    this.#begin(transfer);
    this.#change(transfer.account, ({ nonce, wei }) => ({ nonce, wei: this.#less(wei, transfer.wei, 'insufficient balance') }));
  }

  tokenIn(tokenId: number, transfer: EvmTransfer): void {
    this.#begin(transfer);
    const { account, wei } = transfer;
    if (account.every((byte) => byte === 0)) throw tokenReverted();
    this.#setToken(account, tokenId, evmTokenBalance(this.#view, account, tokenId) + wei);
  }

  tokenOut(tokenId: number, transfer: EvmTransfer): void {
    this.#begin(transfer);
    const { account, wei } = transfer;
    const before = evmTokenBalance(this.#view, account, tokenId);
    if (before < wei && !this.#isBlind) throw tokenReverted();
    this.#setToken(account, tokenId, before < wei ? 0n : before - wei);
  }

  endBlock({ height, beneficiary }: EvmBlockFacts): EvmTip {
    const transactions = this.#takeTransactions();
    const parent = evmTip(this.#view);
    const number = parent ? parent.number + 1 : 0;
    const accounts = this.#takeTouched().map((address) => this.#describe(address));
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

  /** Takes the transaction into the block and uses up its nonce. */
  #begin({ sender, nonce, hash }: EvmTransfer): void {
    if (!evmTip(this.#view)) throw new TxRejected('genesis block, tx cannot be added into block template');
    const expected = this.nonce(sender);
    if (nonce >= MAX_NONCE || (nonce !== expected && !this.#isBlind)) {
      throw new TxRejected(`[execute_tx] nonce check failed. Account nonce ${expected}, signed_tx nonce ${nonce}`);
    }
    const count = this.#view.get(evmCounts, EVM_KEY) ?? 0;
    this.#view.put(evmTransactions, count, hash);
    this.#view.put(evmCounts, EVM_KEY, count + 1);
    // What a transaction used is known to be used, whatever came in between.
    const next = nonce > expected ? nonce + 1n : expected + 1n;
    this.#change(sender, ({ wei }) => ({ nonce: next, wei }));
  }

  #less(have: bigint, amount: bigint, text: string): bigint {
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

  /** Transactions of the block that ends. */
  #takeTransactions(): readonly Uint8Array[] {
    const count = this.#view.get(evmCounts, EVM_KEY) ?? 0;
    this.#view.delete(evmCounts, EVM_KEY);
    return Array.from({ length: count }, (_, place) => {
      const hash = this.#view.get(evmTransactions, place);
      this.#view.delete(evmTransactions, place);
      return hash ?? NO_HASH;
    });
  }

  /** What it changed, in the order of the addresses. */
  #takeTouched(): readonly Uint8Array[] {
    const touched = [...this.#view.entries(evmTouched)].map(([address]) => address);
    for (const address of touched) this.#view.delete(evmTouched, address);
    return touched;
  }

  #describe(address: Uint8Array): Rlp {
    const { nonce, wei } = evmAccount(this.#view, address);
    const tokens: Rlp[] = [];
    for (const [{ tokenId }, amount] of this.#view.entries(evmTokens, { prefix: encode(addressBytes, address) })) {
      tokens.push([encodeInteger(BigInt(tokenId)), encodeInteger(amount)]);
    }
    return [address, encodeInteger(nonce), encodeInteger(wei), tokens];
  }
}

/** An account as it stands; one that was never touched has nothing. */
export function evmAccount(view: StateView, address: Uint8Array): EvmAccount {
  return view.get(evmAccounts, address) ?? NO_ACCOUNT;
}

/** What an address holds of a token, with 18 decimals. */
export function evmTokenBalance(view: StateView, address: Uint8Array, tokenId: number): bigint {
  return view.get(evmTokens, { address, tokenId }) ?? 0n;
}

function tokenReverted(): TxRejected {
  return new TxRejected('[execute_tx] DST20 bridge failed VM execution Revert(Reverted)');
}
