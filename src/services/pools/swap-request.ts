import type { HeightContext } from '../../dfi/kernel/block-context.js';
import type { PoolPrice } from '../../dfi/pools/curve.js';
import { noMaxPrice, type Swap } from '../../dfi/pools/swap.js';
import { findTokenByText } from '../../dfi/tokens/queries.js';
import { isActive } from '../../params/network.js';
import { COIN } from '../../primitives/amount.js';
import { EMPTY_BYTES } from '../../util/bytes.js';
import { invalidParameter } from '../../util/errors.js';
import { INT64_MAX } from '../../util/numbers.js';
import { parseOwner } from '../format/owner.js';
import type { PoolsModules } from './modules.js';

/** Arguments that all swap operations share. */
export interface SwapRequest {
  readonly from?: string | undefined;
  readonly tokenfrom: string;
  readonly amountfrom?: bigint | undefined;
  readonly to?: string | undefined;
  readonly tokento: string;
  readonly maxprice?: bigint | undefined;
}

type SwapChain = Pick<PoolsModules['chain'], 'params' | 'tip' | 'state'>;

/** Swap context of the next block. */
export function nextBlock({ tip, params }: Pick<SwapChain, 'tip' | 'params'>): HeightContext {
  return { height: tip.height + 1, params };
}

/** Reads the fields in the order in which `defid` checks them. @throws {NodeError} */
export function readSwap(request: SwapRequest, chain: SwapChain): Swap {
  const { tokenfrom, tokento } = request;
  if (tokenfrom === '') throw invalidParameter('tokenFrom is empty');
  if (tokento === '') throw invalidParameter('tokenTo is empty');
  const from = request.from === undefined ? EMPTY_BYTES : parseOwner(request.from, chain);
  const amountFrom = request.amountfrom ?? 0n;
  const to = request.to === undefined ? EMPTY_BYTES : parseOwner(request.to, chain);
  const tokenFrom = requireToken(chain, tokenfrom, 'TokenFrom');
  const tokenTo = requireToken(chain, tokento, 'TokenTo');
  const { maxprice } = request;
  const maxPrice = maxprice === undefined ? unlimited(chain) : priceOf(maxprice);
  return { from, tokenFrom, amountFrom, to, tokenTo, maxPrice };
}

function priceOf(price: bigint): PoolPrice {
  return { integer: price / COIN, fraction: price % COIN };
}

/** Price that limits nothing, as `defid` writes it to messages: from Metachain on a higher one than the least of them. */
function unlimited(chain: SwapChain): PoolPrice {
  const next = nextBlock(chain);
  return isActive(next.params, 'metachain', next.height) ? priceOf(INT64_MAX) : noMaxPrice(next);
}

function requireToken({ state }: SwapChain, text: string, what: string): number {
  const found = findTokenByText(state, text);
  if (!found) throw invalidParameter(`${what} was not found`);
  return found.id;
}
