import type { ListAddressGroupingsRequest, ListAddressGroupingsResponse } from '../../../../gen/ts/dfi/wallet/v1/wallet.js';
import type { Handler } from '../../../rpc/handler.js';
import { type Destination, encodeDestination } from '../../../script/address.js';
import { sortInSlices } from '../../../util/sliced-sort.js';
import { Slicer } from '../../../util/slicer.js';
import { debitOf, isImmature, isTrusted, ownOutputs } from '../../../wallet/coins/trust.js';
import { destinationIn } from '../../../wallet/destination.js';
import { destinationKey } from '../../../wallet/keys/address-book.js';
import { Ownership } from '../../../wallet/keys/ownership.js';
import type { WalletTx } from '../../../wallet/txs/wallet-tx.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { type WalletModules, walletOf } from '../modules.js';

/** Union-find over destinations: sets that share a member are joined. */
class Groups {
  readonly #parents = new Map<string, string>();
  readonly #destinations = new Map<string, Destination>();

  join(members: readonly Destination[]): void {
    const [first] = members;
    if (!first) return;
    const root = this.#enter(first);
    for (const member of members) {
      const other = this.#enter(member);
      if (other !== root) this.#parents.set(other, root);
    }
  }

  /** Adds a destination. @returns root of its set */
  #enter(destination: Destination): string {
    const key = destinationKey(destination);
    if (!this.#parents.has(key)) {
      this.#parents.set(key, key);
      this.#destinations.set(key, destination);
    }
    return this.#root(key);
  }

  #root(key: string): string {
    let at = key;
    for (let up = this.#parents.get(at) ?? at; up !== at; up = this.#parents.get(at) ?? at) {
      // Path halving: shortens later look-ups.
      const above = this.#parents.get(up) ?? up;
      this.#parents.set(at, above);
      at = above;
    }
    return at;
  }

  /** Sets with their members, each with its key, in destination order. */
  async all(slicer: Slicer): Promise<(readonly [string, Destination])[][]> {
    const sorted = await sortInSlices([...this.#destinations], ([a], [b]) => a < b, slicer);
    const groups = new Map<string, (readonly [string, Destination])[]>();
    for (const entry of sorted) {
      const root = this.#root(entry[0]);
      const members = groups.get(root);
      if (members) members.push(entry);
      else groups.set(root, [entry]);
      const paused = slicer.pause();
      if (paused) await paused;
    }
    return [...groups.values()];
  }
}

function ownDestination(wallet: Wallet, wtx: WalletTx, vout: number): Destination | undefined {
  if ((wallet.outputOwnership(wtx)[vout] ?? Ownership.None) === Ownership.None) return undefined;
  return destinationIn(wallet, wtx.tx.vout[vout]?.scriptPubKey ?? new Uint8Array(0));
}

function addTo(groups: Groups, wallet: Wallet, wtx: WalletTx): void {
  const own = wtx.tx.vout.flatMap((_, vout) => ownDestination(wallet, wtx, vout) ?? []);
  const spent = wtx.tx.vin.flatMap(({ prevout }) => {
    const parent = wallet.txs.get(prevout.txid);
    return (parent && ownDestination(wallet, parent, prevout.vout)) ?? [];
  });
  if (spent.length > 0) groups.join([...spent, ...changeOf(wallet, wtx)]);
  for (const destination of own) groups.join([destination]);
}

function changeOf(wallet: Wallet, wtx: WalletTx): Destination[] {
  const ownership = wallet.outputOwnership(wtx);
  return wtx.tx.vout.flatMap(({ scriptPubKey }, vout) =>
    wallet.isChange(scriptPubKey, ownership[vout]) ? (destinationIn(wallet, scriptPubKey) ?? []) : [],
  );
}

/** Unspent output of the wallet, with its script. */
interface Holding {
  readonly script: Uint8Array;
  readonly value: bigint;
}

/** Outputs of transactions that the unspent index does not count as confirmed, as far as they are trusted and mature. */
function openHoldings(wallet: Wallet): Holding[] {
  const { chain } = wallet.deps;
  return wallet.unspent.pendingTransactions().flatMap((wtx) => {
    if (!isTrusted(wallet, wtx) || isImmature(wallet, wtx)) return [];
    const least = debitOf(wallet, wtx, ownOutputs) > 0n ? 0 : 1;
    if (wtx.depth(chain) < least) return [];
    const ownership = wallet.outputOwnership(wtx);
    return wtx.tx.vout.flatMap(({ scriptPubKey: script, value }, vout) =>
      wtx.isSpent(vout, chain) || (ownership[vout] ?? Ownership.None) === Ownership.None ? [] : [{ script, value }],
    );
  });
}

/** Adds up satoshis by destination. */
async function sumUp(wallet: Wallet, holdings: Iterable<Holding>, sums: Map<string, bigint>, slicer: Slicer): Promise<void> {
  for (const { script, value } of holdings) {
    const paused = slicer.pause();
    if (paused) await paused;
    const destination = destinationIn(wallet, script);
    if (!destination) continue;
    const key = destinationKey(destination);
    sums.set(key, (sums.get(key) ?? 0n) + value);
  }
}

/** Groups addresses by common ownership. Works in slices, on the transactions known at the call. @see docs/protocol/wallet.md 3.29 */
export const listAddressGroupings: Handler<WalletModules, ListAddressGroupingsRequest, ListAddressGroupingsResponse> = async (
  modules,
  _request,
  call,
) => {
  const wallet = walletOf(modules, call);
  const { address } = modules.chain.params;
  const slicer = new Slicer(call);
  const confirmed = wallet.unspent.confirmedUnordered();
  const open = openHoldings(wallet);
  // The list is append-only at this length: later transactions come after it, and removals replace the list.
  const known = wallet.txs.inOrder();
  const { length } = known;
  const balances = new Map<string, bigint>();
  await sumUp(wallet, open, balances, slicer);
  await sumUp(
    wallet,
    map(confirmed, ({ out }) => ({ script: out.scriptPubKey, value: out.value })),
    balances,
    slicer,
  );
  const groups = new Groups();
  for (let i = 0; i < length; i++) {
    addTo(groups, wallet, known[i] as WalletTx);
    const paused = slicer.pause();
    if (paused) await paused;
  }
  const listed: ListAddressGroupingsResponse['groups'] = [];
  for (const members of await groups.all(slicer)) {
    const addresses = [];
    for (const [key, destination] of members) {
      const label = wallet.book.get(destination)?.label;
      addresses.push({ address: encodeDestination(destination, address), amount: balances.get(key) ?? 0n, label });
      const paused = slicer.pause();
      if (paused) await paused;
    }
    listed.push({ addresses });
  }
  return { groups: listed };
};

function* map<T, U>(items: Iterable<T>, to: (item: T) => U): Generator<U> {
  for (const item of items) yield to(item);
}
