import { NULL_HASH } from '../../primitives/hash.js';
import type { WritableView } from '../../storage/view.js';
import { putToken, TokenFlag } from './columns.js';

/** Creates DFI, the token of the genesis block. @see docs/protocol/accounts.md 4.1 */
export function createNativeToken(view: WritableView): void {
  putToken(view, 0, {
    symbol: 'DFI',
    name: 'Default Defi token',
    decimal: 8,
    limit: 0n,
    flags: TokenFlag.dat | TokenFlag.tradeable | TokenFlag.finalized,
    minted: 0n,
    creationTx: NULL_HASH,
    destructionTx: NULL_HASH,
    creationHeight: 0,
    destructionHeight: -1,
  });
}
