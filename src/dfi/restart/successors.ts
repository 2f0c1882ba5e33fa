import { COIN } from '../../primitives/amount.js';
import type { Hash256 } from '../../primitives/hash.js';
import type { Transaction } from '../../primitives/transaction.js';
import { accountBalances } from '../accounts/columns.js';
import { AttributeDraft } from '../attributes/attributes.js';
import { tokenLock } from '../attributes/features.js';
import { EventRecords } from '../context/event-records.js';
import type { Multiplier } from '../context/split-creation.js';
import { TxRejected } from '../kernel/rejected.js';
import { materialiseRewards } from '../rewards/owner-rewards.js';
import type { SuccessionContext } from '../splits/context.js';
import { creationOutputs } from '../splits/creation.js';
import { splitToken } from '../splits/execute.js';
import { movePools } from '../splits/pools.js';
import { RESTARTED_TOKENS } from '../tokens/lock-columns.js';
import { addMinted } from '../tokens/minted.js';
import { affectedByRestart, idsOf } from './affected.js';
import type { RestartContext } from './context.js';

/** Conversion one for one, written as a fraction, which distinguishes creation transactions of restarts from those of splits. */
export const ONE_FOR_ONE: Multiplier = { value: COIN, isFraction: true };

interface Creation {
  readonly id: number;
  readonly txid: Hash256;
}

/**
 * Replaces all loan tokens and their pools by new ones. Balances are converted one for one.
 * @throws {TxRejected} if the block lacks a creation transaction, or a token cannot be replaced
 * @throws {ArithmeticError}
 * @see docs/protocol/defi.md 9.7
 */
export function replaceTokensAndPools(context: RestartContext): void {
  const { view, history } = context;
  const { tokens, pools } = requireCreations(context);
  const draft = AttributeDraft.of(view);
  for (const { id } of tokens) draft.set(tokenLock(id), { kind: 'bool', value: true });
  draft.set(RESTARTED_TOKENS, { kind: 'balances', value: tokens.map(({ id }) => ({ tokenId: id, amount: COIN })) });
  draft.write(view);
  materialiseHolders(context, new Set(pools.map(({ id }) => id)));
  const eventRecords = new EventRecords();
  try {
    const successors = replaceTokens({ ...context, draft, eventRecords }, tokens);
    const moves = { pools: pools.map(({ id, txid }) => ({ poolId: id, txid })), successors, multiplier: ONE_FOR_ONE };
    const created = movePools({ ...context, draft, eventRecords }, moves);
    for (const [tokenId, amount] of created) addMinted(view, { tokenId, amount });
    for (const newId of successors.values()) draft.delete(tokenLock(newId));
    draft.write(view);
  } finally {
    eventRecords.addTo(history);
  }
}

/** Creation transactions of all affected tokens and pools. @throws {TxRejected} if one is missing */
function requireCreations({ view, transactions }: RestartContext): {
  readonly tokens: readonly Creation[];
  readonly pools: readonly Creation[];
} {
  const offered = offeredCreations(transactions);
  const affected = affectedByRestart(view);
  const found = (id: number): Creation => {
    const txid = offered.get(id);
    if (!txid) throw new TxRejected(`missing creationTx for Token ${id}`);
    return { id, txid };
  };
  return { tokens: idsOf(affected, 'token').map(found), pools: idsOf(affected, 'pool').map(found) };
}

/** Txids of the restart's creation transactions by token or pool id; of several for one id the last counts. */
function offeredCreations(transactions: readonly Transaction[]): ReadonlyMap<number, Hash256> {
  const outputs = creationOutputs(transactions, (r) => r.i64());
  return new Map(outputs.filter(({ multiplier }) => multiplier === COIN).map(({ tokenId, txid }) => [tokenId, txid]));
}

/** Materialises the rewards of all holders of pool shares while commissions can still be paid in the old tokens. */
function materialiseHolders(context: RestartContext, pools: ReadonlySet<number>): void {
  const { view } = context;
  const owners = new Map<string, Uint8Array>();
  for (const [{ owner, tokenId }] of view.entries(accountBalances)) {
    if (pools.has(tokenId)) owners.set(Buffer.from(owner).toString('latin1'), owner);
  }
  for (const owner of owners.values()) materialiseRewards(view, owner, context);
}

/** Replaces the tokens but not their pools. @returns new ids by old ones */
function replaceTokens(context: SuccessionContext, tokens: readonly Creation[]): ReadonlyMap<number, number> {
  const successors = new Map<number, number>();
  for (const { id, txid } of tokens) {
    const split = { tokenId: id, multiplier: ONE_FOR_ONE, token: txid, pools: [] };
    successors.set(id, splitToken({ ...context, split }).newId);
  }
  return successors;
}
