import { destinationOf, scriptOf } from '../../script/address.js';
import { isPublicKeyScript } from '../../script/standard.js';
import type { Ownership } from '../keys/ownership.js';
import type { WalletTx } from '../txs/wallet-tx.js';
import type { Wallet } from '../wallet.js';

/**
 * Ownership of the address that each output pays, as lists of payments show it. An output that pays a bare public key has the address of
 * the hash of the key, which may be watched although the output is not, or the other way round.
 */
export function addressOwnership(wallet: Wallet, wtx: WalletTx): readonly Ownership[] {
  return wallet.outputOwnership(wtx).map((own, vout) => {
    const script = wtx.tx.vout[vout]?.scriptPubKey;
    const destination = script && isPublicKeyScript(script) ? destinationOf(script) : undefined;
    return destination ? wallet.ownershipOf(scriptOf(destination)) : own;
  });
}
