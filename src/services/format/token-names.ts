import { byteText } from '../../dfi/kernel/text.js';
import { tokenByCreation, tokenBySymbol } from '../../dfi/tokens/columns.js';
import { HASH_DIGITS, parseHash256 } from '../../primitives/hash.js';
import type { StateView } from '../../storage/view.js';
import { isHex } from '../../util/bytes.js';

/** Look-up of tokens by name. */
export interface TokenNames {
  /** @param name symbol, symbol#id or 64 hex digits of the creation txid @returns undefined for no token */
  idOf(name: string): number | undefined;
}

/** Look-up in the tokens of a state. @see docs/protocol/accounts.md 4.1 */
export function tokenNames(state: StateView): TokenNames {
  return {
    idOf(name) {
      const byTxid = name.length === HASH_DIGITS && isHex(name);
      return (byTxid ? tokenByCreation(state, parseHash256(name)) : tokenBySymbol(state, byteText(name)))?.id;
    },
  };
}
