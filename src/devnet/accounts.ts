import { pbkdf2Sync } from 'node:crypto';
import { hash160 } from '../crypto/hash.js';
import { ExtendedKey } from '../crypto/hd.js';
import { HARDENED } from '../crypto/key-path.js';
import { formatWif } from '../crypto/keys.js';
import type { NetworkParams } from '../params/network.js';
import { encodeDestination } from '../script/address.js';
import { evmAddressOf, formatErc55 } from '../script/erc55.js';
import { toHex } from '../util/bytes.js';

/**
 * Words (BIP39) of the accounts of development networks. They are the published words of the development tools of Ethereum, which therefore
 * know these keys.
 */
export const WORDS = 'test test test test test test test test test test test junk';

/** Number of funded accounts. */
export const ACCOUNTS = 10;

/** An account of the development network: one key, with an address on both sides. */
export interface DevAccount {
  /** Native address, bech32. */
  readonly address: string;
  /** EVM address of the same key, with checksum. */
  readonly evmAddress: string;
  /** Private key in wallet import format. */
  readonly key: string;
  /** Private key in hex with 0x, as Ethereum's tools read it. */
  readonly evmKey: string;
  /** Compressed public key in hex. */
  readonly publicKey: string;
}

/** The funded accounts, at the paths of Ethereum's wallets: m/44'/60'/0'/0/i. */
export function devAccounts(params: Pick<NetworkParams, 'address'>): readonly DevAccount[] {
  // The seed of words without passphrase. @see BIP39
  const seed = pbkdf2Sync(WORDS, 'mnemonic', 2048, 64, 'sha512');
  const master = ExtendedKey.fromSeed(seed, params.address);
  return Array.from({ length: ACCOUNTS }, (_, index) => {
    const account = master.derive([44 + HARDENED, 60 + HARDENED, HARDENED, 0, index]);
    if (!account) throw new RangeError(`no key at index ${index}`);
    return accountOf(account, params);
  });
}

function accountOf({ publicKey, privateKey }: ExtendedKey, { address }: Pick<NetworkParams, 'address'>): DevAccount {
  const evmAddress = evmAddressOf(publicKey);
  if (!privateKey || !evmAddress) throw new RangeError('no private key');
  return {
    address: encodeDestination({ type: 'wpkh', hash: hash160(publicKey) }, address),
    evmAddress: formatErc55(evmAddress),
    key: formatWif(privateKey, address),
    evmKey: `0x${toHex(privateKey.secret)}`,
    publicKey: toHex(publicKey),
  };
}
