import type { AddMultisigAddressRequest, AddMultisigAddressResponse } from '../../../../gen/ts/dfi/wallet/v1/wallet.js';
import { COMPRESSED_KEY_SIZE, uncompressed } from '../../../crypto/ecdsa.js';
import type { Handler } from '../../../rpc/handler.js';
import { encodeDestination, scriptOf } from '../../../script/address.js';
import { KEYS_TO_READ, multisigDestination, multisigRedeemScript } from '../../../script/multisig.js';
import { toHex } from '../../../util/bytes.js';
import { NodeError } from '../../../util/errors.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { parseDestination } from '../../format/destination.js';
import { isPublicKeyHex, parsePublicKey } from '../../format/public-key.js';
import { requireLabel, requireMultisigType } from '../format/parse.js';
import { type WalletModules, walletOf } from '../modules.js';
import { keyIdOf } from './address-info.js';

/** @see docs/protocol/wallet.md 3.3 */
export const addMultisigAddress: Handler<WalletModules, AddMultisigAddressRequest, AddMultisigAddressResponse> = (
  modules,
  request,
  call,
) => {
  const wallet = walletOf(modules, call);
  const label = requireLabel(request.label ?? '');
  const { nrequired } = request;
  const keys = request.keys.slice(0, KEYS_TO_READ).map((text) => requirePublicKey(wallet, text));
  const type = requireMultisigType(request.addressType ?? wallet.deps.settings.addressType, keys, modules.chain);
  const script = multisigRedeemScript(nrequired, keys, request.keys.length);
  const destination = multisigDestination(script, keys, type);
  wallet.keys.addScript(script);
  // P2SH-wrapped witness scripts also need the witness program, which P2SH refers to by its hash.
  if (type !== 'legacy' && keys.every((key) => key.length === COMPRESSED_KEY_SIZE)) {
    wallet.keys.addScript(scriptOf(multisigDestination(script, keys, 'bech32')));
  }
  wallet.book.set(destination, label, 'send');
  wallet.commit();
  return { address: encodeDestination(destination, modules.chain.params.address), redeemscript: toHex(script) };
};

function requirePublicKey(wallet: Wallet, text: string): Uint8Array {
  if (isPublicKeyHex(text)) return parsePublicKey(text);
  const destination = parseDestination(text, wallet.deps.chain);
  if (!destination) throw new NodeError('invalid-address', `Invalid address: ${text}`);
  const keyId = keyIdOf(wallet.keys, destination);
  if (!keyId?.some((byte) => byte !== 0)) throw new NodeError('invalid-address', `${text} does not refer to a key`);
  const known = wallet.keys.publicKey(keyId);
  // An EVM address stands for the uncompressed form of its key.
  const key = known && destination.type === 'evm' ? uncompressed(known) : known;
  if (!key) throw new NodeError('invalid-address', `no full public key for address ${text}`);
  return key;
}
