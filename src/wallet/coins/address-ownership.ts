import { destinationOf, scriptOf } from '../../script/address.js';
import { classify } from '../../script/standard.js';
import type { Ownership } from '../keys/ownership.js';
import type { WalletTx } from '../txs/wallet-tx.js';
import type { Wallet } from '../wallet.js';

/** Sizes of a script with a compressed and with an uncompressed key. */
const BARE_KEY_SIZES: ReadonlySet<number> = new Set([35, 67]);

/**
 * Ownership of the address that each output pays, as lists of payments show it. An output that pays a bare public key has the address of
 * the hash of the key, which may be watched although the output is not, or the other way round.
 */
export function addressOwnership(wallet: Wallet, wtx: WalletTx): readonly Ownership[] {
  return wallet.outputOwnership(wtx).map((own, vout) => {
    const script = wtx.tx.vout[vout]?.scriptPubKey;
    if (!script || !BARE_KEY_SIZES.has(script.length) || classify(script).type !== 'pubkey') return own;
    const destination = destinationOf(script);
    return destination ? wallet.ownershipOf(scriptOf(destination)) : own;
  });
}
