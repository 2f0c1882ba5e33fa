import { isPublicKey } from '../../../crypto/ecdsa.js';
import {
  type AddressPrefixes,
  type Destination,
  decodeDestination,
  destinationOf,
  scriptOf,
  vmOwnerText,
} from '../../../script/address.js';
import { erc55Of } from '../../../script/erc55.js';
import { NodeError } from '../../../util/errors.js';
import type { Wallet } from '../../../wallet/wallet.js';

/** Script of a DVM or EVM address. @returns undefined if the text is no address */
export function vmScriptOf(text: string, address: AddressPrefixes): Uint8Array | undefined {
  const destination = decodeDestination(text, address, { metachain: true });
  return destination && scriptOf(destination);
}

/**
 * Public key of the wallet for a DVM or EVM address.
 * @throws {NodeError} `invalid-address`
 * @see docs/protocol/evm.md 2.4
 */
export function requireKeyOf(wallet: Wallet, script: Uint8Array): Uint8Array {
  const { keys, deps } = wallet;
  const evm = erc55Of(script);
  const hash = evm ?? keyIdOf(wallet, destinationOf(script));
  const text = vmOwnerText(script, deps.chain.params.address);
  if (!hash || hash.every((byte) => byte === 0)) throw new NodeError('invalid-address', `${text} does not refer to a key`);
  const publicKey = evm ? keys.publicKeyOfEvm(evm) : (keys.publicKey(hash) ?? keys.publicKeyOfLongForm(hash));
  if (!publicKey) throw new NodeError('invalid-address', `no full public key for address ${text}`);
  if (!isPublicKey(publicKey)) throw new NodeError('internal', 'Wallet contains an invalid public key');
  return publicKey;
}

function keyIdOf({ keys }: Wallet, destination: Destination | undefined): Uint8Array | undefined {
  if (destination?.type === 'pkh' || destination?.type === 'wpkh') return destination.hash;
  const redeem = destination?.type === 'sh' ? keys.script(destination.hash) : undefined;
  const inner = redeem && destinationOf(redeem);
  return inner?.type === 'wpkh' ? inner.hash : undefined;
}
