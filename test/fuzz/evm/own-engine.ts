import { Code } from '../../../src/evm/code.js';
import { executeMessage } from '../../../src/evm/execute.js';
import { isSuccess } from '../../../src/evm/interpreter.js';
import { STANDARD_PRECOMPILES } from '../../../src/evm/precompiles/standard.js';
import type { Account } from '../../../src/evm/state/account.js';
import type { AccountChange, StateBelow } from '../../../src/evm/state/transaction-state.js';
import { blockHash, ENVIRONMENT } from './environment.js';
import type { FinalAccount, Outcome } from './outcome.js';
import type { Scenario } from './scenario.js';

const NO_CODE = new Uint8Array(0);
const NO_HASH = new Uint8Array(32);

/** Effects of a scenario's transaction in our engine. */
export function runOwnEngine({ accounts, message }: Scenario): Outcome {
  const environment = { ...ENVIRONMENT, blockHash, origin: message.from };
  const findPrecompile = (address: bigint) => STANDARD_PRECOMPILES.get(address);
  const { exit, usedGas, logs, changes } = executeMessage(message, { below: stateOf(accounts), environment, findPrecompile });
  const after = new Map<bigint, FinalAccount>(accounts);
  for (const change of changes.accounts) after.set(change.address, changed(after.get(change.address), change));
  for (const address of changes.deleted) after.delete(address);
  for (const [address, account] of after) if (isEmpty(account)) after.delete(address);
  const end = isSuccess(exit) ? 'success' : exit.kind === 'Reverted' ? 'revert' : 'failure';
  return { end, usedGas, output: exit.output, logs, destroyed: changes.deleted, accounts: after };
}

function stateOf(accounts: Scenario['accounts']): StateBelow {
  const codes = new Map([...accounts].map(([address, { code }]) => [address, new Code(code)]));
  return {
    account(address): Account | undefined {
      const found = accounts.get(address);
      return found && { nonce: found.nonce, balance: found.balance, storageRoot: NO_HASH, codeHash: NO_HASH };
    },
    code: (address) => codes.get(address) ?? new Code(NO_CODE),
    storage: (address, slot) => accounts.get(address)?.storage.get(slot) ?? 0n,
  };
}

function changed(before: FinalAccount | undefined, { nonce, balance, code, isReset, storage }: AccountChange): FinalAccount {
  const slots = new Map(isReset ? [] : before?.storage);
  for (const [slot, value] of storage) {
    if (value === 0n) slots.delete(slot);
    else slots.set(slot, value);
  }
  return { nonce, balance, code: code?.bytes ?? before?.code ?? NO_CODE, storage: slots };
}

/** True for an account that is the same as none. @see EIP-161 */
export function isEmpty({ nonce, balance, code }: FinalAccount): boolean {
  return nonce === 0n && balance === 0n && code.length === 0;
}
