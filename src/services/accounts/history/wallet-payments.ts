import type { AccountHistoryRecord } from '../../../../gen/ts/dfi/accounts/v1/accounts.js';
import type { BlockIndexEntry } from '../../../chain/block-index.js';
import { formatHash } from '../../../primitives/hash.js';
import { type Destination, destinationOf, encodeDestination, scriptOf } from '../../../script/address.js';
import { equalBytes } from '../../../util/bytes.js';
import { entriesOf } from '../../../wallet/coins/history.js';
import { isTrusted, ownOutputs, spendableOutputs } from '../../../wallet/coins/trust.js';
import type { WalletTx } from '../../../wallet/txs/wallet-tx.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { formatTokenAmount } from '../../format/amounts.js';
import type { EntryForm } from './entry-format.js';

/** Payment of the wallet, sent or received, as account histories list it. */
export interface WalletPayment {
  readonly wtx: WalletTx;
  readonly block: BlockIndexEntry;
  readonly height: number;
  /** Index of the transaction in its block. */
  readonly index: number;
  readonly destination: Destination;
  /** Satoshis; negative if sent. */
  readonly amount: bigint;
}

/**
 * Payments of a wallet whose transaction is in a block, or was in a block that is now disconnected. The latest transaction comes first;
 * within it, sent payments precede received ones.
 * @param account script of the account; undefined for all addresses
 * @param mine exclude watch-only addresses
 */
export function* paymentsOf(wallet: Wallet, account: Uint8Array | undefined, mine: boolean): Generator<WalletPayment> {
  const filter = mine ? spendableOutputs : ownOutputs;
  // A script without an address does not filter.
  const only = account && destinationOf(account) ? account : undefined;
  const known = wallet.txs.inOrder();
  for (let i = known.length - 1; i >= 0; i--) {
    const wtx = known[i] as WalletTx;
    const { status } = wtx;
    const block = status.kind === 'confirmed' ? status.block.entry : undefined;
    if (status.kind !== 'confirmed' || !block || block.height === 0 || !isTrusted(wallet, wtx)) continue;
    for (const { destination, amount } of entriesOf(wallet, wtx, { filter })) {
      if (!destination || (only && !equalBytes(only, scriptOf(destination)))) continue;
      yield { wtx, block, height: block.height, index: status.index, destination, amount };
    }
  }
}

/** @see docs/protocol/accounts.md 5.5 */
export function formatPayment({ wtx, block, height, index, destination, amount }: WalletPayment, form: EntryForm): AccountHistoryRecord {
  const { chain, view, naming } = form;
  return {
    owner: encodeDestination(destination, chain.params.address),
    blockheight: height,
    blockhash: formatHash(block.hash),
    blocktime: block.time,
    type: wtx.isCoinbase ? 'blockReward' : amount < 0n ? 'sent' : 'receive',
    txn: index,
    txid: formatHash(wtx.tx.txid),
    amounts: { amounts: [formatTokenAmount(view, { tokenId: 0, amount }, naming)] },
  };
}
