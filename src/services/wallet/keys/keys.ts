import type {
  DumpPrivKeyRequest,
  DumpPrivKeyResponse,
  ImportAddressRequest,
  ImportAddressResponse,
  ImportPrivKeyRequest,
  ImportPrivKeyResponse,
  ImportPubKeyRequest,
  ImportPubKeyResponse,
  SetHdSeedRequest,
  SetHdSeedResponse,
  SignMessageRequest,
  SignMessageResponse,
} from '../../../../gen/ts/dfi/wallet/v1/wallet.js';
import { isPublicKey } from '../../../crypto/ecdsa.js';
import { hash160 } from '../../../crypto/hash.js';
import { formatWif, parseSecretHex, parseWif } from '../../../crypto/keys.js';
import { knowsEvm } from '../../../params/network.js';
import type { Handler } from '../../../rpc/handler.js';
import { scriptOf } from '../../../script/address.js';
import * as signedMessage from '../../../script/signed-message.js';
import { encodeBase64 } from '../../../util/base64.js';
import { fromHex, isHex, toHex } from '../../../util/bytes.js';
import { NodeError } from '../../../util/errors.js';
import {
  importPrivateKey,
  importPublicKey,
  importRedeemScript,
  importScript,
  scanFor,
  UNKNOWN_AGE,
} from '../../../wallet/import-export/imports.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { parseDestination } from '../../format/destination.js';
import { parsePrivateKey } from '../../format/private-key.js';
import { keyIdOf } from '../addresses/address-info.js';
import { requireAddress } from '../format/parse.js';
import { type WalletModules, walletOf } from '../modules.js';
import { requireAllBlocks } from '../transactions/rescan.js';

const NO_PRIVATE_KEYS = 'Cannot import private keys to a wallet with private keys disabled';

/** @see docs/protocol/wallet.md 3.8 */
export const dumpPrivKey: Handler<WalletModules, DumpPrivKeyRequest, DumpPrivKeyResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  wallet.keys.requireUnlocked();
  const destination = requireAddress(request.address, modules.chain);
  const keyId = keyIdOf(wallet.keys, destination);
  if (!keyId || keyId.every((byte) => byte === 0)) throw new NodeError('type', 'Address does not refer to a key');
  const key = wallet.keys.privateKey(keyId);
  if (!key) throw new NodeError('wallet', `Private key for address ${request.address} is not known`);
  // EVM programs use no other form.
  if (destination.type === 'evm') return { key: toHex(key.secret) };
  return { key: formatWif(key, modules.chain.params.address) };
};

/** @see docs/protocol/wallet.md 3.24 */
export const importPrivKey: Handler<WalletModules, ImportPrivKeyRequest, ImportPrivKeyResponse> = async (modules, request, call) => {
  const wallet = walletOf(modules, call);
  if (wallet.privateKeysDisabled) throw new NodeError('wallet', NO_PRIVATE_KEYS);
  wallet.keys.requireUnlocked();
  const { privkey, label } = request;
  await whileScanning(wallet, request.rescan ?? true, () => {
    const secret = knowsEvm(modules.chain.params) ? parseSecretHex(privkey) : undefined;
    const key = secret ?? parseWif(privkey, modules.chain.params.address);
    if (!key) throw new NodeError('invalid-address', 'Invalid private key encoding');
    importPrivateKey(wallet, key, label);
  });
  return {};
};

/** @see docs/protocol/wallet.md 3.26 */
export const importPubKey: Handler<WalletModules, ImportPubKeyRequest, ImportPubKeyResponse> = async (modules, request, call) => {
  const wallet = walletOf(modules, call);
  const label = request.label ?? '';
  const rescan = request.rescan ?? true;
  const { pubkey } = request;
  await whileScanning(wallet, rescan, () => {
    if (!isHex(pubkey)) throw new NodeError('invalid-address', 'Pubkey must be a hex string');
    const key = fromHex(pubkey);
    if (!isPublicKey(key)) throw new NodeError('invalid-address', 'Pubkey is not a valid public key');
    importPublicKey(wallet, key, label);
  });
  if (rescan) wallet.resubmit();
  return {};
};

/** @see docs/protocol/wallet.md 3.22 */
export const importAddress: Handler<WalletModules, ImportAddressRequest, ImportAddressResponse> = async (modules, request, call) => {
  const wallet = walletOf(modules, call);
  const label = request.label ?? '';
  const rescan = request.rescan ?? true;
  await whileScanning(wallet, rescan, () => {
    const p2sh = request.p2sh ?? false;
    const { address } = request;
    const destination = parseDestination(address, modules.chain);
    if (destination && p2sh) {
      throw new NodeError('invalid-address', 'Cannot use the p2sh flag with an address - use a script instead');
    }
    if (destination) importScript(wallet, scriptOf(destination), label);
    else if (isHex(address)) importRawScript(wallet, fromHex(address), label, p2sh);
    else throw new NodeError('invalid-address', 'Invalid Defi address or script');
    wallet.commit();
  });
  if (rescan) wallet.resubmit();
  return {};
};

function importRawScript(wallet: Wallet, script: Uint8Array, label: string, p2sh: boolean): void {
  // A script that is too long to redeem an output is watched all the same.
  importRedeemScript(wallet, script, UNKNOWN_AGE);
  importScript(wallet, script, label);
  if (p2sh) importScript(wallet, scriptOf({ type: 'sh', hash: hash160(script) }), label);
}

/** Imports and then rescans the chain if requested; a running rescan excludes another. */
async function whileScanning(wallet: Wallet, scans: boolean, run: () => void): Promise<void> {
  if (!scans) {
    await wallet.keyChanges.run(run);
    return;
  }
  requireAllBlocks(wallet.deps.chain, 'Rescan');
  const release = wallet.rescan.reserve();
  try {
    await wallet.keyChanges.run(run);
    await scanFor(wallet, UNKNOWN_AGE);
  } finally {
    release();
  }
}

/** @see docs/protocol/wallet.md 3.45 */
export const setHdSeed: Handler<WalletModules, SetHdSeedRequest, SetHdSeedResponse> = async (modules, request, call) => {
  const wallet = walletOf(modules, call);
  if (modules.chain.isInitialDownload()) {
    throw new NodeError('initial-download', 'Cannot set a new HD seed while still in Initial Block Download');
  }
  if (wallet.privateKeysDisabled) throw new NodeError('wallet', 'Cannot set a HD seed to a wallet with private keys disabled');
  wallet.keys.requireUnlocked();
  const newKeyPool = request.newkeypool ?? true;
  const { seed } = request;
  const key = seed === undefined ? undefined : parsePrivateKey(seed, modules.chain.params);
  if (seed !== undefined && !key) throw new NodeError('invalid-address', 'Invalid private key');
  await wallet.setSeed(key, newKeyPool);
  return {};
};

/** @see docs/protocol/wallet.md 3.49 */
export const signMessage: Handler<WalletModules, SignMessageRequest, SignMessageResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  wallet.keys.requireUnlocked();
  const { address, message } = request;
  const destination = parseDestination(address, modules.chain);
  if (!destination) throw new NodeError('type', 'Invalid address');
  if (destination.type !== 'pkh') throw new NodeError('type', 'Address does not refer to key');
  const key = wallet.keys.privateKey(destination.hash);
  if (!key) throw new NodeError('wallet', 'Private key not available');
  return { signature: encodeBase64(signedMessage.signMessage(message, key)) };
};
