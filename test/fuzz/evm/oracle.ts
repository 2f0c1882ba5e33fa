import { Common, Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM, type EVM, EVMError } from '@ethereumjs/evm';
import { SimpleStateManager } from '@ethereumjs/statemanager';
import { Account, createAddressFromBigInt } from '@ethereumjs/util';
import type { Message } from '../../../src/evm/execute.js';
import type { Log } from '../../../src/evm/state/transaction-state.js';
import { addressBytes, readWord, wordBytes } from '../../../src/evm/words.js';
import { PRECOMPILES } from './addresses.js';
import { deviate, type Engine } from './deviations.js';
import { ENVIRONMENT } from './environment.js';
import type { FinalAccount, Outcome } from './outcome.js';
import { isEmpty } from './own-engine.js';
import type { Scenario } from './scenario.js';

const REFUND_QUOTIENT = 5n;
const NOTHING = new Uint8Array(0);

/** Published rules of Shanghai, with the deviations of `defid` (docs/protocol/evm-engine.md 2.8) on top, by their numbers. */
export class Oracle {
  private constructor(private readonly evm: EVM) {}

  static async create(): Promise<Oracle> {
    const common = new Common({ chain: { ...Mainnet, chainId: Number(ENVIRONMENT.chainId) }, hardfork: Hardfork.Shanghai });
    const evm = await createEVM({ common });
    deviate(evm as unknown as Engine);
    return new Oracle(evm as EVM);
  }

  /** Effects of a scenario's transaction. */
  async run({ accounts, message }: Scenario): Promise<Outcome> {
    const state = await this.#load(accounts);
    const { from, to, value } = message;
    const sender = accounts.get(from);
    const intrinsic = intrinsicGas(message);
    const refused = (usedGas: bigint, nonce: bigint) => {
      const after = new Map<bigint, FinalAccount>(accounts);
      if (sender && nonce !== sender.nonce) after.set(from, { ...sender, nonce });
      return { end: 'failure', usedGas, output: NOTHING, logs: [], destroyed: [], accounts: withoutEmpty(after) } as const;
    };
    const nonce = sender?.nonce ?? 0n;
    // Deviation 3: a gas limit below the intrinsic cost.
    if (message.gasLimit < intrinsic) return refused(message.gasLimit, nonce);
    // Deviation 2, and its counterpart for calls: too small a balance for the value.
    if ((sender?.balance ?? 0n) < value) return refused(intrinsic, to === undefined ? nonce : nonce + 1n);
    this.#warm(message);
    const gasLimit = message.gasLimit - intrinsic;
    const result = await this.evm.runCall({
      caller: createAddressFromBigInt(from),
      origin: createAddressFromBigInt(from),
      ...(to === undefined ? {} : { to: createAddressFromBigInt(to) }),
      value,
      data: message.data,
      gasLimit,
      gasPrice: ENVIRONMENT.gasPrice,
      block: BLOCK,
    });
    const { exceptionError, executionGasUsed, gasRefund, returnValue, logs, selfdestruct } = result.execResult;
    const spent = intrinsic + executionGasUsed;
    // Deviation 13: refunds are dropped with the first frame, as those of any other.
    const refund = exceptionError ? 0n : (gasRefund ?? 0n);
    const most = spent / REFUND_QUOTIENT;
    // The oracle names some failures of precompiled contracts reverts, but takes all gas, as for failures.
    const isRevert = exceptionError?.error === EVMError.errorMessages.REVERT && !(to !== undefined && PRECOMPILES.includes(to));
    const end = exceptionError === undefined ? 'success' : isRevert ? 'revert' : 'failure';
    const hasOutput = end === 'revert' || (end === 'success' && to !== undefined);
    const destroyed = [...(selfdestruct?.keys() ?? [])].map(BigInt);
    return {
      end,
      // Deviation 5: a negative sum counts as a huge one.
      usedGas: spent - (refund >= 0n && refund < most ? refund : most),
      output: hasOutput ? returnValue : NOTHING,
      logs: (logs ?? []).map(logOf),
      destroyed,
      accounts: finalAccounts(state, destroyed),
    };
  }

  async #load(accounts: Scenario['accounts']): Promise<SimpleStateManager> {
    const state = new SimpleStateManager({ common: this.evm.common });
    for (const [number, { nonce, balance, code, storage }] of accounts) {
      const address = createAddressFromBigInt(number);
      await state.putAccount(address, new Account(nonce, balance));
      if (code.length > 0) await state.putCode(address, code);
      for (const [slot, value] of storage) await state.putStorage(address, wordBytes(slot), trimmed(value));
    }
    this.evm.stateManager = state;
    Object.assign(this.evm.journal, { stateManager: state });
    this.evm.journal.cleanJournal();
    return state;
  }

  #warm({ from, to, accessList }: Message): void {
    const { journal } = this.evm;
    const warm = (address: bigint) => journal.addAlwaysWarmAddress(hexAddress(address));
    // Section 2.4: 0x0a is as warm as the published precompiled contracts.
    for (const address of [...PRECOMPILES, from]) warm(address);
    if (to !== undefined) {
      warm(to);
      // Deviation 1: the beneficiary is cold in creations.
      warm(ENVIRONMENT.coinbase);
    }
    for (const { address, keys } of accessList) {
      warm(address);
      for (const key of keys) journal.addAlwaysWarmSlot(hexAddress(address), Buffer.from(wordBytes(key)).toString('hex'));
    }
  }
}

const BLOCK = {
  header: {
    number: ENVIRONMENT.number,
    coinbase: createAddressFromBigInt(ENVIRONMENT.coinbase),
    timestamp: ENVIRONMENT.timestamp,
    difficulty: 0n,
    // Deviation 12: the compact target.
    prevRandao: wordBytes(ENVIRONMENT.difficulty),
    gasLimit: ENVIRONMENT.gasLimit,
    baseFeePerGas: ENVIRONMENT.baseFee,
    slotNumber: 0n,
    getBlobGasPrice: () => undefined,
  },
};

function intrinsicGas({ to, data, accessList }: Message): bigint {
  let gas = to === undefined ? 53_000 + 2 * Math.ceil(data.length / 32) : 21_000;
  for (const byte of data) gas += byte === 0 ? 4 : 16;
  for (const { keys } of accessList) gas += 2400 + 1900 * keys.length;
  return BigInt(gas);
}

function logOf([address, topics, data]: [Uint8Array, Uint8Array[], Uint8Array]): Log {
  return { address: readWord(address, 0, 20), topics: topics.map((topic) => readWord(topic, 0)), data };
}

function finalAccounts(state: SimpleStateManager, destroyed: readonly bigint[]): Map<bigint, FinalAccount> {
  const { accountStack, codeStack, storageStack } = state as unknown as Stacks;
  const storage = new Map<bigint, Map<bigint, bigint>>();
  for (const [key, value] of storageStack.at(-1) ?? []) {
    const [address, slot] = key.split('_').map(BigInt) as [bigint, bigint];
    const word = value.length === 0 ? 0n : BigInt(`0x${Buffer.from(value).toString('hex')}`);
    if (word === 0n) continue;
    storage.set(address, (storage.get(address) ?? new Map<bigint, bigint>()).set(slot, word));
  }
  const accounts = new Map<bigint, FinalAccount>();
  for (const [address, account] of accountStack.at(-1) ?? []) {
    const number = BigInt(address);
    if (account === undefined || destroyed.includes(number)) continue;
    const code = codeStack.at(-1)?.get(address) ?? NOTHING;
    accounts.set(number, { nonce: account.nonce, balance: account.balance, code, storage: storage.get(number) ?? new Map() });
  }
  return withoutEmpty(accounts);
}

/** Fields of the state manager, newest state last. */
interface Stacks {
  readonly accountStack: readonly ReadonlyMap<string, Account | undefined>[];
  readonly codeStack: readonly ReadonlyMap<string, Uint8Array>[];
  readonly storageStack: readonly ReadonlyMap<string, Uint8Array>[];
}

function withoutEmpty(accounts: Map<bigint, FinalAccount>): Map<bigint, FinalAccount> {
  for (const [address, account] of accounts) if (isEmpty(account)) accounts.delete(address);
  return accounts;
}

function hexAddress(address: bigint): string {
  return Buffer.from(addressBytes(address)).toString('hex');
}

/** Bytes of a word without leading zeros. */
function trimmed(value: bigint): Uint8Array {
  const bytes = wordBytes(value);
  return bytes.subarray(bytes.findIndex((byte) => byte !== 0));
}
