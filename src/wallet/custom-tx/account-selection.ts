import { type AccountAmounts, type Balances, compareOwners, toBalances } from '../../dfi/kernel/amounts.js';
import { introsort } from '../../util/introsort.js';

/** Order in which accounts pay: smallest balance first, largest first, or as listed. */
export type SelectionMode = 'crumbs' | 'pie' | 'forward';

/** An account with some of the requested tokens; amounts by token. */
interface Payer {
  readonly owner: Uint8Array;
  readonly has: ReadonlyMap<number, bigint>;
  readonly pays: Map<number, bigint>;
}

/**
 * Selects amounts from accounts that add up exactly to the requested balances, token by token.
 * @returns undefined if the balances do not suffice
 * @see docs/protocol/accounts.md 6.6
 */
export function selectAccounts(accounts: AccountAmounts, wanted: Balances, mode: SelectionMode): AccountAmounts | undefined {
  const tokens = new Set(wanted.map(({ tokenId }) => tokenId));
  let payers: readonly Payer[] = accounts.flatMap(({ owner, balances }) => {
    const has = new Map(balances.filter(({ tokenId }) => tokens.has(tokenId)).map(({ tokenId, amount }) => [tokenId, amount]));
    return has.size > 0 ? [{ owner, has, pays: new Map() }] : [];
  });
  for (const { tokenId, amount } of wanted) {
    payers = inOrder(payers, tokenId, mode);
    if (assign(payers, tokenId, amount) > 0n) return undefined;
  }
  const paying = payers.filter(({ pays }) => pays.size > 0);
  return paying.map(({ owner, pays }) => ({ owner, balances: toBalances(pays) })).sort((a, b) => compareOwners(a.owner, b.owner));
}

/**
 * Sorts by balance of the token. An account without it counts as equal to every other, which is no strict weak order: the accounts that
 * pay for a further token depend on the algorithm.
 */
function inOrder(payers: readonly Payer[], tokenId: number, mode: SelectionMode): readonly Payer[] {
  if (mode === 'forward') return payers;
  return introsort(payers, (a, b) => {
    const [first, second] = [a.has.get(tokenId), b.has.get(tokenId)];
    if (first === undefined || second === undefined) return false;
    return mode === 'crumbs' ? first < second : first > second;
  });
}

/** Assigns payments to accounts in order. @returns the amount that is still missing */
function assign(payers: readonly Payer[], tokenId: number, wanted: bigint): bigint {
  let missing = wanted;
  for (const { has, pays } of payers) {
    const available = has.get(tokenId) ?? 0n;
    const paid = available < missing ? available : missing;
    if (paid > 0n) pays.set(tokenId, paid);
    missing -= paid;
  }
  return missing;
}
