import { ByteReader, type Codec, DecodeError, struct, varBytes } from '../../primitives/codec.js';
import type { Transaction, TxOut } from '../../primitives/transaction.js';
import { varInt32 } from '../../primitives/var-int.js';
import { customTxPayload } from '../../script/custom-tx.js';
import { Op } from '../../script/opcodes.js';
import { requireAuth } from '../context/auth.js';
import { type AnyCustomTx, customTx } from '../context/custom-tx.js';
import {
  type AccountAmounts,
  accountAmounts,
  BalanceSum,
  type Balances,
  balances,
  equalBalances,
  formatBalances,
  sumTransfers,
} from '../kernel/amounts.js';
import { TxRejected } from '../kernel/rejected.js';
import { deposit, withdraw } from '../rewards/shares.js';
import type { BalanceKey } from './columns.js';

export interface UtxosToAccount {
  readonly to: AccountAmounts;
}

/** Converts the tokens of data outputs (burnt coins) to account balances. Recipients need not authorise. */
export const utxosToAccount = customTx<UtxosToAccount>({
  type: 'U',
  name: 'UtxosToAccount',
  since: 'amk',
  codec: struct<UtxosToAccount>({ to: accountAmounts }),
  reads: ({ to }) => ({ balances: balanceKeys(to) }),
  apply(context, { to }) {
    const { accounts, tx } = context;
    const burnt = sumOutputs(tx.vout.filter(({ scriptPubKey }) => scriptPubKey[0] === Op.RETURN));
    const wanted = sumTransfers(to);
    if (!equalBalances(burnt, wanted)) {
      const amounts = `(${formatBalances(wanted)}) != (${formatBalances(burnt)})`;
      throw new TxRejected(`transfer tokens mismatch burnt tokens: ${amounts}`);
    }
    for (const { owner, balances: amounts } of to) deposit(accounts, owner, amounts, context);
  },
});

/** Body of a transaction that converts an account balance to outputs. */
export interface AccountToUtxos {
  readonly from: Uint8Array;
  readonly balances: Balances;
  /** Index of the first output that the account pays for. */
  readonly mintingOutputsStart: number;
}

const accountToUtxosBody: Codec<AccountToUtxos> = struct<AccountToUtxos>({ from: varBytes, balances, mintingOutputsStart: varInt32 });

/** Converts an account balance to outputs, for which no inputs are needed. */
export const accountToUtxos = customTx<AccountToUtxos>({
  type: 'b',
  name: 'AccountToUtxos',
  since: 'amk',
  mustSucceed: true,
  codec: accountToUtxosBody,
  reads: ({ from, balances: amounts }) => ({ balances: balanceKeys([{ owner: from, balances: amounts }]) }),
  apply(context, { from, balances: amounts, mintingOutputsStart }) {
    requireAuth(context, from);
    const minted = sumOutputs(context.tx.vout.slice(mintingOutputsStart));
    if (!equalBalances(minted, amounts)) {
      const both = `(${formatBalances(minted)}) != (${formatBalances(amounts)})`;
      throw new TxRejected(`amount of minted tokens in UTXOs and metadata do not match: ${both}`);
    }
    if (amounts.some(({ tokenId }) => tokenId !== 0)) throw new TxRejected('only available for DFI transactions');
    withdraw(context.accounts, from, amounts, context);
  },
});

/** Scripts of the sender and the recipients, with satoshis by token for each recipient. */
export interface AccountToAccount {
  readonly from: Uint8Array;
  readonly to: AccountAmounts;
}

/** Moves balances of one owner, who must authorise, to any number of owners. */
export const accountToAccount = customTx<AccountToAccount>({
  type: 'B',
  name: 'AccountToAccount',
  since: 'amk',
  codec: struct<AccountToAccount>({ from: varBytes, to: accountAmounts }),
  reads: ({ from, to }) => ({ balances: to.flatMap(({ owner, balances: amounts }) => bothSides(from, owner, amounts)) }),
  apply(context, { from, to }) {
    const { accounts } = context;
    requireAuth(context, from);
    withdraw(accounts, from, sumTransfers(to), context);
    for (const { owner, balances: amounts } of to) deposit(accounts, owner, amounts, context);
  },
});

export interface AnyAccountsToAccounts {
  readonly from: AccountAmounts;
  readonly to: AccountAmounts;
}

/** Moves balances of several owners, who must all authorise, to any number of owners; the sums must be equal. */
export const anyAccountsToAccounts = customTx<AnyAccountsToAccounts>({
  type: 'a',
  name: 'AnyAccountsToAccounts',
  since: 'bayfrontGardens',
  codec: struct<AnyAccountsToAccounts>({ from: accountAmounts, to: accountAmounts }),
  reads: ({ from, to }) => ({ balances: balanceKeys([...from, ...to]) }),
  apply(context, { from, to }) {
    const { accounts } = context;
    for (const { owner } of from) requireAuth(context, owner);
    if (!equalBalances(sumTransfers(from), sumTransfers(to))) throw new TxRejected('sum of inputs (from) != sum of outputs (to)');
    for (const { owner, balances: amounts } of from) withdraw(accounts, owner, amounts, context);
    for (const { owner, balances: amounts } of to) deposit(accounts, owner, amounts, context);
  },
});

/** Custom transactions on accounts. */
export const accountTypes: readonly AnyCustomTx[] = [utxosToAccount, accountToUtxos, accountToAccount, anyAccountsToAccounts];

function balanceKeys(accounts: AccountAmounts): BalanceKey[] {
  return accounts.flatMap(({ owner, balances: amounts }) => amounts.map(({ tokenId }) => ({ owner, tokenId })));
}

function bothSides(from: Uint8Array, to: Uint8Array, amounts: Balances): BalanceKey[] {
  const sides = [from, to].map((owner) => ({ owner, balances: amounts }));
  return balanceKeys(sides);
}

/** Totals by token, ascending. @throws {TxRejected} if a sum overflows or an amount is negative */
function sumOutputs(outputs: readonly TxOut[]): Balances {
  const sum = new BalanceSum();
  for (const { tokenId, value } of outputs) sum.add({ tokenId, amount: value });
  return sum.list();
}

/**
 * Index of the first output that an account pays for, so that no input has to; the number of outputs if there is none. Excess bytes
 * and upgrade heights do not matter here.
 * @see docs/protocol/accounts.md 1, non-minted outputs
 */
export function firstMintedOutput(tx: Transaction): number {
  const payload = customTxPayload(tx);
  if (payload?.type !== 'b') return tx.vout.length;
  try {
    return Math.min(accountToUtxosBody.read(new ByteReader(payload.body)).mintingOutputsStart, tx.vout.length);
  } catch (error) {
    if (error instanceof DecodeError) return tx.vout.length;
    throw error;
  }
}
