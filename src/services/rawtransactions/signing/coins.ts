import type { OutPoint } from '../../../primitives/outpoint.js';
import type { TxOut } from '../../../primitives/transaction.js';
import type { RawtransactionsModules } from '../modules.js';

/** Modules for looking up unspent outputs. */
export interface CoinModules {
  readonly chain: Pick<RawtransactionsModules['chain'], 'coin'>;
  readonly mempool: { readonly pool: Pick<RawtransactionsModules['mempool']['pool'], 'output'> };
}

/** Output of a mempool transaction or unspent output of the chain; outputs spent in the mempool are found too. */
export function findOutput({ chain, mempool }: CoinModules, point: OutPoint): TxOut | undefined {
  return mempool.pool.output(point) ?? chain.coin(point)?.out;
}
