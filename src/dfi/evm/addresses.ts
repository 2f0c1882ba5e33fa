import * as contracts from '../../evm/contracts/addresses.js';
import { addressBytes, addressWord } from '../../evm/words.js';
import { EVM_ADDRESS_SIZE } from '../../script/erc55.js';

/** Address of the contract for all transfers between DVM and EVM, 20 bytes. @see docs/protocol/evm.md 5.1 */
export const TRANSFER_DOMAIN: Uint8Array = addressBytes(contracts.TRANSFER_DOMAIN);

/** Address of a token's DST20 contract: 0xff, then its id. @see docs/protocol/evm.md 5.2 */
export function tokenContract(tokenId: number): Uint8Array {
  return addressBytes(contracts.tokenAddress(tokenId));
}

/** True for addresses that the network reserves for its contracts. @see docs/protocol/evm.md 5.1 */
export function isReserved(address: Uint8Array): boolean {
  return contracts.isReservedAddress(addressWord(address));
}

/** Precompiled contracts that fail when a transfer calls them, because of too little gas or missing arguments. */
const REFUSING = new Set([1, 7, 8, 9]);

/** True for precompiled contracts that revert a transfer of DFI. */
export function refusesCoins(address: Uint8Array): boolean {
  return address.subarray(0, EVM_ADDRESS_SIZE - 1).every((byte) => byte === 0) && REFUSING.has(address[EVM_ADDRESS_SIZE - 1] ?? 0);
}
