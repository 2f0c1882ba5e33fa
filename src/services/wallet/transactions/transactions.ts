import type { ListedTransaction, TransactionContext, TransactionDetail } from '../../../../gen/ts/dfi/wallet/v1/records.js';
import type {
  AbandonTransactionRequest,
  AbandonTransactionResponse,
  GetTransactionRequest,
  GetTransactionResponse,
  ListSinceBlockRequest,
  ListSinceBlockResponse,
  ListTransactionsRequest,
  ListTransactionsResponse,
} from '../../../../gen/ts/dfi/wallet/v1/wallet.js';
import type { BlockIndexEntry } from '../../../chain/block-index.js';
import { isReplaceable, signalsReplaceable } from '../../../mempool/replacement.js';
import { formatHash } from '../../../primitives/hash.js';
import type { Handler } from '../../../rpc/handler.js';
import { parseHash } from '../../../rpc/shapes.js';
import { encodeDestination } from '../../../script/address.js';
import { customTxPayload } from '../../../script/custom-tx.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { mapInSlices, Slicer } from '../../../util/slicer.js';
import { countEntries, type Entry, entriesOf, netOf } from '../../../wallet/coins/history.js';
import { filterOf, isTrusted, type OutputFilter } from '../../../wallet/coins/trust.js';
import type { WalletTx } from '../../../wallet/txs/wallet-tx.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { requireBlockEntry } from '../../format/blocks.js';
import { transactionHex } from '../../format/transaction.js';
import { includesWatched } from '../format/parse.js';
import { type WalletModules, walletOf } from '../modules.js';

function requireTransaction(wallet: Wallet, txid: string): WalletTx {
  const wtx = wallet.txs.get(parseHash(txid, 'txid'));
  if (!wtx) throw new NodeError('transaction-not-found', 'Invalid or non-wallet transaction id');
  return wtx;
}

/** @see docs/protocol/wallet.md 3.19 */
export const getTransaction: Handler<WalletModules, GetTransactionRequest, GetTransactionResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  const { txid } = request;
  parseHash(txid, 'txid');
  const filter = filterOf(includesWatched(wallet, request.includeWatchonly));
  const wtx = requireTransaction(wallet, txid);
  const { amount, fee } = netOf(wallet, wtx, filter);
  return {
    amount,
    fee,
    context: formatContext(wallet, wtx),
    details: entriesOf(wallet, wtx, { filter }).map((entry) => formatEntry(wallet, entry)),
    hex: transactionHex(wtx.tx, modules.chain.params, modules.showsWitness),
  };
};

/** @see docs/protocol/wallet.md 3.1 */
export const abandonTransaction: Handler<WalletModules, AbandonTransactionRequest, AbandonTransactionResponse> = (
  modules,
  { txid },
  call,
) => {
  const wallet = walletOf(modules, call);
  const wtx = requireTransaction(wallet, txid);
  const done = wallet.tracker.abandon(wtx, (each) => wallet.isInMempool(each));
  if (!done) throw new NodeError('not-found', 'Transaction not eligible for abandonment');
  wallet.commit();
  return {};
};

/** @see docs/protocol/wallet.md 3.35 */
export const listTransactions: Handler<WalletModules, ListTransactionsRequest, ListTransactionsResponse> = async (
  modules,
  request,
  call,
) => {
  const wallet = walletOf(modules, call);
  const { label = '*' } = request;
  if (label === '') throw invalidParameter('Label argument must be a valid label name or "*".');
  const count = request.count ?? 10;
  const skip = request.skip ?? 0;
  const filter = filterOf(includesWatched(wallet, request.includeWatchonly));
  const excludesCustom = request.excludeCustomTx ?? false;
  if (count < 0) throw invalidParameter('Negative count');
  if (skip < 0) throw invalidParameter('Negative from');
  const query = { filter, label: label === '*' ? undefined : label };
  const newestFirst: Entry[] = [];
  const ordered = wallet.txs.inOrder();
  const slicer = new Slicer(call);
  let left = skip;
  for (let i = ordered.length - 1; i >= 0 && newestFirst.length < count; i--) {
    const paused = slicer.pause();
    if (paused) await paused;
    const wtx = ordered[i];
    if (!wtx || (excludesCustom && customTxPayload(wtx.tx))) continue;
    const skipped = left > 0 ? Math.min(countEntries(wallet, wtx, query), left) : 0;
    left -= skipped;
    if (left === 0) newestFirst.push(...entriesOf(wallet, wtx, query).slice(skipped));
  }
  const page = newestFirst.slice(0, count).reverse();
  const list = new TransactionList(wallet);
  return { transactions: await mapInSlices(page, (entry) => list.format(entry), call) };
};

/** @see docs/protocol/wallet.md 3.34 */
export const listSinceBlock: Handler<WalletModules, ListSinceBlockRequest, ListSinceBlockResponse> = async (modules, request, call) => {
  const wallet = walletOf(modules, call);
  const { chain } = modules;
  const { blockhash = '' } = request;
  const since = blockhash === '' ? undefined : requireBlockEntry(chain, parseHash(blockhash, 'blockhash'));
  const target = request.targetConfirmations ?? 1;
  if (target < 1) throw invalidParameter('Invalid parameter');
  const filter = filterOf(includesWatched(wallet, request.includeWatchonly));
  const includesRemoved = request.includeRemoved ?? true;
  const fork = since && chain.forkPoint(since);
  const depthLimit = fork ? chain.tip.height - fork.height + 1 : Number.POSITIVE_INFINITY;
  // Taken before the walk: changes by blocks that arrive meanwhile are listed again by the next call.
  const last = chain.entryAt(chain.tip.height + 1 - target);
  const transactions: ListedTransaction[] = [];
  const slicer = new Slicer(call);
  for (const wtx of wallet.txs.all()) {
    const paused = slicer.pause();
    if (paused) await paused;
    if (wtx.depth(chain) < depthLimit) transactions.push(...listedOf(wallet, wtx, filter));
  }
  return {
    transactions,
    removed: includesRemoved ? { transactions: since && fork ? removedOf(modules, wallet, since, fork, filter) : [] } : undefined,
    lastblock: last ? formatHash(last.hash) : '0'.repeat(64),
  };
};

function removedOf(
  { chain }: WalletModules,
  wallet: Wallet,
  since: BlockIndexEntry,
  fork: BlockIndexEntry,
  filter: OutputFilter,
): ListedTransaction[] {
  const listed: ListedTransaction[] = [];
  for (let at: BlockIndexEntry | undefined = since; at && at !== fork; at = at.parent) {
    const block = chain.block(at);
    if (!block) throw new NodeError('internal', "Can't read block from disk");
    for (const { txid } of block.transactions) {
      const wtx = wallet.txs.get(txid);
      // Abandoned transactions are listed too: they were in a block before.
      if (wtx) listed.push(...listedOf(wallet, wtx, filter, Number.NEGATIVE_INFINITY));
    }
  }
  return listed;
}

function listedOf(wallet: Wallet, wtx: WalletTx, filter: OutputFilter, minDepth = 0): ListedTransaction[] {
  const list = new TransactionList(wallet);
  return entriesOf(wallet, wtx, { filter, minDepth }).map((entry) => list.format(entry));
}

/** Formats entries of a list. Those of one transaction share its context, if they follow each other. */
class TransactionList {
  #last: { readonly wtx: WalletTx; readonly context: TransactionContext } | undefined;

  constructor(private readonly wallet: Wallet) {}

  format(entry: Entry): ListedTransaction {
    const { wtx } = entry;
    if (this.#last?.wtx !== wtx) this.#last = { wtx, context: formatContext(this.wallet, wtx) };
    return { ...formatEntry(this.wallet, entry), context: this.#last.context };
  }
}

function formatEntry(wallet: Wallet, { wtx, involvesWatched, destination, category, amount, label, vout, fee }: Entry): TransactionDetail {
  return {
    involveswatchonly: involvesWatched || undefined,
    address: destination && encodeDestination(destination, wallet.deps.chain.params.address),
    category,
    amount,
    label,
    vout,
    fee,
    abandoned: category === 'send' ? wtx.isAbandoned : undefined,
  };
}

/** @see docs/protocol/wallet.md 3.0.1 */
function formatContext(wallet: Wallet, wtx: WalletTx): TransactionContext {
  const { chain } = wallet.deps;
  const confirmations = wtx.depth(chain);
  const { status, notes } = wtx;
  const place = confirmations > 0 && status.kind === 'confirmed' ? status : undefined;
  return {
    confirmations,
    generated: wtx.isCoinbase || undefined,
    blockhash: place && formatHash(place.block.hash),
    blockindex: place?.index,
    blocktime: place?.block.entry?.time,
    trusted: confirmations > 0 ? undefined : isTrusted(wallet, wtx),
    txid: formatHash(wtx.tx.txid),
    walletconflicts: wallet.txs.conflictsOf(wtx).map(({ tx }) => formatHash(tx.txid)),
    time: BigInt(wtx.smartTime || wtx.receivedAt),
    timereceived: BigInt(wtx.receivedAt),
    bip125Replaceable: replaceability(wallet, wtx, confirmations),
    comment: notes.get('comment'),
    replacedByTxid: notes.get('replaced_by_txid'),
    replacesTxid: notes.get('replaces_txid'),
    to: notes.get('to'),
  };
}

function replaceability(wallet: Wallet, { tx }: WalletTx, confirmations: number): 'yes' | 'no' | 'unknown' {
  if (confirmations > 0) return 'no';
  if (signalsReplaceable(tx)) return 'yes';
  const entry = wallet.deps.mempool.pool.get(tx.txid);
  if (!entry) return 'unknown';
  return isReplaceable(entry) ? 'yes' : 'no';
}
