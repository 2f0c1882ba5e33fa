import type { ReceivedByAddress } from '../../../../gen/ts/dfi/wallet/v1/records.js';
import type {
  GetReceivedByAddressRequest,
  GetReceivedByAddressResponse,
  GetReceivedByLabelRequest,
  GetReceivedByLabelResponse,
  ListReceivedByAddressRequest,
  ListReceivedByAddressResponse,
  ListReceivedByLabelRequest,
  ListReceivedByLabelResponse,
} from '../../../../gen/ts/dfi/wallet/v1/wallet.js';
import { formatHash } from '../../../primitives/hash.js';
import { rawJson } from '../../../rpc/bind.js';
import type { Handler } from '../../../rpc/handler.js';
import { asString } from '../../../rpc/scalars.js';
import { encodeDestination, scriptOf } from '../../../script/address.js';
import { equalBytes } from '../../../util/bytes.js';
import { NodeError } from '../../../util/errors.js';
import { type Abortable, eachInSlices, type MaybePromise, Slicer } from '../../../util/slicer.js';
import { addressOwnership } from '../../../wallet/coins/address-ownership.js';
import { filterOf, isFinalNow, type OutputFilter } from '../../../wallet/coins/trust.js';
import { destinationIn } from '../../../wallet/destination.js';
import { destinationKey, type NamedDestination } from '../../../wallet/keys/address-book.js';
import { Ownership } from '../../../wallet/keys/ownership.js';
import type { WalletTx } from '../../../wallet/txs/wallet-tx.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { parseDestination } from '../../format/destination.js';
import { includesWatched, requireAddress, requireLabel } from '../format/parse.js';
import { type WalletModules, walletOf } from '../modules.js';

/**
 * Visits those of some transactions that count as received, in slices. Depths follow the tip: a block that is connected meanwhile counts
 * for later visits.
 */
function eachReceipt(
  wallet: Wallet,
  transactions: Iterable<WalletTx>,
  { minDepth, call }: { readonly minDepth: number; readonly call: Abortable },
  visit: (wtx: WalletTx, depth: number) => void,
): MaybePromise<void> {
  const visitReceipt = (wtx: WalletTx): void => {
    if (wtx.isCoinbase || !isFinalNow(wallet, wtx)) return;
    const depth = wtx.depth(wallet.deps.chain);
    if (depth >= minDepth) visit(wtx, depth);
  };
  return eachInSlices(transactions, visitReceipt, call);
}

/** @see docs/protocol/wallet.md 3.17 */
export const getReceivedByAddress: Handler<WalletModules, GetReceivedByAddressRequest, GetReceivedByAddressResponse> = async (
  modules,
  request,
  call,
) => {
  const wallet = walletOf(modules, call);
  const destination = requireAddress(request.address, modules.chain);
  const script = scriptOf(destination);
  if (wallet.ownershipOf(scriptOf(destination)) === Ownership.None) throw new NodeError('wallet', 'Address not found in wallet');
  const minDepth = request.minconf ?? 1;
  let amount = 0n;
  // Their order does not matter, and this one is at hand.
  await eachReceipt(wallet, [...wallet.txs.inOrder()], { minDepth, call }, ({ tx }) => {
    for (const out of tx.vout) if (equalBytes(out.scriptPubKey, script)) amount += out.value;
  });
  return { amount };
};

/** @see docs/protocol/wallet.md 3.18 */
export const getReceivedByLabel: Handler<WalletModules, GetReceivedByLabelRequest, GetReceivedByLabelResponse> = async (
  modules,
  request,
  call,
) => {
  const wallet = walletOf(modules, call);
  const minDepth = request.minconf ?? 1;
  const label = requireLabel(request.label);
  const wanted = new Set<string>();
  const note = (entry: NamedDestination): void => {
    if (entry.label === label) wanted.add(destinationKey(entry.destination));
  };
  await eachInSlices([...wallet.book.entries()], note, call);
  let amount = 0n;
  await eachReceipt(wallet, [...wallet.txs.inOrder()], { minDepth, call }, (wtx) => {
    const ownership = addressOwnership(wallet, wtx);
    wtx.tx.vout.forEach((out, vout) => {
      const destination = destinationIn(wallet, out.scriptPubKey);
      if (destination && ownership[vout] !== Ownership.None && wanted.has(destinationKey(destination))) amount += out.value;
    });
  });
  return { amount };
};

interface Tally {
  amount: bigint;
  confirmations: number;
  involvesWatched: boolean;
  readonly txids: string[];
}

async function tallies(wallet: Wallet, { minDepth, filter }: ReceivedQuery, call: Abortable): Promise<Map<string, Tally>> {
  const found = new Map<string, Tally>();
  await eachReceipt(wallet, wallet.txs.all(), { minDepth, call }, (wtx, depth) => {
    const ownership = addressOwnership(wallet, wtx);
    wtx.tx.vout.forEach((out, vout) => {
      const own = ownership[vout] ?? Ownership.None;
      const destination = filter(own) ? destinationIn(wallet, out.scriptPubKey) : undefined;
      if (!destination) return;
      const key = destinationKey(destination);
      const tally = found.get(key) ?? { amount: 0n, confirmations: depth, involvesWatched: false, txids: [] };
      found.set(key, tally);
      tally.amount += out.value;
      tally.confirmations = Math.min(tally.confirmations, depth);
      tally.txids.push(formatHash(wtx.tx.txid));
      if (own === Ownership.Watched) tally.involvesWatched = true;
    });
  });
  return found;
}

interface ReceivedQuery {
  readonly minDepth: number;
  readonly includeEmpty: boolean;
  readonly filter: OutputFilter;
  /** Key of the only destination to list. */
  readonly only?: string | undefined;
}

/** Options that both lists share. */
function queryOf(wallet: Wallet, request: ListReceivedByLabelRequest): ReceivedQuery {
  return {
    minDepth: request.minconf ?? 1,
    includeEmpty: request.includeEmpty ?? false,
    filter: filterOf(includesWatched(wallet, request.includeWatchonly)),
  };
}

async function receivedOf(wallet: Wallet, query: ReceivedQuery, call: Abortable): Promise<ReceivedByAddress[]> {
  const { includeEmpty, only } = query;
  const found = await tallies(wallet, query, call);
  const received: ReceivedByAddress[] = [];
  const list = ({ destination, label }: NamedDestination): void => {
    const key = destinationKey(destination);
    const tally = found.get(key);
    // EVM addresses receive no outputs.
    if (destination.type === 'evm' || (only !== undefined && key !== only) || (!tally && !includeEmpty)) return;
    received.push({
      involveswatchonly: tally?.involvesWatched || undefined,
      address: encodeDestination(destination, wallet.deps.chain.params.address),
      amount: tally?.amount ?? 0n,
      confirmations: tally?.confirmations ?? 0,
      label,
      txids: tally?.txids ?? [],
    });
  };
  await eachInSlices(await wallet.book.inOrder(new Slicer(call)), list, call);
  return received;
}

/** @see docs/protocol/wallet.md 3.32 */
export const listReceivedByAddress: Handler<WalletModules, ListReceivedByAddressRequest, ListReceivedByAddressResponse> = async (
  modules,
  request,
  call,
) => {
  const wallet = walletOf(modules, call);
  const query = queryOf(wallet, request);
  // An absent filter is none, but a null is no address.
  if (rawJson(request, 'addressFilter') === null) asString(null);
  const { addressFilter } = request;
  const wanted = addressFilter === undefined ? undefined : parseDestination(addressFilter, modules.chain);
  if (addressFilter !== undefined && !wanted) throw new NodeError('wallet', 'address_filter parameter was invalid');
  return { received: await receivedOf(wallet, { ...query, only: wanted && destinationKey(wanted) }, call) };
};

/** @see docs/protocol/wallet.md 3.33 */
export const listReceivedByLabel: Handler<WalletModules, ListReceivedByLabelRequest, ListReceivedByLabelResponse> = async (
  modules,
  request,
  call,
) => {
  const wallet = walletOf(modules, call);
  const query = queryOf(wallet, request);
  const byLabel = new Map<string, ListReceivedByLabelResponse['received'][number]>();
  const depths = new Map<string, number>();
  for (const { label, amount, confirmations, involveswatchonly, txids } of await receivedOf(wallet, query, call)) {
    const before = byLabel.get(label);
    // Addresses that received nothing do not count. As in `defid`, `involvesWatchonly` is that of the label's last address.
    if (txids.length > 0) depths.set(label, Math.min(depths.get(label) ?? confirmations, confirmations));
    byLabel.set(label, {
      involveswatchonly,
      amount: (before?.amount ?? 0n) + amount,
      confirmations: depths.get(label) ?? 0,
      label,
    });
  }
  const sorted = [...byLabel.values()].sort((a, b) => Buffer.compare(Buffer.from(a.label), Buffer.from(b.label)));
  return { received: sorted };
};
