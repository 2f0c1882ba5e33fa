import { type AccountAmounts, type Balances, compareOwners, toBalances } from '../../dfi/kernel/amounts.js';

/** In which order accounts pay: the smallest first, the largest first, or as they are listed. */
export type SelectionMode = 'crumbs' | 'pie' | 'forward';

/** An account that has some of what is wanted. */
interface Payer {
  readonly owner: Uint8Array;
  readonly has: ReadonlyMap<number, bigint>;
  readonly pays: Map<number, bigint>;
}

/**
 * Chooses what accounts give so that together they give exactly what is wanted, token by token.
 * @returns undefined if they do not have it
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
    if (take(payers, tokenId, amount) > 0n) return undefined;
  }
  const paying = payers.filter(({ pays }) => pays.size > 0);
  return paying.map(({ owner, pays }) => ({ owner, balances: toBalances(pays) })).sort((a, b) => compareOwners(a.owner, b.owner));
}

/** Those that lack the token come last. */
function inOrder(payers: readonly Payer[], tokenId: number, mode: SelectionMode): readonly Payer[] {
  if (mode === 'forward') return payers;
  const amountOf = ({ has }: Payer): bigint => has.get(tokenId) ?? 0n;
  const largestFirst = [...payers].sort((a, b) => Number(amountOf(b) > amountOf(a)) - Number(amountOf(b) < amountOf(a)));
  return mode === 'pie' ? largestFirst : largestFirst.reverse().sort((a, b) => Number(b.has.has(tokenId)) - Number(a.has.has(tokenId)));
}

/** @returns what is still missing */
function take(payers: readonly Payer[], tokenId: number, wanted: bigint): bigint {
  let missing = wanted;
  for (const { has, pays } of payers) {
    const available = has.get(tokenId) ?? 0n;
    const taken = available < missing ? available : missing;
    if (taken > 0n) pays.set(tokenId, taken);
    missing -= taken;
  }
  return missing;
}
