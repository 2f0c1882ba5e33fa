import type { AddressPurpose } from '../../../../gen/ts/dfi/wallet/v1/records.js';
import type {
  GetAddressesByLabelRequest,
  GetAddressesByLabelResponse,
  GetNewAddressRequest,
  GetNewAddressResponse,
  GetRawChangeAddressRequest,
  GetRawChangeAddressResponse,
  KeypoolRefillRequest,
  KeypoolRefillResponse,
  ListLabelsRequest,
  ListLabelsResponse,
  SetLabelRequest,
  SetLabelResponse,
} from '../../../../gen/ts/dfi/wallet/v1/wallet.js';
import type { Handler } from '../../../rpc/handler.js';
import { LongMap } from '../../../rpc/long-map.js';
import { encodeDestination, scriptOf } from '../../../script/address.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { eachInSlices, Slicer, withValue } from '../../../util/slicer.js';
import type { NamedDestination } from '../../../wallet/keys/address-book.js';
import { MAX_POOL_SIZE } from '../../../wallet/keys/key-pool.js';
import { Ownership } from '../../../wallet/keys/ownership.js';
import { requireAddress, requireKeyAddressType, requireLabel } from '../format/parse.js';
import { type WalletModules, walletOf } from '../modules.js';

const NO_KEYS = 'Error: This wallet has no available keys';

/** @see docs/protocol/wallet.md 3.15 */
export const getNewAddress: Handler<WalletModules, GetNewAddressRequest, GetNewAddressResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  if (!wallet.canGiveAddresses(false)) throw new NodeError('wallet', NO_KEYS);
  const label = requireLabel(request.label ?? '');
  const { addressType } = request;
  const type = addressType === undefined ? wallet.deps.settings.addressType : requireKeyAddressType(addressType, modules.chain);
  return { address: encodeDestination(wallet.newAddress(label, type), modules.chain.params.address) };
};

/** @see docs/protocol/wallet.md 3.16 */
export const getRawChangeAddress: Handler<WalletModules, GetRawChangeAddressRequest, GetRawChangeAddressResponse> = (
  modules,
  request,
  call,
) => {
  const wallet = walletOf(modules, call);
  if (!wallet.canGiveAddresses(true)) throw new NodeError('wallet', NO_KEYS);
  const { addressType } = request;
  const { settings } = wallet.deps;
  const type =
    addressType === undefined ? (settings.changeType ?? settings.addressType) : requireKeyAddressType(addressType, modules.chain);
  return { address: encodeDestination(wallet.newChangeAddress(type), modules.chain.params.address) };
};

/** @see docs/protocol/wallet.md 3.46 */
export const setLabel: Handler<WalletModules, SetLabelRequest, SetLabelResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  const destination = requireAddress(request.address, modules.chain);
  const label = requireLabel(request.label);
  const owned = wallet.ownershipOf(scriptOf(destination)) !== Ownership.None;
  wallet.book.set(destination, label, owned ? 'receive' : 'send');
  wallet.commit();
  return {};
};

/** @see docs/protocol/wallet.md 3.30 */
export const listLabels: Handler<WalletModules, ListLabelsRequest, ListLabelsResponse> = (modules, request, call) => {
  const { book } = walletOf(modules, call);
  const { purpose = '' } = request;
  const labels = new Set<string>();
  const note = (entry: NamedDestination): void => {
    if (purpose === '' || entry.purpose === purpose) labels.add(entry.label);
  };
  const noted = eachInSlices([...book.entries()], note, call);
  return withValue(noted, () => ({ labels: [...labels].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))) }));
};

/** @see docs/protocol/wallet.md 3.11 */
export const getAddressesByLabel: Handler<WalletModules, GetAddressesByLabelRequest, GetAddressesByLabelResponse> = async (
  modules,
  request,
  call,
) => {
  const { book } = walletOf(modules, call);
  const label = requireLabel(request.label);
  const { address } = modules.chain.params;
  const found = new LongMap<AddressPurpose>();
  const list = ({ destination, purpose, label: own }: NamedDestination): void => {
    if (own === label) found.set(encodeDestination(destination, address), { purpose });
  };
  await eachInSlices(await book.inOrder(new Slicer(call)), list, call);
  if (found.entries.length === 0) throw new NodeError('invalid-label', `No addresses with label ${label}`);
  return { addresses: found.inMessage() };
};

/** @see docs/protocol/wallet.md 3.28 */
export const keypoolRefill: Handler<WalletModules, KeypoolRefillRequest, KeypoolRefillResponse> = async (modules, request, call) => {
  const wallet = walletOf(modules, call);
  if (wallet.privateKeysDisabled) throw new NodeError('wallet', 'Error: Private keys are disabled for this wallet');
  const { newsize } = request;
  if (newsize !== undefined && newsize < 0) throw invalidParameter('Invalid parameter, expected valid size.');
  if (newsize !== undefined && newsize > MAX_POOL_SIZE) {
    throw invalidParameter(`Invalid parameter, at most ${MAX_POOL_SIZE} keys are kept ready.`);
  }
  wallet.keys.requireUnlocked();
  await wallet.keyChanges.topUp(newsize || wallet.deps.settings.keypoolSize, call.signal);
  const { keyPool } = wallet;
  // As in `defid`, the default size is not checked: a wallet without a seed gets no keys, and no error.
  if (keyPool.size(false) + keyPool.size(true) < (newsize ?? 0)) throw new NodeError('wallet', 'Error refreshing keypool.');
  return {};
};
