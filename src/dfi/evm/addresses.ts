import { fromHex } from '../../util/bytes.js';

const ADDRESS_SIZE = 20;
const SYSTEM_PREFIX = 0xdf;
const TOKEN_PREFIX = 0xff;
/** Addresses behind each prefix that were set aside when the EVM began. */
const SYSTEM_RESERVED = 0x80;
const TOKENS_RESERVED = 0x400;

/** Contract through which everything moves between the two machines. @see docs/protocol/evm.md 5.1 */
export const TRANSFER_DOMAIN: Uint8Array = numbered(SYSTEM_PREFIX, 1);

/** Contract of a token: 0xff, then its id. @see docs/protocol/evm.md 5.2 */
export function tokenContract(tokenId: number): Uint8Array {
  return numbered(TOKEN_PREFIX, tokenId);
}

/** Whether the network keeps a contract at this address. @see docs/protocol/evm.md 5.1 */
export function isReserved(address: Uint8Array): boolean {
  const [prefix] = address;
  const limit = prefix === SYSTEM_PREFIX ? SYSTEM_RESERVED : prefix === TOKEN_PREFIX ? TOKENS_RESERVED : 0;
  const isSmall = address.subarray(1, ADDRESS_SIZE - 4).every((byte) => byte === 0);
  return isSmall && Buffer.from(address).readUInt32BE(ADDRESS_SIZE - 4) < limit;
}

function numbered(prefix: number, number: number): Uint8Array {
  return fromHex(prefix.toString(16).padStart(2, '0') + number.toString(16).padStart(2 * (ADDRESS_SIZE - 1), '0'));
}

/** Contracts of the machine itself that fail on what a transfer sends along: too little gas, or no arguments. */
const REFUSING = new Set([1, 7, 8, 9]);

/** Whether DFI that is sent here comes back. */
export function refusesCoins(address: Uint8Array): boolean {
  return address.subarray(0, ADDRESS_SIZE - 1).every((byte) => byte === 0) && REFUSING.has(address[ADDRESS_SIZE - 1] ?? 0);
}
