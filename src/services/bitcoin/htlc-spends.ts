import type {
  SpvClaimHtlcRequest,
  SpvClaimHtlcResponse,
  SpvRefundHtlcAllRequest,
  SpvRefundHtlcAllResponse,
  SpvRefundHtlcRequest,
  SpvRefundHtlcResponse,
} from '../../../gen/ts/dfi/node/v1/bitcoin.js';
import { isBitcoinAddress, scriptOfBitcoinAddress } from '../../bitcoin/addresses.js';
import { parseHtlcScript } from '../../bitcoin/htlc.js';
import { type Htlc, type HtlcSpend, spendHtlcs } from '../../bitcoin/htlc-spend.js';
import { FEE_RATE } from '../../bitcoin/payment.js';
import type { BitcoinWallet } from '../../bitcoin/wallet.js';
import { decodeBase58Check } from '../../crypto/base58.js';
import { sha256 } from '../../crypto/hash.js';
import { formatHash, type Hash160 } from '../../primitives/hash.js';
import type { Handler } from '../../rpc/handler.js';
import { compareBytes, equalBytes, fromHex, isHex } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import type { Wallet } from '../../wallet/wallet.js';
import { requireBitcoin } from '../anchors/modules.js';
import { walletOf } from '../wallet/modules.js';
import { type BitcoinModules, ownHashes } from './modules.js';

export const spvClaimHtlc: Handler<BitcoinModules, SpvClaimHtlcRequest, SpvClaimHtlcResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  const bitcoin = requireBitcoin(modules);
  const { feerate: feeRate = FEE_RATE, seed: seedText, destinationaddress, scriptaddress } = request;
  const htlc = requireHtlc(wallet, scriptaddress);
  const destination = requireDestination(destinationaddress);
  const seed = parseSeed(seedText, htlc);
  return { txid: send(bitcoin, wallet, { htlcs: [htlc], seed, destination, feeRate }), sendmessage: '' };
};

/** Htlc at an address, whose script the wallet has. @throws {NodeError} */
function requireHtlc({ keys }: Wallet, address: string): Htlc {
  if (!isBitcoinAddress(address)) throw new NodeError('invalid-address', 'Invalid address');
  const scriptId = decodeBase58Check(address)?.subarray(1);
  if (!scriptId) throw new NodeError('invalid-address', 'Failed to decode address');
  return htlcOf(keys, scriptId);
}

function htlcOf(keys: Wallet['keys'], scriptId: Hash160): Htlc {
  const script = keys.script(scriptId);
  if (!script) throw new NodeError('wallet', 'Redeem script not found in wallet');
  return { terms: parseHtlcScript(script), script };
}

/** Script that pays the destination. @throws {NodeError} */
function requireDestination(address: string): Uint8Array {
  const script = scriptOfBitcoinAddress(address);
  if (!script) throw new NodeError('invalid-address', 'Invalid destination address');
  return script;
}

function parseSeed(text: string, { terms }: Htlc): Uint8Array {
  if (!isHex(text)) throw new NodeError('invalid-address', 'Provided seed is not in hex form');
  const seed = fromHex(text);
  if (equalBytes(sha256(seed), terms.hash)) return seed;
  throw new NodeError('invalid-address', 'Seed provided does not match seed hash in contract');
}

/** Sends a claim or refund. @returns the txid */
function send(bitcoin: BitcoinWallet, { keys }: Wallet, spend: Omit<HtlcSpend, 'keys'>): string {
  const tx = spendHtlcs(bitcoin, { ...spend, keys });
  bitcoin.chain.send(tx);
  return formatHash(tx.txid);
}

export const spvRefundHtlc: Handler<BitcoinModules, SpvRefundHtlcRequest, SpvRefundHtlcResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  const bitcoin = requireBitcoin(modules);
  const { destinationaddress, scriptaddress } = request;
  const htlc = requireHtlc(wallet, scriptaddress);
  const destination = requireDestination(destinationaddress);
  return { txid: send(bitcoin, wallet, { htlcs: [htlc], seed: undefined, destination, feeRate: FEE_RATE }), sendmessage: '' };
};

export const spvRefundHtlcAll: Handler<BitcoinModules, SpvRefundHtlcAllRequest, SpvRefundHtlcAllResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  const bitcoin = requireBitcoin(modules);
  const { feerate: feeRate = FEE_RATE, destinationaddress } = request;
  const htlcs = htlcIds(modules).map((scriptId) => htlcOf(wallet.keys, scriptId));
  if (htlcs.length === 0) throw new NodeError('invalid-address', 'Redeem script details not found.');
  const destination = requireDestination(destinationaddress);
  return { txids: [send(bitcoin, wallet, { htlcs, seed: undefined, destination, feeRate })] };
};

/** HASH160 of the HTLCs in the address books of all loaded wallets, in byte order without duplicates. */
function htlcIds({ wallets }: BitcoinModules): Hash160[] {
  const found = Array.from(ownHashes(wallets)).filter(({ kind }) => kind === 'script');
  return found
    .map(({ hash }) => hash)
    .sort(compareBytes)
    .filter((id, i, all) => i === 0 || !equalBytes(id, all[i - 1] as Hash160));
}
