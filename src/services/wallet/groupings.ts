import type { ListAddressGroupingsRequest, ListAddressGroupingsResponse } from '../../../gen/ts/dfi/wallet/v1/wallet.js';
import type { Handler } from '../../rpc/handler.js';
import { type Destination, destinationOf, encodeDestination } from '../../script/address.js';
import { destinationKey } from '../../wallet/address-book.js';
import { Ownership } from '../../wallet/ownership.js';
import { debitOf, isImmature, isTrusted, ownOutputs } from '../../wallet/trust.js';
import type { Wallet } from '../../wallet/wallet.js';
import type { WalletTx } from '../../wallet/wallet-tx.js';
import { type WalletModules, walletOf } from './modules.js';

/** Sets of destinations that were seen together, joined where they overlap. */
class Groups {
  readonly #parents = new Map<string, string>();
  readonly destinations = new Map<string, Destination>();

  join(members: readonly Destination[]): void {
    const [first] = members;
    if (!first) return;
    const root = this.#root(first);
    for (const member of members) this.#parents.set(this.#root(member), root);
  }

  #root(destination: Destination): string {
    const key = destinationKey(destination);
    if (!this.#parents.has(key)) this.#parents.set(key, key);
    this.destinations.set(key, destination);
    let at = key;
    for (let up = this.#parents.get(at); up !== undefined && up !== at; up = this.#parents.get(at)) at = up;
    return at;
  }

  /** Groups and their members in destination order. */
  all(): Destination[][] {
    const groups = new Map<string, Destination[]>();
    for (const [, destination] of [...this.destinations].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const root = this.#root(destination);
      groups.set(root, [...(groups.get(root) ?? []), destination]);
    }
    return [...groups.values()];
  }
}

function ownDestination(wallet: Wallet, wtx: WalletTx, vout: number): Destination | undefined {
  if ((wallet.outputsOf(wtx)[vout] ?? Ownership.None) === Ownership.None) return undefined;
  return destinationOf(wtx.tx.vout[vout]?.scriptPubKey ?? new Uint8Array(0));
}

function groupsOf(wallet: Wallet): Groups {
  const groups = new Groups();
  for (const wtx of wallet.txs.all()) {
    const spent = wtx.tx.vin.flatMap(({ prevout }) => {
      const parent = wallet.txs.get(prevout.txid);
      return (parent && ownDestination(wallet, parent, prevout.vout)) ?? [];
    });
    const own = wtx.tx.vout.flatMap((_, vout) => ownDestination(wallet, wtx, vout) ?? []);
    const change = wtx.tx.vout.flatMap(({ scriptPubKey }) => (wallet.isChange(scriptPubKey) ? (destinationOf(scriptPubKey) ?? []) : []));
    if (spent.length > 0) groups.join([...spent, ...change]);
    for (const destination of own) groups.join([destination]);
  }
  return groups;
}

/** Satoshis by destination. */
function balancesByDestination(wallet: Wallet): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  const { chain } = wallet.deps;
  for (const wtx of wallet.txs.all()) {
    if (!isTrusted(wallet, wtx) || isImmature(wallet, wtx)) continue;
    const least = debitOf(wallet, wtx, ownOutputs) > 0n ? 0 : 1;
    if (wtx.depth(chain) < least) continue;
    wtx.tx.vout.forEach(({ value }, vout) => {
      const destination = wtx.isSpent(vout, chain) ? undefined : ownDestination(wallet, wtx, vout);
      if (!destination) return;
      const key = destinationKey(destination);
      sums.set(key, (sums.get(key) ?? 0n) + value);
    });
  }
  return sums;
}

/** @see spec: wallet 3.29 */
export const listAddressGroupings: Handler<WalletModules, ListAddressGroupingsRequest, ListAddressGroupingsResponse> = (
  modules,
  _request,
  call,
) => {
  const wallet = walletOf(modules, call);
  const balances = balancesByDestination(wallet);
  const { address } = modules.chain.params;
  const groups = groupsOf(wallet).all();
  return {
    groups: groups.map((members) => ({
      addresses: members.map((destination) => ({
        address: encodeDestination(destination, address),
        amount: balances.get(destinationKey(destination)) ?? 0n,
        label: wallet.book.get(destination)?.label,
      })),
    })),
  };
};
