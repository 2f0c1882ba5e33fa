import type { Log } from '../../../src/evm/state/transaction-state.js';

/** An account after a transaction; `storage` has no zeros. */
export interface FinalAccount {
  readonly nonce: bigint;
  readonly balance: bigint;
  readonly code: Uint8Array;
  readonly storage: ReadonlyMap<bigint, bigint>;
}

/** Effects of a transaction in a form that both engines can give. */
export interface Outcome {
  /** End of the first frame; kinds of failures are not distinguished. */
  readonly end: 'success' | 'revert' | 'failure';
  readonly usedGas: bigint;
  /** Returned data of a call, or reverted data. */
  readonly output: Uint8Array;
  readonly logs: readonly Log[];
  /** Accounts that destroyed themselves. */
  readonly destroyed: readonly bigint[];
  /** The others that are not empty. */
  readonly accounts: ReadonlyMap<bigint, FinalAccount>;
}

/** Lines that describe an outcome, to be compared. */
export function describeOutcome({ end, usedGas, output, logs, destroyed, accounts }: Outcome): string[] {
  const lines = [`${end}, ${usedGas} gas, output ${hex(output)}`];
  for (const { address, topics, data } of logs) lines.push(`log of ${word(address)}: ${topics.map(word).join(' ')} ${hex(data)}`);
  for (const address of sorted(destroyed)) lines.push(`destroyed ${word(address)}`);
  for (const address of sorted(accounts.keys())) {
    const { nonce, balance, code, storage } = accounts.get(address) as FinalAccount;
    lines.push(`account ${word(address)}: nonce ${nonce}, balance ${balance}, code ${hex(code)}`);
    for (const slot of sorted(storage.keys())) lines.push(`slot ${word(address)} ${word(slot)}: ${word(storage.get(slot) as bigint)}`);
  }
  return lines;
}

function sorted(words: Iterable<bigint>): bigint[] {
  return [...words].sort((a, b) => (a < b ? -1 : 1));
}

function word(value: bigint): string {
  return value.toString(16);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex') || 'none';
}
