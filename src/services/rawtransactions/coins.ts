import type { OutPoint } from '../../primitives/outpoint.js';
import type { TxOut } from '../../primitives/transaction.js';
import type { RawtransactionsModules } from './modules.js';

/** Where outputs that can be spent are looked up. */
export interface CoinModules {
  readonly chain: Pick<RawtransactionsModules['chain'], 'coin'>;
  readonly mempool: { readonly pool: Pick<RawtransactionsModules['mempool']['pool'], 'output'> };
}

/** An output of a transaction in the mempool or an unspent one of the chain, spent in the mempool or not. */
export function findOutput({ chain, mempool }: CoinModules, point: OutPoint): TxOut | undefined {
  return mempool.pool.output(point) ?? chain.coin(point)?.out;
}
