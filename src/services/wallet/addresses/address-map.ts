import type { MappedAddress } from '../../../../gen/ts/dfi/wallet/v1/records.js';
import type { AddressMapRequest, AddressMapResponse } from '../../../../gen/ts/dfi/wallet/v1/wallet.js';
import { compressed, uncompressed } from '../../../crypto/ecdsa.js';
import { hash160 } from '../../../crypto/hash.js';
import type { Handler } from '../../../rpc/handler.js';
import { type Destination, decodeDestination, encodeDestination } from '../../../script/address.js';
import { evmAddressOf, formatErc55, parseErc55 } from '../../../script/erc55.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { type WalletModules, walletOf } from '../modules.js';

/** Directions of the conversion. */
const AUTO = 0;
const TO_EVM = 1;
const FROM_EVM = 2;

/** @see docs/protocol/wallet.md 3.4, docs/protocol/evm.md 2.4 */
export const addressMap: Handler<WalletModules, AddressMapRequest, AddressMapResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  const { input, type: wanted } = request;
  if (wanted < AUTO || wanted > FROM_EVM) throw invalidParameter('Invalid type parameter');
  const evm = parseErc55(input);
  const prefixes = modules.chain.params.address;
  const keyId = evm ? undefined : keyIdOf(decodeDestination(input, prefixes));
  const type = wanted === AUTO ? kindOf(evm, keyId) : wanted;
  if (type === TO_EVM) {
    if (!keyId) throw invalidParameter('Invalid address format');
    return { input, type, format: toEvm(requireKey(wallet.keys.publicKey(keyId) ?? wallet.keys.publicKeyOfLongForm(keyId), keyId, input)) };
  }
  if (!evm) throw invalidParameter('Invalid address format');
  const publicKey = requireKey(wallet.keys.publicKeyOfEvm(evm), evm, input);
  const legacy = hash160(uncompressed(publicKey) ?? publicKey);
  const bech32 = hash160(compressed(publicKey) ?? publicKey);
  const format = {
    erc55: undefined,
    bech32: encodeDestination({ type: 'wpkh', hash: bech32 }, prefixes),
    legacy: encodeDestination({ type: 'pkh', hash: legacy }, prefixes),
  };
  return { input, type, format };
};

/** Key id of a single-key address. */
function keyIdOf(destination: Destination | undefined): Uint8Array | undefined {
  return destination?.type === 'pkh' || destination?.type === 'wpkh' ? destination.hash : undefined;
}

function kindOf(evm: Uint8Array | undefined, keyId: Uint8Array | undefined): number {
  if (keyId) return TO_EVM;
  if (evm) return FROM_EVM;
  throw invalidParameter('Unsupported type or unable to determine conversion type automatically from the input');
}

function requireKey(publicKey: Uint8Array | undefined, hash: Uint8Array, input: string): Uint8Array {
  if (hash.every((byte) => byte === 0)) throw new NodeError('invalid-address', `${input} does not refer to a key`);
  if (!publicKey) throw new NodeError('invalid-address', `no full public key for address ${input}`);
  return publicKey;
}

function toEvm(publicKey: Uint8Array): MappedAddress {
  const address = evmAddressOf(publicKey);
  if (!address) throw new NodeError('internal', 'a public key of the wallet is no point of the curve');
  return { erc55: formatErc55(address), bech32: undefined, legacy: undefined };
}
