import { firstMintedOutput } from '../../dfi/accounts/transactions.js';
import type { TxOut } from '../../primitives/transaction.js';
import type { Destination } from '../../script/address.js';
import { destinationIn } from '../destination.js';
import { Ownership } from '../keys/ownership.js';
import type { WalletTx } from '../txs/wallet-tx.js';
import type { Wallet } from '../wallet.js';
import { addressOwnership } from './address-ownership.js';
import { creditOf } from './balances.js';
import { type Debits, debitIn, debitOf, debitsOf, isImmature, type OutputFilter } from './trust.js';

export type Category = 'send' | 'receive' | 'generate' | 'immature' | 'orphan';

/** A payment of a transaction, as `listtransactions` and its like return it. */
export interface Entry {
  readonly wtx: WalletTx;
  readonly category: Category;
  readonly destination: Destination | undefined;
  /** Satoshis; negative for payments that were sent. */
  readonly amount: bigint;
  readonly label: string | undefined;
  readonly vout: number;
  /** Negative satoshis; only for payments that were sent. */
  readonly fee: bigint | undefined;
  /** The transaction spends watch-only outputs, or the output is watch-only. */
  readonly involvesWatched: boolean;
}

export interface EntryQuery {
  readonly filter: OutputFilter;
  /** Minimum confirmations of received payments. */
  readonly minDepth?: number;
  /** Only payments received by addresses with this label. */
  readonly label?: string | undefined;
}

/** Payments of a transaction: sent ones, then received ones, each by output index. @see docs/protocol/wallet.md 3.0.2 */
export function entriesOf(wallet: Wallet, wtx: WalletTx, query: EntryQuery): Entry[] {
  const debits = debitsOf(wallet, wtx);
  const { sent, received } = paymentsOf(wallet, wtx, debits, query);
  const fee = sent.length > 0 ? paidFromInputs(wtx) - debitIn(debits, query.filter) : undefined;
  const category = receivedCategory(wallet, wtx);
  const ownership = addressOwnership(wallet, wtx);
  const common = ({ scriptPubKey }: TxOut, vout: number) => {
    const destination = destinationIn(wallet, scriptPubKey);
    const label = destination && wallet.book.get(destination)?.label;
    return { wtx, destination, label, vout, involvesWatched: debits.watched > 0n || ownership[vout] === Ownership.Watched };
  };
  const outAt = (vout: number): TxOut => wtx.tx.vout[vout] as TxOut;
  return [
    ...sent.map((vout): Entry => ({ ...common(outAt(vout), vout), category: 'send', amount: -outAt(vout).value, fee })),
    ...received.map((vout): Entry => ({ ...common(outAt(vout), vout), category, amount: outAt(vout).value, fee: undefined })),
  ];
}

/** Number of payments of a transaction, for callers that skip it. */
export function countEntries(wallet: Wallet, wtx: WalletTx, query: EntryQuery): number {
  const { sent, received } = paymentsOf(wallet, wtx, debitsOf(wallet, wtx), query);
  return sent.length + received.length;
}

/** Indexes of the outputs that count as sent, and of those that count as received. */
function paymentsOf(
  wallet: Wallet,
  wtx: WalletTx,
  debits: Debits,
  { filter, minDepth = 0, label }: EntryQuery,
): { readonly sent: readonly number[]; readonly received: readonly number[] } {
  const isSent = debitIn(debits, filter) > 0n;
  const ownership = wallet.outputOwnership(wtx);
  const showsReceived = wtx.depth(wallet.deps.chain) >= minDepth;
  const sent: number[] = [];
  const received: number[] = [];
  for (const [vout, { scriptPubKey }] of wtx.tx.vout.entries()) {
    const own = ownership[vout] ?? Ownership.None;
    if (isSent ? wallet.isChange(scriptPubKey, own) : !filter(own)) continue;
    if (isSent && label === undefined) sent.push(vout);
    if (filter(own) && showsReceived && (label === undefined || labelOf(wallet, scriptPubKey) === label)) received.push(vout);
  }
  return { sent, received };
}

function labelOf(wallet: Wallet, script: Uint8Array): string | undefined {
  const destination = destinationIn(wallet, script);
  return destination && wallet.book.get(destination)?.label;
}

function receivedCategory(wallet: Wallet, wtx: WalletTx): Category {
  if (!wtx.isCoinbase) return 'receive';
  if (wtx.depth(wallet.deps.chain) < 1) return 'orphan';
  return isImmature(wallet, wtx) ? 'immature' : 'generate';
}

/** DFI of the outputs that inputs pay for, satoshis: outputs minted from an account are left out. */
function paidFromInputs({ tx }: WalletTx): bigint {
  let sum = 0n;
  const end = firstMintedOutput(tx);
  for (const { value, tokenId } of tx.vout.slice(0, end)) if (tokenId === 0) sum += value;
  return sum;
}

/** Net change of the wallet by a transaction without the fee, and the fee (negative) if the wallet paid it; satoshis. */
export function netOf(wallet: Wallet, wtx: WalletTx, filter: OutputFilter): { readonly amount: bigint; readonly fee: bigint | undefined } {
  const credit = isImmature(wallet, wtx) ? 0n : creditOf(wallet, wtx, filter);
  const debit = debitOf(wallet, wtx, filter);
  if (debit === 0n) return { amount: credit, fee: undefined };
  const fee = paidFromInputs(wtx) - debit;
  return { amount: credit - debit - fee, fee };
}
