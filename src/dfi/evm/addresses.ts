import { EVM_ADDRESS_SIZE } from '../../script/erc55.js';
import { fromHex } from '../../util/bytes.js';

const SYSTEM_PREFIX = 0xdf;
const TOKEN_PREFIX = 0xff;
/** Number of addresses reserved for each prefix in the EVM genesis. */
const SYSTEM_RESERVED = 0x80;
const TOKENS_RESERVED = 0x400;

/** Address of the contract for all transfers between DVM and EVM. @see docs/protocol/evm.md 5.1 */
export const TRANSFER_DOMAIN: Uint8Array = numbered(SYSTEM_PREFIX, 1);

/** Address of a token's DST20 contract: 0xff, then its id. @see docs/protocol/evm.md 5.2 */
export function tokenContract(tokenId: number): Uint8Array {
  return numbered(TOKEN_PREFIX, tokenId);
}

/** True for addresses that the network reserves for its contracts. @see docs/protocol/evm.md 5.1 */
export function isReserved(address: Uint8Array): boolean {
  const [prefix] = address;
  const limit = prefix === SYSTEM_PREFIX ? SYSTEM_RESERVED : prefix === TOKEN_PREFIX ? TOKENS_RESERVED : 0;
  const isSmall = address.subarray(1, EVM_ADDRESS_SIZE - 4).every((byte) => byte === 0);
  return isSmall && Buffer.from(address).readUInt32BE(EVM_ADDRESS_SIZE - 4) < limit;
}

function numbered(prefix: number, number: number): Uint8Array {
  return fromHex(prefix.toString(16).padStart(2, '0') + number.toString(16).padStart(2 * (EVM_ADDRESS_SIZE - 1), '0'));
}

/** Precompiled contracts that fail when a transfer calls them, because of too little gas or missing arguments. */
const REFUSING = new Set([1, 7, 8, 9]);

/** True for precompiled contracts that revert a transfer of DFI. */
export function refusesCoins(address: Uint8Array): boolean {
  return address.subarray(0, EVM_ADDRESS_SIZE - 1).every((byte) => byte === 0) && REFUSING.has(address[EVM_ADDRESS_SIZE - 1] ?? 0);
}
