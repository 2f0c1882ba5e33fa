import type { WalletCoin } from '../coins/coins.js';
import { spendsOwnCoins } from '../coins/trust.js';
import { destinationIn } from '../destination.js';
import { destinationKey } from '../keys/address-book.js';
import type { WalletTx } from '../txs/wallet-tx.js';
import type { Wallet } from '../wallet.js';
import type { CoinGroup, InputCoin } from './coin-selection.js';

/** Maximum number of coins in a group. */
export const MAX_GROUP_SIZE = 10;
/** Confirmations from which selection treats coins of foreign transactions like those of the wallet's own. */
export const WELL_CONFIRMED_DEPTH = 6;

/** Groups coins by address, or puts each into a group of its own. */
export function groupsOf(
  wallet: Wallet,
  coins: readonly WalletCoin[],
  byAddress: boolean,
  toInput: (coin: WalletCoin) => InputCoin,
): CoinGroup[] {
  const origins = new Origins(wallet);
  const joined = (members: readonly WalletCoin[]): CoinGroup => groupOf(members.map(toInput), members, origins);
  const single = (coin: WalletCoin): CoinGroup => joined([coin]);
  if (!byAddress) return coins.map(single);
  const groups: CoinGroup[] = [];
  const incomplete = new Map<string, WalletCoin[]>();
  for (const coin of coins) {
    const destination = destinationIn(wallet, coin.wtx.tx.vout[coin.vout]?.scriptPubKey ?? new Uint8Array(0));
    if (!destination) {
      groups.push(single(coin));
      continue;
    }
    const key = destinationKey(destination);
    const members = incomplete.get(key) ?? [];
    incomplete.set(key, members);
    members.push(coin);
    if (members.length < MAX_GROUP_SIZE) continue;
    groups.push(joined(members));
    incomplete.delete(key);
  }
  return [...groups, ...[...incomplete.values()].map((members) => joined(members))];
}

function groupOf(coins: readonly InputCoin[], members: readonly WalletCoin[], origins: Origins): CoinGroup {
  const chains = members.map((coin) => origins.unconfirmedChain(coin));
  return {
    coins,
    value: coins.reduce((sum, { out }) => sum + out.value, 0n),
    depth: Math.min(...members.map(({ depth }) => depth)),
    isFromMe: members.every(({ wtx, depth }) => depth >= WELL_CONFIRMED_DEPTH || origins.isFromMe(wtx)),
    ancestors: chains.reduce((sum, { ancestors }) => sum + ancestors, 0),
    descendants: Math.max(...chains.map(({ descendants }) => descendants)),
  };
}

interface UnconfirmedChain {
  readonly ancestors: number;
  readonly descendants: number;
}

const CONFIRMED: UnconfirmedChain = { ancestors: 0, descendants: 0 };

/** Facts about the transactions of coins, each looked up once: a transaction may have many coins. */
class Origins {
  readonly #fromMe = new Map<WalletTx, boolean>();
  readonly #chains = new Map<WalletTx, UnconfirmedChain>();

  constructor(private readonly wallet: Wallet) {}

  isFromMe(wtx: WalletTx): boolean {
    let known = this.#fromMe.get(wtx);
    if (known === undefined) {
      known = spendsOwnCoins(this.wallet, wtx);
      this.#fromMe.set(wtx, known);
    }
    return known;
  }

  /** Ancestors of an unconfirmed coin's transaction, and the largest number of descendants along them; zeros if it is confirmed. */
  unconfirmedChain({ wtx, depth }: WalletCoin): UnconfirmedChain {
    if (depth > 0) return CONFIRMED;
    let known = this.#chains.get(wtx);
    if (!known) {
      known = this.#chainOf(wtx);
      this.#chains.set(wtx, known);
    }
    return known;
  }

  #chainOf({ tx }: WalletTx): UnconfirmedChain {
    const entry = this.wallet.deps.mempool.pool.get(tx.txid);
    if (!entry) return CONFIRMED;
    let descendants = entry.descendants.count;
    for (const ancestor of entry.allAncestors()) descendants = Math.max(descendants, ancestor.descendants.count);
    return { ancestors: entry.ancestors.count, descendants };
  }
}
