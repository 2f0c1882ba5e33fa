import { COINBASE_MATURITY, isFinal } from '../../consensus/transaction.js';
import { COLLATERAL_OUTPUT } from '../../dfi/context/auth.js';
import { isCollateralReleased, mayHoldCollateral } from '../../dfi/masternodes/collateral.js';
import { Ownership } from '../keys/ownership.js';
import type { WalletTx } from '../txs/wallet-tx.js';
import type { Wallet } from '../wallet.js';

/** Which outputs count: those that the wallet can spend, those that it watches, or both. */
export type OutputFilter = (ownership: Ownership) => boolean;

export const spendableOutputs: OutputFilter = (ownership) => ownership === Ownership.Spendable;
export const watchedOutputs: OutputFilter = (ownership) => ownership === Ownership.Watched;
export const ownOutputs: OutputFilter = (ownership) => ownership !== Ownership.None;

export function filterOf(includeWatched: boolean): OutputFilter {
  return includeWatched ? ownOutputs : spendableOutputs;
}

/** The next block may hold it. */
export function isFinalNow({ deps: { chain } }: Wallet, { tx }: WalletTx): boolean {
  return isFinal(tx, chain.tip.height + 1, chain.tip.medianTimePast());
}

/** A coinbase whose outputs cannot be spent yet. */
export function isImmature({ deps: { chain } }: Wallet, wtx: WalletTx): boolean {
  return wtx.isCoinbase && wtx.depth(chain) <= COINBASE_MATURITY;
}

/** DFI of outputs of the wallet that a transaction spends: of those that the wallet can spend, and of those that it watches. */
export interface Debits {
  readonly spendable: bigint;
  readonly watched: bigint;
}

export function debitsOf(wallet: Wallet, { tx }: Pick<WalletTx, 'tx'>): Debits {
  let [spendable, watched] = [0n, 0n];
  for (const { prevout } of tx.vin) {
    const parent = wallet.txs.get(prevout.txid);
    const out = parent?.tx.vout[prevout.vout];
    if (!parent || !out || out.tokenId !== 0) continue;
    const ownership = wallet.outputsOf(parent)[prevout.vout];
    if (ownership === Ownership.Spendable) spendable += out.value;
    else if (ownership === Ownership.Watched) watched += out.value;
  }
  return { spendable, watched };
}

/** Those that count. Satoshis. */
export function debitOf(wallet: Wallet, wtx: Pick<WalletTx, 'tx'>, filter: OutputFilter): bigint {
  return debitIn(debitsOf(wallet, wtx), filter);
}

export function debitIn({ spendable, watched }: Debits, filter: OutputFilter): bigint {
  return (filter(Ownership.Spendable) ? spendable : 0n) + (filter(Ownership.Watched) ? watched : 0n);
}

/**
 * Whether what a transaction pays may be relied upon: it is in a block, or it waits in the mempool and is the wallet's own from
 * end to end. @see docs/protocol/wallet.md 2.4
 */
export function isTrusted(wallet: Wallet, wtx: WalletTx): boolean {
  const { chain, settings } = wallet.deps;
  if (!isFinalNow(wallet, wtx)) return false;
  const depth = wtx.depth(chain);
  if (depth !== 0) return depth > 0;
  if (!settings.spendUnconfirmedChange || !wallet.isInMempool(wtx) || wtx.tx.vin.length === 0) return false;
  return wtx.tx.vin.every(({ prevout }) => {
    const parent = wallet.txs.get(prevout.txid);
    return parent !== undefined && wallet.outputsOf(parent)[prevout.vout] === Ownership.Spendable;
  });
}

/** Output 1 of the transaction that made a masternode or a token cannot be spent while it is its collateral. */
export function isLockedCollateral({ deps: { chain } }: Wallet, { tx, isCoinbase }: WalletTx, vout: number): boolean {
  if (vout !== COLLATERAL_OUTPUT || (!isCoinbase && !mayHoldCollateral(tx))) return false;
  return !isCollateralReleased(chain.state, tx.txid, chain.tip.height + 1, chain.params);
}
