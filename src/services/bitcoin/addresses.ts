import type {
  SpvDumpPrivKeyRequest,
  SpvDumpPrivKeyResponse,
  SpvGetAddressPubkeyRequest,
  SpvGetAddressPubkeyResponse,
  SpvGetAllAddressesRequest,
  SpvGetAllAddressesResponse,
  SpvGetNewAddressRequest,
  SpvGetNewAddressResponse,
  SpvValidateAddressRequest,
  SpvValidateAddressResponse,
} from '../../../gen/ts/dfi/node/v1/bitcoin.js';
import { bitcoinAddressOfKey, hashOfBitcoinAddress, isBitcoinAddress } from '../../bitcoin/addresses.js';
import { BITCOIN_REGTEST } from '../../bitcoin/regtest-bitcoin.js';
import type { BitcoinWallet } from '../../bitcoin/wallet.js';
import { hash160 } from '../../crypto/hash.js';
import { formatWif } from '../../crypto/keys.js';
import type { Hash160 } from '../../primitives/hash.js';
import type { Handler } from '../../rpc/handler.js';
import { toHex } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import type { Wallet } from '../../wallet/wallet.js';
import { requireBitcoin } from '../anchors/modules.js';
import { walletOf } from '../wallet/modules.js';
import { type BitcoinModules, KEY_PURPOSE } from './modules.js';

export const spvGetNewAddress: Handler<BitcoinModules, SpvGetNewAddressRequest, SpvGetNewAddressResponse> = (modules, _request, call) => {
  const wallet = walletOf(modules, call);
  return { address: bitcoinAddressOfKey(newBitcoinKey(wallet, requireBitcoin(modules))) };
};

/**
 * Takes a key of the wallet's pool for a Bitcoin address, and adds the address to the address book.
 * @returns id of the key
 * @throws {NodeError} `keypool-ran-out`
 */
export function newBitcoinKey(wallet: Wallet, bitcoin: BitcoinWallet): Hash160 {
  const keyId = hash160(takeKey(wallet));
  wallet.book.set({ type: 'wpkh', hash: keyId }, KEY_PURPOSE, KEY_PURPOSE);
  wallet.commit();
  bitcoin.add({ kind: 'key', hash: keyId });
  return keyId;
}

/** Takes a key of the wallet's pool; the caller commits. @returns the public key @throws {NodeError} `keypool-ran-out` */
export function takeKey({ keyChain, keyPool }: Wallet): Uint8Array {
  const reserved = keyChain.reserve(false);
  if (!reserved) throw new NodeError('keypool-ran-out', 'Error: Keypool ran out, please call keypoolrefill first');
  keyPool.keep(reserved);
  return reserved.entry.publicKey;
}

export const spvGetAddressPubkey: Handler<BitcoinModules, SpvGetAddressPubkeyRequest, SpvGetAddressPubkeyResponse> = (
  modules,
  request,
  call,
) => {
  const { keys } = walletOf(modules, call);
  requireBitcoin(modules);
  const publicKey = keys.publicKey(requireHash(request.address));
  if (!publicKey) throw new NodeError('invalid-address', `no full public key for address ${request.address}`);
  return { pubkey: toHex(publicKey) };
};

/** Hash of a key or script in an address. @throws {NodeError} `invalid-address` */
export function requireHash(address: string): Hash160 {
  if (!isBitcoinAddress(address)) throw new NodeError('invalid-address', 'Error: Invalid address');
  const hash = hashOfBitcoinAddress(address);
  if (!hash) throw new NodeError('invalid-address', `${address} does not refer to a key`);
  return hash;
}

export const spvDumpPrivKey: Handler<BitcoinModules, SpvDumpPrivKeyRequest, SpvDumpPrivKeyResponse> = (modules, request, call) => {
  const { keys } = walletOf(modules, call);
  requireBitcoin(modules);
  keys.requireUnlocked();
  const { address } = request;
  const keyId = hashOfBitcoinAddress(address);
  if (!keyId) throw new NodeError('invalid-address', 'Invalid Bitcoin address');
  const key = keys.privateKey(keyId);
  if (!key) throw new NodeError('wallet', `Private key for address ${address} is not known`);
  return { key: formatWif(key, BITCOIN_REGTEST) };
};

export const spvValidateAddress: Handler<BitcoinModules, SpvValidateAddressRequest, SpvValidateAddressResponse> = (modules, request) => {
  const bitcoin = requireBitcoin(modules);
  const { address } = request;
  const isvalid = isBitcoinAddress(address);
  const hash = isvalid ? hashOfBitcoinAddress(address) : undefined;
  return { isvalid, ismine: hash !== undefined && bitcoin.kindOf(hash) !== undefined };
};

export const spvGetAllAddresses: Handler<BitcoinModules, SpvGetAllAddressesRequest, SpvGetAllAddressesResponse> = (modules) => ({
  addresses: requireBitcoin(modules).keys().map(bitcoinAddressOfKey).sort(),
});
