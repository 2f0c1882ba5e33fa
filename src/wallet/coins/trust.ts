import { COINBASE_MATURITY, isFinal } from '../../consensus/transaction.js';
import { COLLATERAL_OUTPUT } from '../../dfi/context/auth.js';
import { isCollateralReleased, mayHoldCollateral } from '../../dfi/masternodes/collateral.js';
import { Ownership } from '../keys/ownership.js';
import type { WalletTx } from '../txs/wallet-tx.js';
import type { Wallet } from '../wallet.js';

/** Selects outputs by ownership: spendable, watch-only, or both. */
export type OutputFilter = (ownership: Ownership) => boolean;

export const spendableOutputs: OutputFilter = (ownership) => ownership === Ownership.Spendable;
export const watchedOutputs: OutputFilter = (ownership) => ownership === Ownership.Watched;
export const ownOutputs: OutputFilter = (ownership) => ownership !== Ownership.None;

export function filterOf(includeWatched: boolean): OutputFilter {
  return includeWatched ? ownOutputs : spendableOutputs;
}

/** True if the lock time allows the transaction in the next block. */
export function isFinalNow({ deps: { chain } }: Wallet, { tx }: WalletTx): boolean {
  return isFinal(tx, chain.tip.height + 1, chain.tip.medianTimePast());
}

/** True for a coinbase whose outputs cannot be spent yet. */
export function isImmature({ deps: { chain } }: Wallet, wtx: WalletTx): boolean {
  return wtx.isCoinbase && wtx.depth(chain) <= COINBASE_MATURITY;
}

/** DFI of the wallet's outputs that a transaction spends, in satoshis: spendable ones and watch-only ones. */
export interface Debits {
  readonly spendable: bigint;
  readonly watched: bigint;
}

/** @see docs/protocol/wallet.md 2.4 */
export function debitsOf(wallet: Wallet, { tx }: Pick<WalletTx, 'tx'>): Debits {
  let [spendable, watched] = [0n, 0n];
  for (const { prevout } of tx.vin) {
    const parent = wallet.txs.get(prevout.txid);
    const out = parent?.tx.vout[prevout.vout];
    if (!parent || !out || out.tokenId !== 0) continue;
    const ownership = wallet.outputOwnership(parent)[prevout.vout];
    if (ownership === Ownership.Spendable) spendable += out.value;
    else if (ownership === Ownership.Watched) watched += out.value;
  }
  return { spendable, watched };
}

/** True if the transaction spends outputs of the wallet that have a value, watch-only ones included. */
export function spendsOwnCoins(wallet: Wallet, { tx }: Pick<WalletTx, 'tx'>): boolean {
  return tx.vin.some(({ prevout }) => {
    const parent = wallet.txs.get(prevout.txid);
    const out = parent?.tx.vout[prevout.vout];
    return parent !== undefined && out !== undefined && out.value > 0n && ownOutputs(wallet.outputOwnership(parent)[prevout.vout] ?? 0);
  });
}

/** Debit of the outputs that the filter selects, satoshis. */
export function debitOf(wallet: Wallet, wtx: Pick<WalletTx, 'tx'>, filter: OutputFilter): bigint {
  return debitIn(debitsOf(wallet, wtx), filter);
}

/** Part of the debits that the filter selects, satoshis. */
export function debitIn({ spendable, watched }: Debits, filter: OutputFilter): bigint {
  return (filter(Ownership.Spendable) ? spendable : 0n) + (filter(Ownership.Watched) ? watched : 0n);
}

/**
 * True if outputs of the transaction count towards the trusted balance: it is in a block, or it is in the mempool and spends only
 * spendable outputs of the wallet. @see docs/protocol/wallet.md 2.4
 */
export function isTrusted(wallet: Wallet, wtx: WalletTx): boolean {
  const { chain, settings } = wallet.deps;
  if (!isFinalNow(wallet, wtx)) return false;
  const depth = wtx.depth(chain);
  if (depth !== 0) return depth > 0;
  if (!settings.spendUnconfirmedChange || !wallet.isInMempool(wtx) || wtx.tx.vin.length === 0) return false;
  return wtx.tx.vin.every(({ prevout }) => {
    const parent = wallet.txs.get(prevout.txid);
    return parent !== undefined && wallet.outputOwnership(parent)[prevout.vout] === Ownership.Spendable;
  });
}

/** True for output 1 of a transaction that created a masternode or a token, while it is the collateral. */
export function isLockedCollateral({ deps: { chain } }: Wallet, { tx, isCoinbase }: WalletTx, vout: number): boolean {
  if (vout !== COLLATERAL_OUTPUT || (!isCoinbase && !mayHoldCollateral(tx))) return false;
  return !isCollateralReleased(chain.state, tx.txid, chain.tip.height + 1, chain.params);
}
