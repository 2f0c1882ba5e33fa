import type { OutPoint as OutPointMessage } from '../../../../gen/ts/dfi/types/v1/types.js';
import type { UnspentOutput } from '../../../../gen/ts/dfi/wallet/v1/records.js';
import type {
  ListLockUnspentRequest,
  ListLockUnspentResponse,
  ListUnspentRequest,
  ListUnspentResponse,
  LockUnspentRequest,
  LockUnspentResponse,
} from '../../../../gen/ts/dfi/wallet/v1/wallet.js';
import { ripemd160 } from '../../../crypto/hash.js';
import { findTokenByText } from '../../../dfi/tokens/queries.js';
import { formatHash } from '../../../primitives/hash.js';
import type { OutPoint } from '../../../primitives/outpoint.js';
import type { Handler } from '../../../rpc/handler.js';
import { asInteger, INT64 } from '../../../rpc/scalars.js';
import { parseHash } from '../../../rpc/shapes.js';
import { encodeDestination } from '../../../script/address.js';
import { inferDescriptor } from '../../../script/infer.js';
import { classify } from '../../../script/standard.js';
import type { StateView } from '../../../storage/view.js';
import { toHex } from '../../../util/bytes.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { mapInSlices, Slicer } from '../../../util/slicer.js';
import { skipsSolvable } from '../../../wallet/coin-search.js';
import { collectCoins, type WalletCoin } from '../../../wallet/coins/coins.js';
import { destinationIn } from '../../../wallet/destination.js';
import { destinationKey } from '../../../wallet/keys/address-book.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { isNullMember, isNullObject, missingMember, requireArgumentKind, requireMembers } from '../../format/options-object.js';
import { textsOf } from '../../format/texts.js';
import { requireAddress } from '../format/parse.js';
import { type WalletModules, walletOf } from '../modules.js';

/** @see docs/protocol/wallet.md 3.36 */
export const listUnspent: Handler<WalletModules, ListUnspentRequest, ListUnspentResponse> = async (modules, request, call) => {
  const wallet = walletOf(modules, call);
  requireArgumentKind(request, 'minconf', 'number');
  const minDepth = request.minconf ?? 1;
  requireArgumentKind(request, 'maxconf', 'number');
  const maxDepth = request.maxconf ?? 9_999_999;
  requireArgumentKind(request, 'addresses', 'array');
  const wanted = parseAddresses(modules, request);
  requireArgumentKind(request, 'includeUnsafe', 'bool');
  const onlySafe = !(request.includeUnsafe ?? true);
  const query = { minDepth, maxDepth, onlySafe, ...(isNullObject(request) ? ALL_COINS : readCoinFilter(modules, request)) };
  const outputs: UnspentOutput[] = [];
  const scripts = new Map<string, ScriptFacts>();
  const slicer = new Slicer(call);
  for (const coin of await collectCoins(wallet, query, call)) {
    const paused = slicer.pause();
    if (paused) await paused;
    if (wanted.size === 0 || wanted.has(keyOf(wallet, coin))) outputs.push(formatCoin(wallet, coin, scripts));
  }
  return { outputs };
};

/** Coins to list, by amount and token. */
interface CoinFilter {
  readonly minAmount: bigint;
  readonly maxAmount: bigint | undefined;
  readonly minSum: bigint | undefined;
  /** 0 for any number. */
  readonly maxCount: number;
  readonly tokenId: number | undefined;
}
const ALL_COINS: CoinFilter = { minAmount: 0n, maxAmount: undefined, minSum: undefined, maxCount: 0, tokenId: undefined };
const AMOUNTS = ['minimumAmount', 'maximumAmount', 'minimumSumAmount'] as const;

/** Reads the members in the order of `defid`, for which a null amount or count is of the wrong type. */
function readCoinFilter({ chain }: WalletModules, request: ListUnspentRequest): CoinFilter {
  const [minAmount, maxAmount, minSum] = AMOUNTS.map((name) => {
    if (isNullMember(request, name)) throw new NodeError('type', 'Amount is not a number or string');
    return request[name.toLowerCase() as Lowercase<typeof name>];
  });
  if (isNullMember(request, 'maximumCount')) asInteger(null, INT64.least, INT64.most);
  // A negative count is a very high one, as in `defid`.
  const maxCount = Number(BigInt.asUintN(64, request.maximumcount ?? 0n));
  return { minAmount: minAmount ?? 0n, maxAmount, minSum, maxCount, tokenId: readTokenId(request, chain.state) };
}

function keyOf(wallet: Wallet, { wtx, vout }: WalletCoin): string {
  const destination = destinationIn(wallet, wtx.tx.vout[vout]?.scriptPubKey ?? new Uint8Array(0));
  return destination ? destinationKey(destination) : '';
}

function parseAddresses({ chain }: WalletModules, request: ListUnspentRequest): Set<string> {
  const wanted = new Set<string>();
  for (const text of textsOf(request, 'addresses')) {
    const key = destinationKey(requireAddress(text, chain, `Invalid Defi address: ${text}`));
    if (wanted.has(key)) throw invalidParameter(`Invalid parameter, duplicated address: ${text}`);
    wanted.add(key);
  }
  return wanted;
}

/** Id of the token that an id, a symbol or a creation txid names; an empty text and null name DFI. */
function readTokenId(request: ListUnspentRequest, state: StateView): number | undefined {
  const text = isNullMember(request, 'tokenId') ? '' : request.tokenid;
  if (text === undefined) return undefined;
  const found = findTokenByText(state, text);
  if (!found) throw invalidParameter(`Invalid token id: ${text}`);
  return found.id;
}

/** Members that all outputs with the same script share. */
type ScriptFacts = ReturnType<typeof factsOf>;

function factsOf(wallet: Wallet, script: Uint8Array, hex: string) {
  const { address } = wallet.deps.chain.params;
  const destination = destinationIn(wallet, script);
  const solvable = skipsSolvable(wallet.deps.settings.coinSearch) || wallet.isSolvable(script);
  return {
    address: destination && encodeDestination(destination, address),
    label: destination && wallet.book.get(destination)?.label,
    ...innerScripts(wallet, script),
    scriptpubkey: hex,
    solvable,
    desc: solvable ? inferDescriptor(script, wallet.keys, address).format() : undefined,
    reused: wallet.avoidsReuse ? wallet.isUsedAddress({ scriptPubKey: script }) : undefined,
  };
}

/** Unspent output as shown. @param scripts cache for this call, by script in hex */
function formatCoin(wallet: Wallet, { wtx, vout, depth, spendable, safe }: WalletCoin, scripts: Map<string, ScriptFacts>): UnspentOutput {
  const out = wtx.tx.vout[vout];
  if (!out) throw new RangeError(`no output ${vout}`);
  const hex = toHex(out.scriptPubKey);
  const facts = scripts.get(hex) ?? factsOf(wallet, out.scriptPubKey, hex);
  scripts.set(hex, facts);
  return {
    txid: formatHash(wtx.tx.txid),
    vout,
    ...facts,
    amount: out.value,
    tokenid: String(out.tokenId),
    confirmations: depth,
    spendable,
    safe,
  };
}

/** Redeem and witness script of an output, if the wallet has them. */
function innerScripts(wallet: Wallet, script: Uint8Array): Pick<UnspentOutput, 'redeemscript' | 'witnessscript'> {
  const { type, solutions } = classify(script);
  const [hash] = solutions;
  const redeemScript = type === 'scripthash' && hash ? wallet.keys.script(hash) : undefined;
  const program = redeemScript ? classify(redeemScript) : { type, solutions };
  const [programHash] = program.solutions;
  const witnessScript = program.type === 'witness_v0_scripthash' && programHash ? wallet.keys.script(ripemd160(programHash)) : undefined;
  return { redeemscript: redeemScript && toHex(redeemScript), witnessscript: witnessScript && toHex(witnessScript) };
}

/** @see docs/protocol/wallet.md 3.40 */
export const lockUnspent: Handler<WalletModules, LockUnspentRequest, LockUnspentResponse> = async (modules, request, call) => {
  const wallet = walletOf(modules, call);
  requireArgumentKind(request, 'transactions', 'array');
  const { unlock, transactions } = request;
  if (!transactions) {
    if (unlock) wallet.outputLocks.releaseAll();
    return { success: true };
  }
  const points = await mapInSlices(transactions.outputs, (output) => parseOutput(wallet, output, unlock), call);
  for (const point of points) {
    if (unlock) wallet.outputLocks.release(point);
    else wallet.outputLocks.add(point);
  }
  return { success: true };
};

function parseOutput(wallet: Wallet, output: OutPointMessage, unlock: boolean): OutPoint {
  requireMembers(output, { txid: 'string', vout: 'number' });
  const text = output.txid;
  if (text === undefined) throw missingMember('txid');
  const txid = parseHash(text, 'txid');
  // Read after the id was parsed: a member is decoded, and may fail, when it is read.
  const { vout } = output;
  if (vout === undefined) throw missingMember('vout');
  if (vout < 0) throw invalidParameter('Invalid parameter, vout must be positive');
  const wtx = wallet.txs.get(txid);
  if (!wtx) throw invalidParameter('Invalid parameter, unknown transaction');
  if (vout >= wtx.tx.vout.length) throw invalidParameter('Invalid parameter, vout index out of bounds');
  if (wtx.isSpent(vout, wallet.deps.chain)) throw invalidParameter('Invalid parameter, expected unspent output');
  const point = { txid, vout };
  const locked = wallet.outputLocks.has(point);
  if (unlock && !locked) throw invalidParameter('Invalid parameter, expected locked output');
  if (!unlock && locked) throw invalidParameter('Invalid parameter, output already locked');
  return point;
}

/** @see docs/protocol/wallet.md 3.31 */
export const listLockUnspent: Handler<WalletModules, ListLockUnspentRequest, ListLockUnspentResponse> = (modules, _request, call) => ({
  outputs: walletOf(modules, call)
    .outputLocks.list()
    .map(({ txid, vout }) => ({ txid: formatHash(txid), vout })),
});
