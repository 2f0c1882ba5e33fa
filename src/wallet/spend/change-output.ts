import { type Destination, scriptOf } from '../../script/address.js';
import type { AddressType } from '../../script/multisig.js';
import { witnessProgram } from '../../script/script.js';
import { destinationOfKey, type KeyAddressType } from '../keys/address-type.js';
import type { ReservedKey } from '../keys/key-pool.js';
import type { Wallet } from '../wallet.js';
import { BuildFailed, type Recipient } from './build-request.js';

/** Options for the change output. */
export interface ChangeOptions {
  readonly changeDestination?: Destination | undefined;
  /** Type of a new change address; by default as `-changetype` says. */
  readonly changeType?: KeyAddressType | undefined;
}

/** Script of the change output, with the key reserved for it: keep or return it when the transaction is built or has failed. */
export class ChangeOutput {
  private constructor(
    private readonly wallet: Wallet,
    readonly script: Uint8Array,
    private readonly reserved: ReservedKey | undefined,
  ) {}

  /** @throws {BuildFailed} if the key pool has no key for it */
  static reserve(wallet: Wallet, recipients: readonly Recipient[], { changeDestination, changeType }: ChangeOptions): ChangeOutput {
    if (changeDestination) return new ChangeOutput(wallet, scriptOf(changeDestination), undefined);
    if (!wallet.canGiveAddresses(true)) {
      throw new BuildFailed("Can't generate a change-address key. No keys in the internal keypool and can't generate any keys.");
    }
    const reserved = wallet.keyChain.reserve(true);
    if (!reserved) throw new BuildFailed('Keypool ran out, please call keypoolrefill first');
    const type = changeType ?? usualChangeType(wallet, recipients);
    return new ChangeOutput(wallet, scriptOf(destinationOfKey(reserved.entry.publicKey, type)), reserved);
  }

  /** Removes the key from the key pool. */
  keep(): void {
    if (this.reserved) this.wallet.keyPool.keep(this.reserved);
  }

  /** Returns the key to the key pool. */
  returnDestination(): void {
    if (this.reserved) this.wallet.keyPool.returnDestination(this.reserved);
  }
}

/** @see docs/protocol/wallet.md 1.8 */
function usualChangeType({ deps: { settings } }: Wallet, recipients: readonly Recipient[]): AddressType {
  if (settings.changeType) return settings.changeType;
  if (settings.addressType === 'legacy') return 'legacy';
  // Outputs cannot pay an EVM address.
  if (settings.addressType === 'erc55') return 'bech32';
  // Change of the same type as a payment cannot be told apart from it.
  return recipients.some(({ script }) => witnessProgram(script)) ? 'bech32' : settings.addressType;
}
