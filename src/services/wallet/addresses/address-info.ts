import type { EmbeddedAddress } from '../../../../gen/ts/dfi/wallet/v1/records.js';
import type { GetAddressInfoRequest, GetAddressInfoResponse } from '../../../../gen/ts/dfi/wallet/v1/wallet.js';
import { COMPRESSED_KEY_SIZE, uncompressed } from '../../../crypto/ecdsa.js';
import { hash160, ripemd160 } from '../../../crypto/hash.js';
import { formatKeyPath } from '../../../crypto/key-path.js';
import { knowsEvm } from '../../../params/network.js';
import type { Handler } from '../../../rpc/handler.js';
import { type Destination, destinationOf, encodeDestination, scriptOf } from '../../../script/address.js';
import { EVM_WITNESS_VERSION } from '../../../script/erc55.js';
import { inferDescriptor } from '../../../script/infer.js';
import { classify } from '../../../script/standard.js';
import { fromHex, isHex, reverseBytes, toHex } from '../../../util/bytes.js';
import { NodeError } from '../../../util/errors.js';
import { destinationIn } from '../../../wallet/destination.js';
import { Ownership } from '../../../wallet/keys/ownership.js';
import type { Metadata } from '../../../wallet/store/records.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { requireAddress } from '../format/parse.js';
import { type WalletModules, walletOf } from '../modules.js';

type Described = Pick<EmbeddedAddress, 'isscript' | 'iswitness' | 'witnessVersion' | 'witnessProgram'>;
type Known = Pick<EmbeddedAddress, 'script' | 'hex' | 'pubkey' | 'iscompressed' | 'embedded' | 'sigsrequired' | 'pubkeys'>;

const NO_SEED = '0'.repeat(40);

/** @see docs/protocol/wallet.md 3.12 */
export const getAddressInfo: Handler<WalletModules, GetAddressInfoRequest, GetAddressInfoResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  const { address } = modules.chain.params;
  const destination = readDestination(request.address, modules.chain);
  const script = scriptOf(destination);
  const ownership = wallet.ownershipOf(script);
  const desc = descriptorOf(wallet, destination);
  const named = wallet.book.get(destination);
  const { isscript, iswitness, ...witness } = describe(destination);
  return {
    address: encodeDestination(destination, address),
    scriptpubkey: toHex(script),
    ismine: ownership === Ownership.Spendable,
    solvable: desc !== undefined,
    desc,
    iswatchonly: ownership === Ownership.Watched,
    isscript,
    iswitness: iswitness ?? false,
    ...witness,
    ...known(wallet, destination),
    label: named?.label,
    ischange: ownership !== Ownership.None && named === undefined,
    ...origin(wallet, destination),
    labels: named ? [{ name: named.label, purpose: named.purpose }] : [],
  };
};

/** Destination of an address. On networks with an EVM the text may also be an output script in hex, as in `defid` from 4.0 on. */
function readDestination(text: string, chain: WalletModules['chain']): Destination {
  if (!knowsEvm(chain.params) || !isHex(text)) return requireAddress(text, chain, 'Invalid address');
  const destination = destinationOf(fromHex(text), { metachain: true });
  if (!destination) throw new NodeError('invalid-address', 'Invalid address');
  return destination;
}

/** Descriptor of an address; undefined if the wallet lacks the scripts or public keys for spending. */
function descriptorOf(wallet: Wallet, destination: Destination): string | undefined {
  const script = scriptOf(destination);
  return wallet.isSolvable(script) ? inferDescriptor(script, wallet.keys, wallet.deps.chain.params.address).format() : undefined;
}

function describe(destination: Destination): Described {
  switch (destination.type) {
    case 'pkh':
      return { isscript: false, iswitness: false };
    case 'sh':
      return { isscript: true, iswitness: false };
    case 'wpkh':
    case 'wsh':
      return { isscript: destination.type === 'wsh', iswitness: true, witnessVersion: 0, witnessProgram: toHex(destination.hash) };
    case 'evm':
      return {
        ...{ isscript: false, iswitness: true, witnessVersion: EVM_WITNESS_VERSION },
        witnessProgram: toHex(reverseBytes(destination.hash)),
      };
    case 'wunknown':
      return { iswitness: true, witnessVersion: destination.version, witnessProgram: toHex(destination.program) };
  }
}

/** Script and keys of an address, as far as the wallet has them. */
function known(wallet: Wallet, destination: Destination): Known {
  const { keys } = wallet;
  switch (destination.type) {
    case 'pkh': {
      const key = keys.publicKey(destination.hash);
      return key ? { ...NOTHING, pubkey: toHex(key), iscompressed: key.length === COMPRESSED_KEY_SIZE } : NOTHING;
    }
    case 'wpkh': {
      const key = keys.publicKey(destination.hash);
      return key ? { ...NOTHING, pubkey: toHex(key) } : NOTHING;
    }
    case 'evm': {
      const key = keys.publicKeyOfEvm(destination.hash);
      const long = key && uncompressed(key);
      return long ? { ...NOTHING, pubkey: toHex(long) } : NOTHING;
    }
    case 'sh':
      return inner(wallet, keys.script(destination.hash));
    case 'wsh':
      return inner(wallet, keys.script(ripemd160(destination.hash)));
    case 'wunknown':
      return NOTHING;
  }
}

const NOTHING: Known = { embedded: undefined, pubkeys: undefined };

function inner(wallet: Wallet, script: Uint8Array | undefined): Known {
  if (!script) return NOTHING;
  const { type, solutions, reqSigs } = classify(script, { metachain: knowsEvm(wallet.deps.chain.params) });
  const shown: Known = { ...NOTHING, script: type, hex: toHex(script) };
  const destination = destinationIn(wallet, script);
  if (destination) {
    const within = known(wallet, destination);
    const embedded: EmbeddedAddress = {
      ...describe(destination),
      ...within,
      address: encodeDestination(destination, wallet.deps.chain.params.address),
      scriptpubkey: toHex(script),
    };
    return { ...shown, pubkey: within.pubkey, embedded };
  }
  if (type === 'multisig') return { ...shown, sigsrequired: reqSigs, pubkeys: { texts: solutions.map(toHex) } };
  return shown;
}

/** Creation time and HD origin of the address's key. */
function origin(
  wallet: Wallet,
  destination: Destination,
): Pick<GetAddressInfoResponse, 'timestamp' | 'hdkeypath' | 'hdseedid' | 'hdmasterfingerprint'> {
  const meta = metadataOf(wallet, destination);
  if (!meta) return {};
  const timestamp = BigInt(meta.createdAt);
  if (!meta.origin) return { timestamp };
  return {
    timestamp,
    hdkeypath: `m${formatKeyPath(meta.origin.path)}`,
    hdseedid: meta.seedId ? toHex(reverseBytes(meta.seedId)) : NO_SEED,
    hdmasterfingerprint: toHex(meta.origin.fingerprint),
  };
}

function metadataOf({ keys }: Wallet, destination: Destination): Metadata | undefined {
  const keyId = keyIdOf(keys, destination);
  return (keyId && keys.metadata(keyId)) ?? keys.scriptMetadata(scriptOf(destination));
}

/**
 * Key id of a single-key address, including P2SH-wrapped witness keys. For an EVM address whose key the wallet lacks, its own 20
 * bytes, which match no key id.
 */
export function keyIdOf(keys: Wallet['keys'], destination: Destination): Uint8Array | undefined {
  if (destination.type === 'pkh' || destination.type === 'wpkh') return destination.hash;
  if (destination.type === 'evm') {
    const publicKey = keys.publicKeyOfEvm(destination.hash);
    return publicKey ? hash160(publicKey) : destination.hash;
  }
  if (destination.type !== 'sh') return undefined;
  const script = keys.script(destination.hash);
  const { type, solutions } = script ? classify(script) : { type: undefined, solutions: [] };
  return type === 'witness_v0_keyhash' ? solutions[0] : undefined;
}
