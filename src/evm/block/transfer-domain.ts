import type { SignedEvmTransaction } from '../codec/transaction.js';
import { TRANSFER_DOMAIN } from '../contracts/addresses.js';
import { TOKEN_PROXY, TRANSFER_DOMAIN_PROXY } from '../contracts/codes.js';
import { Dst20Slot, mappingSlot, nestedSlot, TRANSFER_DOMAIN_SUPPLY } from '../contracts/slots.js';
import { Failure } from '../failure.js';
import type { Exit } from '../interpreter.js';
import { type BlockState, codeHashOf } from '../state/block-state.js';
import type { TransactionChanges } from '../state/transaction-state.js';
import { addressHex, MAX_WORD } from '../words.js';
import { EntryRefused } from './entry-error.js';

/** A transfer between DVM and EVM. */
export interface DomainTransfer {
  /** Transaction to the transfer domain contract. */
  readonly signed: SignedEvmTransaction;
  readonly direction: 'in' | 'out';
  /** Contract of the token; undefined for DFI. */
  readonly token: bigint | undefined;
  readonly wei: bigint;
}

const PROXY_HASH = codeHashOf(TRANSFER_DOMAIN_PROXY);
const TOKEN_HASH = codeHashOf(TOKEN_PROXY);
const OWN_BALANCE = mappingSlot(Dst20Slot.balances, TRANSFER_DOMAIN);

/** Writes before the contract runs. @throws {EntryRefused} @see docs/protocol/evm-engine.md 5.6 */
export function prepareTransfer(state: BlockState, { signed, direction, token, wei }: DomainTransfer): void {
  if (token === undefined) {
    const account = state.account(TRANSFER_DOMAIN);
    if (account && !Buffer.from(account.codeHash).equals(PROXY_HASH)) {
      const name = direction === 'in' ? 'EvmIn' : 'EvmOut';
      throw new EntryRefused(`[execute_tx] ${name} failed with as transferdomain account codehash mismatch`);
    }
    if (direction === 'out') return;
    changeSupply(state, TRANSFER_DOMAIN, TRANSFER_DOMAIN_SUPPLY, wei);
    changeBalance(state, TRANSFER_DOMAIN, wei);
    return;
  }
  const account = state.account(token);
  if (!account) throw new EntryRefused('DST20 token address is not a contract');
  if (!Buffer.from(account.codeHash).equals(TOKEN_HASH)) throw new EntryRefused('DST20 token code is not valid');
  if (direction === 'in') {
    state.write(token, { storage: [[OWN_BALANCE, wei]] });
    changeSupply(state, token, Dst20Slot.totalSupply, wei);
  }
  const holder = direction === 'in' ? TRANSFER_DOMAIN : signed.sender;
  state.write(token, { storage: [[nestedSlot(Dst20Slot.allowances, holder, TRANSFER_DOMAIN), wei]] });
}

/** Applies the run of the contract and what follows it. @throws {EntryRefused} */
export function finishTransfer(
  state: BlockState,
  { signed, direction, token, wei }: DomainTransfer,
  { isSuccess, exit }: { readonly isSuccess: boolean; readonly exit: Exit },
  changes: TransactionChanges,
): void {
  if (!isSuccess) {
    if (token === undefined) throw new EntryRefused(`[execute_tx] Transfer domain failed VM execution ${reason(exit)}`);
    throw new EntryRefused(`[execute_tx] DST20 bridge failed VM execution ${reason(exit)}, data [${exit.output.join(', ')}]`);
  }
  state.apply(changes);
  if (direction === 'in') return;
  if (token === undefined) {
    changeSupply(state, TRANSFER_DOMAIN, TRANSFER_DOMAIN_SUPPLY, -wei);
    changeBalance(state, signed.sender, -wei);
    return;
  }
  state.write(token, { storage: [[OWN_BALANCE, 0n]] });
  changeSupply(state, token, Dst20Slot.totalSupply, -wei);
}

function reason({ kind }: Exit): string {
  return kind instanceof Failure ? `Error(${kind.kind})` : `Revert(${kind})`;
}

function changeSupply(state: BlockState, contract: bigint, slot: bigint, change: bigint): void {
  const supply = state.storage(contract, slot) + change;
  if (supply < 0n || supply > MAX_WORD) throw new EntryRefused('Total supply overflow/underflow');
  state.write(contract, { storage: [[slot, supply]] });
}

function changeBalance(state: BlockState, address: bigint, change: bigint): void {
  const { nonce, balance } = state.account(address) ?? { nonce: 0n, balance: 0n };
  if (balance + change < 0n) {
    const amounts = `account_balance: ${balance}, amount: ${-change}`;
    throw new EntryRefused(`EVM: Backend error: InsufficientBalance(InsufficientBalance { address: ${addressHex(address)}, ${amounts} })`);
  }
  state.write(address, { basic: { nonce, balance: balance + change } });
}
