import { destinationOf } from '../../script/address.js';
import type { WalletCoin } from '../coins/coins.js';
import { debitOf, spendableOutputs } from '../coins/trust.js';
import { destinationKey } from '../keys/address-book.js';
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
  const single = (coin: WalletCoin): CoinGroup => joined(wallet, [coin], toInput);
  if (!byAddress) return coins.map(single);
  const groups: CoinGroup[] = [];
  const incomplete = new Map<string, WalletCoin[]>();
  for (const coin of coins) {
    const destination = destinationOf(coin.wtx.tx.vout[coin.vout]?.scriptPubKey ?? new Uint8Array(0));
    if (!destination) {
      groups.push(single(coin));
      continue;
    }
    const key = destinationKey(destination);
    const members = incomplete.get(key) ?? [];
    incomplete.set(key, members);
    members.push(coin);
    if (members.length < MAX_GROUP_SIZE) continue;
    groups.push(joined(wallet, members, toInput));
    incomplete.delete(key);
  }
  return [...groups, ...[...incomplete.values()].map((members) => joined(wallet, members, toInput))];
}

function joined(wallet: Wallet, members: readonly WalletCoin[], toInput: (coin: WalletCoin) => InputCoin): CoinGroup {
  const coins = members.map(toInput);
  const chains = members.map((coin) => unconfirmedChain(wallet, coin));
  return {
    coins,
    value: coins.reduce((sum, { out }) => sum + out.value, 0n),
    depth: Math.min(...members.map(({ depth }) => depth)),
    isFromMe: members.every(({ wtx, depth }) => depth >= WELL_CONFIRMED_DEPTH || debitOf(wallet, wtx, spendableOutputs) > 0n),
    ancestors: chains.reduce((sum, { ancestors }) => sum + ancestors, 0),
    descendants: Math.max(...chains.map(({ descendants }) => descendants)),
  };
}

/** Ancestors of an unconfirmed coin's transaction, and the largest number of descendants along them; zeros if it is confirmed. */
function unconfirmedChain(wallet: Wallet, { wtx, depth }: WalletCoin): { readonly ancestors: number; readonly descendants: number } {
  const entry = depth > 0 ? undefined : wallet.deps.mempool.pool.get(wtx.tx.txid);
  if (!entry) return { ancestors: 0, descendants: 0 };
  let descendants = entry.descendants.count;
  for (const ancestor of entry.allAncestors()) descendants = Math.max(descendants, ancestor.descendants.count);
  return { ancestors: entry.ancestors.count, descendants };
}
