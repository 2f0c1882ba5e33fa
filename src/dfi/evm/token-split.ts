import { tokenAddress } from '../../evm/contracts/addresses.js';
import { Dst20Slot, mappingSlot } from '../../evm/contracts/slots.js';
import { refusedInput } from '../../evm/failure.js';
import type { FindPrecompile } from '../../evm/interpreter.js';
import type { Precompile, PrecompileCall } from '../../evm/machine.js';
import { STANDARD_PRECOMPILES } from '../../evm/precompiles/standard.js';
import { MAX_WORD, readWord, WORD_SIZE, wordBytes } from '../../evm/words.js';
import { MAX_MONEY } from '../../primitives/amount.js';
import { Overlay } from '../../storage/overlay.js';
import type { StateView, WritableView } from '../../storage/view.js';
import { concatBytes } from '../../util/bytes.js';
import { attributes, storedAttributes } from '../attributes/attributes.js';
import { liveTotal } from '../attributes/live-totals.js';
import type { TokenAmount } from '../kernel/amounts.js';
import { toSatoshis, toWei } from '../kernel/evm-numbers.js';
import { ignoreRejection } from '../kernel/rejected.js';
import { splitRecords } from '../splits/columns.js';
import { convert } from '../splits/multiplier.js';
import { getToken, tokens } from '../tokens/columns.js';
import { lockRatio, RESTARTED_TOKENS } from '../tokens/lock-columns.js';
import { addMinted } from '../tokens/minted.js';
import { noteTransfer } from './transfer-stats.js';

const SPLIT_ADDRESS = 10n;
const SPLIT_GAS = 1000;
/** Address from which the ids of tokens are counted. */
const ID_BASE = 0xdfn << 152n;
/** Callers that may split: addresses of tokens with ids of two bytes. */
const FIRST_CALLER = tokenAddress(0);
const LAST_CALLER = tokenAddress(0xffff);

const BAD_INPUT = refusedInput('Invalid data');
const BAD_AMOUNT = refusedInput('Failed to convert amount into Sats');
const BAD_TOKEN = refusedInput('Failed to convert base amount into U256');
const NOT_SPLIT = refusedInput('Failed to split tokens');
const OVERFLOW = refusedInput('Error getting storage update');

/**
 * Splits of tokens that contracts make through precompile 0x0a. `defid` executes their DVM side on the state below the block's
 * transactions. It reads that state, and a change is lost if an earlier transaction of the block has written the same record; all
 * attributes are one record. The DVM side is not undone if the EVM transaction reverts.
 * @see docs/protocol/evm-engine.md 7.7
 */
export class TokenSplits {
  readonly #before: Overlay;
  #hasWrittenAttributes = false;
  readonly #writtenTokens = new Set<number>();
  readonly #precompile: Precompile = { cost: () => SPLIT_GAS, run: (input, call) => this.#run(input, call) };

  /** @param before state without the block's transactions @param view state with them, which is changed */
  constructor(
    before: StateView,
    private readonly view: WritableView,
  ) {
    this.#before = new Overlay(before);
  }

  /** Copy for transactions that may be reverted. @param view state with those transactions */
  fork(view: WritableView): TokenSplits {
    const fork = new TokenSplits(this.#before, view);
    fork.#hasWrittenAttributes = this.#hasWrittenAttributes;
    for (const id of this.#writtenTokens) fork.#writtenTokens.add(id);
    return fork;
  }

  /** Takes over what a copy has noted. */
  join(fork: TokenSplits): void {
    fork.#before.commit();
    this.#hasWrittenAttributes = fork.#hasWrittenAttributes;
    for (const id of fork.#writtenTokens) this.#writtenTokens.add(id);
  }

  /** Precompiled contracts of a block, this one included. */
  readonly findPrecompile: FindPrecompile = (codeAddress, { caller }) => {
    if (codeAddress !== SPLIT_ADDRESS) return STANDARD_PRECOMPILES.get(codeAddress);
    return caller >= FIRST_CALLER && caller <= LAST_CALLER ? this.#precompile : undefined;
  };

  /** Notes records that a transaction of the block has written. */
  noteWrites(changes: WritableView): void {
    this.#hasWrittenAttributes ||= changes.changedKeys(attributes).length > 0;
    for (const id of changes.changedKeys(tokens)) this.#writtenTokens.add(id);
  }

  /** Input: sender (not used), contract of the token, amount in wei. Output: contract and amount after the split. */
  #run(input: Uint8Array, { state }: PrecompileCall): Uint8Array {
    if (input.length < 3 * WORD_SIZE) throw BAD_INPUT;
    const contract = readWord(input, WORD_SIZE + 12, 20);
    const amount = readWord(input, 2 * WORD_SIZE);
    if (amount > toWei(MAX_MONEY)) throw BAD_AMOUNT;
    // `defid` aborts here.
    if (contract < ID_BASE) throw BAD_TOKEN;
    const tokenId = Number(BigInt.asUintN(32, contract - ID_BASE));
    const after = this.#split({ tokenId, amount: toSatoshis(amount) });
    const target = tokenAddress(after.tokenId);
    const wei = toWei(BigInt.asUintN(64, after.amount));
    if (after.tokenId !== tokenId) credit(state, target, contract, wei);
    return concatBytes(wordBytes(target), wordBytes(wei));
  }

  /** DVM side of a split: mints the converted amount of the successor. */
  #split(old: TokenAmount): TokenAmount {
    const before = this.#before;
    if (old.amount === 0n || !getToken(before, old.tokenId) || isLocked(before, old.tokenId)) throw NOT_SPLIT;
    const record = before.get(splitRecords, old.tokenId);
    if (!record) return old;
    const { newId, multiplier, isFraction } = record;
    const after = { tokenId: newId, amount: convert({ value: multiplier, isFraction }, old.amount) };
    // A successor that was split again is not minted.
    if (before.get(splitRecords, newId) === undefined) {
      if (!ignoreRejection(() => addMinted(before, after))) throw NOT_SPLIT;
      if (!this.#writtenTokens.has(newId)) addMinted(this.view, after);
    }
    if (!this.#hasWrittenAttributes) {
      noteTransfer(this.view, 'evm-dvm', old);
      noteTransfer(this.view, 'dvm-evm', after);
    }
    return after;
  }
}

/** True for a token that the restart replaced, as long as a part of it is locked: it leaves the EVM by a transfer, which locks that part. */
function isLocked(view: StateView, tokenId: number): boolean {
  return lockRatio(view) > 0n && liveTotal(storedAttributes(view), RESTARTED_TOKENS).some((locked) => locked.tokenId === tokenId);
}

/**
 * Credits the contract of the old token in that of the new one, from where it pays its caller. The allowance has a slot that no contract
 * reads. @throws {Failure}
 */
function credit(state: PrecompileCall['state'], target: bigint, contract: bigint, wei: bigint): void {
  const slots = [mappingSlot(Dst20Slot.balances, contract), mappingSlot(Dst20Slot.allowances, contract), Dst20Slot.totalSupply];
  const values = slots.map((slot) => [slot, state.storage(target, slot) + wei] as const);
  if (values.some(([, value]) => value > MAX_WORD)) throw OVERFLOW;
  for (const [slot, value] of values) state.setStorage(target, slot, value);
}
