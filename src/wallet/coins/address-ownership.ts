import { destinationOf, scriptOf } from '../../script/address.js';
import { isPublicKeyScript } from '../../script/standard.js';
import type { Ownership } from '../keys/ownership.js';
import type { WalletTx } from '../txs/wallet-tx.js';
import type { Wallet } from '../wallet.js';

/**
 * Ownership of the address that each output pays, as lists of payments show it. For an output to a bare public key, that is the address of
 * the key's hash. The wallet may watch this address and not the output, or the reverse.
 */
export function addressOwnership(wallet: Wallet, wtx: WalletTx): readonly Ownership[] {
  return wallet.outputOwnership(wtx).map((own, vout) => {
    const script = wtx.tx.vout[vout]?.scriptPubKey;
    const destination = script && isPublicKeyScript(script) ? destinationOf(script) : undefined;
    return destination ? wallet.ownershipOf(scriptOf(destination)) : own;
  });
}
