import type {
  EncryptWalletRequest,
  EncryptWalletResponse,
  WalletLockRequest,
  WalletLockResponse,
  WalletPassphraseChangeRequest,
  WalletPassphraseChangeResponse,
  WalletPassphraseRequest,
  WalletPassphraseResponse,
} from '../../../../gen/ts/dfi/wallet/v1/wallet.js';
import type { Handler } from '../../../rpc/handler.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { AlreadyEncrypted } from '../../../wallet/keys/encryption.js';
import { effectivePassphrase } from '../../../wallet/store/seal.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { type WalletModules, walletOf } from '../modules.js';

/** Limit of `defid`: a longer timeout would overflow the time at which it locks the wallet. */
const MAX_UNLOCK_SEC = 100_000_000;

function requireEncrypted({ keys }: Wallet, operation: string): void {
  if (keys.isEncrypted) return;
  throw new NodeError('wallet-wrong-state', `Error: running with an unencrypted wallet, but ${operation} was called.`);
}

function requireText(passphrase: string): string {
  if (effectivePassphrase(passphrase) === '') throw invalidParameter('passphrase can not be empty');
  return passphrase;
}

function wrongPassphrase(): NodeError {
  return new NodeError('passphrase-incorrect', 'Error: The wallet passphrase entered was incorrect.');
}

const ENCRYPTED =
  'wallet encrypted; The keypool has been flushed and a new HD seed was generated (if you are using HD). You need to make a new backup.';

/** @see docs/protocol/wallet.md 3.10 */
export const encryptWallet: Handler<WalletModules, EncryptWalletRequest, EncryptWalletResponse> = async (modules, request, call) => {
  const wallet = walletOf(modules, call);
  if (wallet.privateKeysDisabled) {
    throw new NodeError('encryption-failed', 'Error: wallet does not contain private keys, nothing to encrypt.');
  }
  if (wallet.keys.isEncrypted) throw new AlreadyEncrypted();
  await wallet.encryption.encrypt(requireText(request.passphrase));
  return { message: ENCRYPTED };
};

/** @see docs/protocol/wallet.md 3.54 */
export const walletPassphrase: Handler<WalletModules, WalletPassphraseRequest, WalletPassphraseResponse> = async (
  modules,
  request,
  call,
) => {
  const wallet = walletOf(modules, call);
  requireEncrypted(wallet, 'walletpassphrase');
  const { passphrase } = request;
  const timeout = Number(request.timeout);
  if (timeout < 0) throw invalidParameter('Timeout cannot be negative.');
  if (!(await wallet.encryption.unlock(requireText(passphrase), Math.min(timeout, MAX_UNLOCK_SEC)))) throw wrongPassphrase();
  return {};
};

/** @see docs/protocol/wallet.md 3.55 */
export const walletPassphraseChange: Handler<WalletModules, WalletPassphraseChangeRequest, WalletPassphraseChangeResponse> = async (
  modules,
  request,
  call,
) => {
  const wallet = walletOf(modules, call);
  requireEncrypted(wallet, 'walletpassphrasechange');
  const { oldpassphrase, newpassphrase } = request;
  requireText(oldpassphrase);
  requireText(newpassphrase);
  if (!(await wallet.encryption.changePassphrase(oldpassphrase, newpassphrase))) throw wrongPassphrase();
  return {};
};

/** @see docs/protocol/wallet.md 3.53 */
export const walletLock: Handler<WalletModules, WalletLockRequest, WalletLockResponse> = async (modules, _request, call) => {
  const wallet = walletOf(modules, call);
  requireEncrypted(wallet, 'walletlock');
  await wallet.encryption.lock();
  return {};
};
