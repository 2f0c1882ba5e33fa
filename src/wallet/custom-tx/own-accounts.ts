import { readState } from '../../chain/read-state.js';
import { accountOwners, balancesOf } from '../../dfi/accounts/columns.js';
import { type AccountAmounts, compareOwners } from '../../dfi/kernel/amounts.js';
import { masternodes, ownerScript, rewardScript } from '../../dfi/masternodes/columns.js';
import { materialiseRewards } from '../../dfi/rewards/owner-rewards.js';
import { isActive, type NetworkParams } from '../../params/network.js';
import { Overlay } from '../../storage/overlay.js';
import type { WritableView } from '../../storage/view.js';
import { toHex } from '../../util/bytes.js';
import type { Abortable, MaybePromise, Steps } from '../../util/slicer.js';
import { Ownership } from '../keys/ownership.js';
import type { Wallet } from '../wallet.js';

/** Context for reading accounts. Reading materialises rewards, so the view must be a scratch overlay. */
export interface AccountReading {
  readonly view: WritableView;
  /** Height of the next block; rewards are materialised up to it. */
  readonly height: number;
  readonly params: NetworkParams;
}

/** The part of a wallet that decides about ownership. */
export type OwnershipJudge = Pick<Wallet, 'ownershipOf'>;

/** True if the wallet can spend from the account. @see docs/protocol/accounts.md 5.2 */
export function isMine(wallet: OwnershipJudge, owner: Uint8Array): boolean {
  return wallet.ownershipOf(owner) === Ownership.Spendable;
}

/** Scripts of masternodes that the wallet can spend from. */
function* ownMasternodeScripts(wallet: OwnershipJudge, { view, height, params }: AccountReading): Steps<Uint8Array[]> {
  const late = isActive(params, 'metachain', height);
  const own: Uint8Array[] = [];
  for (const [, node] of view.entries(masternodes)) {
    for (const script of [rewardScript(node, late), ownerScript(node)]) if (script.length > 0 && isMine(wallet, script)) own.push(script);
    yield;
  }
  return own;
}

/**
 * Materialises rewards of the wallet's masternode scripts, so that their accounts are listed: a coinbase credits an account without
 * listing its owner.
 * @see docs/protocol/accounts.md 5.1
 */
export function* listOwnMasternodes(wallet: OwnershipJudge, reading: AccountReading): Steps<void> {
  for (const script of yield* ownMasternodeScripts(wallet, reading)) {
    materialiseRewards(reading.view, script, reading);
    yield;
  }
}

/**
 * Non-empty accounts that the wallet can spend from, with their balances; shorter scripts first, then by bytes.
 * @param materialise materialises the rewards of an owner in the view
 */
export function* ownAccounts(
  wallet: OwnershipJudge,
  reading: AccountReading,
  materialise: (owner: Uint8Array) => Steps<void>,
): Steps<AccountAmounts> {
  const { view } = reading;
  // Searched before anything is materialised, because a scan may or may not see such changes.
  const own = yield* ownMasternodeScripts(wallet, reading);
  for (const owner of accountOwners(view)) {
    if (isMine(wallet, owner)) own.push(owner);
    yield;
  }
  const found = new Map<string, AccountAmounts[number]>();
  for (const owner of own) {
    yield* materialise(owner);
    const balances = [...balancesOf(view, owner)];
    if (balances.length > 0) found.set(toHex(owner), { owner, balances });
    yield;
  }
  return [...found.values()].sort((a, b) => compareOwners(a.owner, b.owner));
}

/**
 * {@link ownAccounts} at the tip, with rewards up to the next block. The number of accounts of the network may be very large, so they are
 * read in slices; blocks that are connected in between do not count.
 * @returns a promise if it takes long, which rejects with the reason of the signal if the call is aborted
 */
export function accountsToPayFrom(wallet: Pick<Wallet, 'ownershipOf' | 'deps'>, call: Abortable): MaybePromise<AccountAmounts> {
  const { chain } = wallet.deps;
  const { params } = chain;
  const height = chain.tip.height + 1;
  return readState(chain, call, (state) => {
    const reading = { view: new Overlay(state), height, params };
    // biome-ignore lint/correctness/useYield: a single step
    return ownAccounts(wallet, reading, function* materialise(owner) {
      materialiseRewards(reading.view, owner, reading);
    });
  });
}
