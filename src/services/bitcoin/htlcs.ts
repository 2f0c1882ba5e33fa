import { randomBytes } from 'node:crypto';
import type {
  BitcoinHtlcOutput,
  SpvCreateHtlcRequest,
  SpvCreateHtlcResponse,
  SpvDecodeHtlcScriptRequest,
  SpvDecodeHtlcScriptResponse,
  SpvGetHtlcSeedRequest,
  SpvGetHtlcSeedResponse,
  SpvListHtlcOutputsRequest,
  SpvListHtlcOutputsResponse,
} from '../../../gen/ts/dfi/node/v1/bitcoin.js';
import { bitcoinAddressOf, bitcoinAddressOfScript } from '../../bitcoin/addresses.js';
import { htlcScript, parseHtlcScript, seedInScriptSig } from '../../bitcoin/htlc.js';
import type { BitcoinWallet, HtlcOutput } from '../../bitcoin/wallet.js';
import { hash160, sha256 } from '../../crypto/hash.js';
import { formatHash, type Hash256 } from '../../primitives/hash.js';
import { SEQUENCE_LOCKTIME_BY_TIME } from '../../primitives/transaction.js';
import type { Handler } from '../../rpc/handler.js';
import { asInteger } from '../../rpc/scalars.js';
import { fromHex, isHex, toHex } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import { type JsonValue, parseJson } from '../../util/json.js';
import { requireBitcoin } from '../anchors/modules.js';
import { parsePublicKey } from '../format/public-key.js';
import { walletOf } from '../wallet/modules.js';
import { requireHash } from './addresses.js';
import { type BitcoinModules, HTLC_PURPOSE } from './modules.js';
import { readFilter } from './transactions.js';

const SEED_SIZE = 32;
const HASH_SIZE = 32;
const MIN_BLOCKS = 9;
const MAX_INT32 = 0x7fffffffn;

export const spvCreateHtlc: Handler<BitcoinModules, SpvCreateHtlcRequest, SpvCreateHtlcResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  const bitcoin = requireBitcoin(modules);
  const seed = request.seed === undefined ? randomBytes(SEED_SIZE) : undefined;
  const hash = seed ? sha256(seed) : parseSeedHash(request.seed as string);
  const receiver = parsePublicKey(request.receiverpubkey);
  const owner = parsePublicKey(request.ownerpubkey);
  const blocks = parseBlocks(request);
  const script = htlcScript({ receiver, owner, blocks, hash });
  const scriptId = hash160(script);
  wallet.book.set({ type: 'sh', hash: scriptId }, HTLC_PURPOSE, HTLC_PURPOSE);
  wallet.keys.addScript(script);
  wallet.commit();
  bitcoin.add({ kind: 'script', hash: scriptId });
  const htlc = { address: bitcoinAddressOfScript(scriptId), redeemscript: toHex(script) };
  return seed ? { ...htlc, seed: toHex(seed), seedhash: toHex(hash) } : htlc;
};

function parseSeedHash(text: string): Uint8Array {
  if (!isHex(text)) throw new NodeError('type', 'Invalid hash image');
  const hash = fromHex(text);
  if (hash.length !== HASH_SIZE) throw new NodeError('type', 'Invalid hash image length, 32 (SHA256) accepted');
  return hash;
}

/** Number of blocks in the text of a request. @throws {NodeError} */
function parseBlocks({ timeout, seed }: SpvCreateHtlcRequest): number {
  const blocks = Number(asInteger(jsonIn(timeout, seed), -MAX_INT32 - 1n, MAX_INT32)) >>> 0;
  if (blocks >= SEQUENCE_LOCKTIME_BY_TIME) throw new NodeError('type', 'Invalid block denominated relative timeout');
  if (blocks < MIN_BLOCKS) throw new NodeError('type', `Timeout below minimum of ${MIN_BLOCKS}`);
  return blocks;
}

/** JSON value in the text of the timeout. The error names the argument after it, as that of `defid` does. */
function jsonIn(timeout: string, seed: string | undefined): JsonValue {
  const values = parsedOrUndefined(`[${timeout}]`);
  const value = Array.isArray(values) && values.length === 1 ? (values[0] as JsonValue) : undefined;
  if (value !== undefined) return value;
  if (seed === undefined) throw new NodeError('json-type', 'JSON value is not a string as expected');
  throw new NodeError('type', `Error parsing JSON: ${seed}`);
}

function parsedOrUndefined(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

export const spvDecodeHtlcScript: Handler<BitcoinModules, SpvDecodeHtlcScriptRequest, SpvDecodeHtlcScriptResponse> = (
  _modules,
  { redeemscript },
) => {
  if (!isHex(redeemscript)) throw new NodeError('type', 'Redeemscript expected in hex format');
  const { receiver, owner, blocks, hash } = parseHtlcScript(fromHex(redeemscript));
  return { sellerkey: toHex(receiver), buyerkey: toHex(owner), blocks, hash: toHex(hash) };
};

export const spvListHtlcOutputs: Handler<BitcoinModules, SpvListHtlcOutputsRequest, SpvListHtlcOutputsResponse> = (modules, request) => {
  const bitcoin = requireBitcoin(modules);
  const outputs = Array.from(bitcoin.htlcOutputs(readFilter(request.address)?.hash), (output) => formatOutput(bitcoin, output));
  return { outputs: outputs.sort((a, b) => (a.address === b.address ? 0 : a.address < b.address ? -1 : 1)) };
};

function formatOutput(bitcoin: BitcoinWallet, { prevout, output }: HtlcOutput): BitcoinHtlcOutput {
  const { txid, vout } = prevout;
  const spender = bitcoin.spender(prevout)?.txid;
  const spent = spender && { txid: formatHash(spender), confirms: confirmsOf(bitcoin, spender) };
  const address = bitcoinAddressOf(output.scriptPubKey);
  return { txid: formatHash(txid), vout, amount: output.value, address, confirms: confirmsOf(bitcoin, txid), spent };
}

/** Number of confirmations. It is negative after the height was lowered; `defid` then wraps around at 2^32. */
function confirmsOf(bitcoin: BitcoinWallet, txid: Hash256): number {
  return bitcoin.confirmations(txid) >>> 0;
}

export const spvGetHtlcSeed: Handler<BitcoinModules, SpvGetHtlcSeedRequest, SpvGetHtlcSeedResponse> = (modules, request) => {
  const bitcoin = requireBitcoin(modules);
  for (const scriptSig of bitcoin.spendsOf(requireHash(request.address))) {
    const seed = seedInScriptSig(scriptSig);
    if (seed) return { seed: toHex(seed) };
  }
  return { seed: '' };
};
