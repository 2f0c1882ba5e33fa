import type { SpentOutput } from '../../consensus/transaction.js';
import type { AnyCustomTx } from '../../dfi/context/custom-tx.js';
import { applyCustomTx } from '../../dfi/execution/apply.js';
import type { OutPoint } from '../../primitives/outpoint.js';
import type { Transaction, TxOut } from '../../primitives/transaction.js';
import { MAX_SCRIPT_SIZE } from '../../script/script.js';
import { NodeError } from '../../util/errors.js';
import type { Wallet } from '../wallet.js';
import { outputOf } from './sign.js';

/** Replaces an output that the chain does not have. Its script is longer than that of any coin, so that it authorises none, not even the empty one. */
const NO_OUTPUT: TxOut = { value: 0n, scriptPubKey: new Uint8Array(MAX_SCRIPT_SIZE + 1), tokenId: 0 };

/**
 * Applies a custom transaction to the state of the tip, as if it were in the next block. Transactions in the mempool are ignored, as
 * they may never confirm; the mempool checks against them when the transaction is submitted.
 * @param auth auto-auth transaction whose outputs it spends
 * @throws {NodeError} `invalid-request`
 * @see docs/protocol/accounts.md 6.4
 */
export function testExecution({ deps: { chain } }: Wallet, { name }: AnyCustomTx, tx: Transaction, auth: Transaction | undefined): void {
  const { params, tip } = chain;
  const height = tip.height + 1;
  const coin = (point: OutPoint): TxOut | undefined => outputOf(auth, point) ?? chain.coin(point)?.out;
  const spent = tx.vin.map(({ prevout }): SpentOutput => ({ out: coin(prevout) ?? NO_OUTPUT, height, coinbase: false }));
  const blockTime = (at: number) => chain.entryAt(at)?.time;
  const block = { height, time: tip.time, params, coin, blockTime, evmStage: 'call' } as const;
  const outcome = applyCustomTx({ tx, txIndex: 0, spent }, block, chain.state);
  if (outcome.status !== 'failed') return;
  const prefix = `${name}Tx: `;
  const text = outcome.message.startsWith(prefix) ? outcome.message.slice(prefix.length) : outcome.message;
  const hint = outcome.lacksBalance ? " not enough balance on owner's account, call utxostoaccount to increase it." : '';
  throw new NodeError('invalid-request', `Test ${name}Tx execution failed:${hint}\n${text}`);
}
