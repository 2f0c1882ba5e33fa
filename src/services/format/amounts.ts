import type { TokenAmount as ShownAmount } from '../../../gen/ts/dfi/types/v1/types.js';
import type { TokenAmount } from '../../dfi/kernel/amounts.js';
import { readableText } from '../../dfi/kernel/text.js';
import { getToken, symbolKey } from '../../dfi/tokens/columns.js';
import type { StateView } from '../../storage/view.js';

/** Name of a token in shown amounts: its symbol key or its id. */
export type TokenNaming = 'symbol' | 'id';

/** Unique symbol of a token, `GOLD#128`; empty if there is no such token. */
export function tokenSymbol(view: StateView, tokenId: number): string {
  const token = getToken(view, tokenId);
  return token ? readableText(symbolKey(token, tokenId)) : '';
}

/** Amount as operations show it: satoshis, with the token's symbol key or id. */
export function formatTokenAmount(view: StateView, { tokenId, amount }: TokenAmount, naming: TokenNaming = 'symbol'): ShownAmount {
  return { tokenId, amount, token: naming === 'id' ? String(tokenId) : tokenSymbol(view, tokenId) };
}
