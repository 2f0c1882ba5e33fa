import type { OwnHash, OwnHashSource } from '../../bitcoin/own-hashes.js';
import type { RegtestBitcoin } from '../../bitcoin/regtest-bitcoin.js';
import { BitcoinWallet } from '../../bitcoin/wallet.js';
import type { Clock } from '../../util/clock.js';
import type { NamedDestination } from '../../wallet/keys/address-book.js';
import type { Wallets } from '../../wallet/wallets/manager.js';

/** Modules for the Bitcoin wallet of regtest. */
export interface BitcoinModules {
  /** Undefined on other networks, and with -spv=0. */
  readonly bitcoin: BitcoinWallet | undefined;
  /** Undefined in a node without wallets. */
  readonly wallets: Pick<Wallets, 'find' | 'loaded'> | undefined;
}

/** Purpose of addresses of keys in the address book of a wallet, and their label. */
export const KEY_PURPOSE = 'spv';
/** Purpose of addresses of HTLCs in the address book of a wallet, and their label. */
export const HTLC_PURPOSE = 'htlc';

/** Modules of a node. @param chain undefined if it has no Bitcoin chain */
export function bitcoinModules(
  chain: RegtestBitcoin | undefined,
  wallets: Pick<Wallets, 'find' | 'loaded' | 'changes'> | undefined,
  clock: Pick<Clock, 'seconds'>,
): BitcoinModules {
  const own: OwnHashSource = {
    get changes() {
      return wallets?.changes ?? 0;
    },
    hashes: () => ownHashes(wallets),
  };
  return { bitcoin: chain && new BitcoinWallet({ chain, own, clock }), wallets };
}

/** Keys and HTLCs in the address books of the loaded wallets. */
export function* ownHashes(wallets: Pick<Wallets, 'loaded'> | undefined): Generator<OwnHash> {
  for (const { book } of wallets?.loaded() ?? []) {
    for (const entry of book.entries()) {
      const own = ownHashOf(entry);
      if (own) yield own;
    }
  }
}

function ownHashOf({ destination, purpose }: NamedDestination): OwnHash | undefined {
  const { type } = destination;
  if (purpose === KEY_PURPOSE && (type === 'pkh' || type === 'wpkh')) return { kind: 'key', hash: destination.hash };
  if (purpose === HTLC_PURPOSE && type === 'sh') return { kind: 'script', hash: destination.hash };
  return undefined;
}
