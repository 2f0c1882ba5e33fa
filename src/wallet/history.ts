import { firstMintedOutput } from '../dfi/tx/accounts.js';
import { type Destination, destinationOf } from '../script/address.js';
import { creditOf } from './balances.js';
import { Ownership } from './ownership.js';
import { debitOf, isImmature, type OutputFilter, watchedOutputs } from './trust.js';
import type { Wallet } from './wallet.js';
import type { WalletTx } from './wallet-tx.js';

export type Category = 'send' | 'receive' | 'generate' | 'immature' | 'orphan';

/** One payment of a transaction, as lists show it. */
export interface Entry {
  readonly wtx: WalletTx;
  readonly category: Category;
  readonly destination: Destination | undefined;
  /** Satoshis; negative for what was sent. */
  readonly amount: bigint;
  readonly label: string | undefined;
  readonly vout: number;
  /** Negative; only of what was sent. */
  readonly fee: bigint | undefined;
  readonly involvesWatched: boolean;
}

export interface EntryQuery {
  readonly filter: OutputFilter;
  /** Least depth of what was received. */
  readonly minDepth?: number;
  /** Only what addresses with this label received. */
  readonly label?: string | undefined;
}

/** Payments of a transaction: what was sent, then what was received, each by index. @see spec: wallet 3.0.2 */
export function entriesOf(wallet: Wallet, wtx: WalletTx, { filter, minDepth = 0, label }: EntryQuery): Entry[] {
  const debit = debitOf(wallet, wtx, filter);
  const fee = debit > 0n ? debit - paidFromInputs(wtx) : 0n;
  const spendsWatched = debitOf(wallet, wtx, watchedOutputs) > 0n;
  const ownership = wallet.outputsOf(wtx);
  const sent: Entry[] = [];
  const received: Entry[] = [];
  const category = receivedCategory(wallet, wtx);
  const showsReceived = wtx.depth(wallet.deps.chain) >= minDepth;
  wtx.tx.vout.forEach(({ scriptPubKey, value }, vout) => {
    const own = ownership[vout] ?? Ownership.None;
    if (debit > 0n ? wallet.isChange(scriptPubKey) : !filter(own)) return;
    const destination = destinationOf(scriptPubKey);
    const name = destination && wallet.book.get(destination)?.label;
    const involvesWatched = spendsWatched || own === Ownership.Watched;
    const entry = { wtx, destination, label: name, vout, involvesWatched };
    if (debit > 0n && label === undefined) sent.push({ ...entry, category: 'send', amount: -value, fee: -fee });
    if (!filter(own) || !showsReceived || (label !== undefined && name !== label)) return;
    received.push({ ...entry, category, amount: value, fee: undefined });
  });
  return [...sent, ...received];
}

function receivedCategory(wallet: Wallet, wtx: WalletTx): Category {
  if (!wtx.isCoinbase) return 'receive';
  if (wtx.depth(wallet.deps.chain) < 1) return 'orphan';
  return isImmature(wallet, wtx) ? 'immature' : 'generate';
}

/** DFI that the inputs pay for: outputs out of an account cost them nothing. */
function paidFromInputs({ tx }: WalletTx): bigint {
  let sum = 0n;
  const end = firstMintedOutput(tx);
  for (const { value, tokenId } of tx.vout.slice(0, end)) if (tokenId === 0) sum += value;
  return sum;
}

/** What a transaction added to the wallet without its fee, and the fee where the wallet paid. Satoshis. */
export function netOf(wallet: Wallet, wtx: WalletTx, filter: OutputFilter): { readonly amount: bigint; readonly fee: bigint | undefined } {
  const credit = isImmature(wallet, wtx) ? 0n : creditOf(wallet, wtx, filter);
  const debit = debitOf(wallet, wtx, filter);
  if (debit === 0n) return { amount: credit, fee: undefined };
  const fee = paidFromInputs(wtx) - debit;
  return { amount: credit - debit - fee, fee };
}
