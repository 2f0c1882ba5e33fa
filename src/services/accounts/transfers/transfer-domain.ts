import type {
  DomainTransfer,
  DomainTransferSide,
  TransferDomainRequest,
  TransferDomainResponse,
} from '../../../../gen/ts/dfi/accounts/v1/accounts.js';
import { compressed, uncompressed } from '../../../crypto/ecdsa.js';
import { hash160 } from '../../../crypto/hash.js';
import { encodeTransferCall } from '../../../dfi/evm/transfer-call.js';
import { transferDomain as definition, transferCall } from '../../../dfi/evm/transfer-domain.js';
import { Domain, type TransferDomain, type TransferItem } from '../../../dfi/evm/transfer-domain-body.js';
import { EvmState } from '../../../dfi/evm/view-state.js';
import { signEvmTransaction } from '../../../evm/codec/sign.js';
import { encodeEvmTransaction } from '../../../evm/codec/transaction.js';
import { TRANSFER_DOMAIN } from '../../../evm/contracts/addresses.js';
import { addressWord } from '../../../evm/words.js';
import { rawJson } from '../../../rpc/bind.js';
import type { Handler } from '../../../rpc/handler.js';
import { asArray, asInteger, asObject, asText, INT32 } from '../../../rpc/scalars.js';
import { scriptOf, vmOwnerText } from '../../../script/address.js';
import { erc55Of, evmAddressOf } from '../../../script/erc55.js';
import { EMPTY_BYTES, equalBytes } from '../../../util/bytes.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { JsonNumber, JsonObject, type JsonValue } from '../../../util/json.js';
import { INT64_MAX, INT64_MIN } from '../../../util/numbers.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { checkMembers } from '../../format/options-object.js';
import { readTokenAmount } from '../../format/token-amounts.js';
import { tokenNames } from '../../format/token-names.js';
import { sendFor, spendingWallet } from '../../wallet/spend/custom-tx.js';
import { requireKeyOf, vmScriptOf } from '../evm/keys.js';
import type { DomainModules } from '../modules.js';

/** Transfer with its signed EVM transaction. */
interface SignedTransfer {
  readonly src: TransferItem;
  readonly dst: TransferItem;
  /** Script that must authorise the transfer. */
  readonly auth: Uint8Array;
}

/** Reads and signs all given transfers, although the network accepts only one per transaction. @see docs/protocol/evm.md 9.1 */
export const transferDomain: Handler<DomainModules, TransferDomainRequest, TransferDomainResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call, 'transferdomain');
  wallet.keys.requireUnlocked();
  const signed = givenTransfers(request).map((given) => signTransfer(modules, wallet, given));
  const body: TransferDomain = { transfers: signed.map(({ src, dst }) => ({ src, dst })) };
  return sendFor(wallet, call, {
    definition,
    body,
    auths: signed.map(({ auth }) => auth),
    change: 'first-auth',
    signsFirst: true,
    // `defid` ignores the options of the call here.
    coinSearch: wallet.deps.settings.coinSearch,
  });
};

/** Transfers as JSON, from any transport. */
function givenTransfers(request: TransferDomainRequest): readonly JsonValue[] {
  const json = rawJson(request, 'array');
  return json === undefined ? request.array.map(transferAsJson) : asArray(json);
}

function transferAsJson({ src, dst, nonce, singlekeycheck }: DomainTransfer): JsonValue {
  return objectOf({
    src: src && sideAsJson(src),
    dst: dst && sideAsJson(dst),
    nonce: nonce === undefined ? undefined : new JsonNumber(String(nonce)),
    singlekeycheck,
  });
}

function sideAsJson({ address, amount, domain }: DomainTransferSide): JsonValue {
  return objectOf({ address, amount, domain: domain === undefined ? undefined : new JsonNumber(String(domain)) });
}

function objectOf(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return new JsonObject(Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));
}

/** Reads and signs a transfer. The order of checks decides the error that the caller gets; keep it. */
function signTransfer(modules: DomainModules, wallet: Wallet, json: JsonValue): SignedTransfer {
  const given = asObject(json);
  checkMembers(given, { src: 'object', dst: 'object', nonce: 'number', singlekeycheck: 'bool' });
  const [srcGiven, dstGiven] = [asObject(given.get('src') ?? null), asObject(given.get('dst') ?? null)];
  const src = readSide(modules, srcGiven, 'src');
  const key = requireKeyOf(wallet, src.address);
  const auth = authOf(src, key);
  const dst = readSide(modules, dstGiven, 'dst');
  const single = given.get('singlekeycheck') ?? null;
  if (single === null ? modules.singleKeyTransfers : single === true) requireSameKey(wallet, key, dst.address);
  const privateKey = wallet.keys.privateKey(hash160(key));
  if (!privateKey) throw new NodeError('wallet', 'Private key for from address not found in wallet');
  const sender = evmAddressOf(key);
  if (!sender) throw new NodeError('internal', 'Wallet contains an invalid public key');
  const nonce = nonceOf(wallet, given.get('nonce') ?? null, addressWord(sender));
  const { params } = modules.chain;
  const isIn = src.domain === Domain.dvm;
  const account = isIn ? (erc55Of(dst.address) ?? NO_ADDRESS) : sender;
  const native = vmOwnerText(isIn ? src.address : dst.address, params.address);
  const call = transferCall({ edge: isIn ? 'dvm-evm' : 'evm-dvm', amount: dst.amount, account, native });
  const free = { type: 0, gasPrice: 0n, gasLimit: 0n, value: 0n, accessList: [], chainId: BigInt(params.evmChainId) } as const;
  const unsigned = { ...free, nonce, to: TRANSFER_DOMAIN, data: encodeTransferCall(call) };
  const data = encodeEvmTransaction(signEvmTransaction(unsigned, privateKey.secret));
  return { src: isIn ? src : { ...src, data }, dst: isIn ? { ...dst, data } : dst, auth };
}

/** Placeholder for the EVM address if the destination is no EVM address; the rules reject such a transfer later. */
const NO_ADDRESS = new Uint8Array(20);

function readSide({ chain }: DomainModules, given: JsonObject, name: 'src' | 'dst'): TransferItem {
  const required = (member: string): JsonValue => {
    const value = given.get(member) ?? null;
    if (value !== null) return value;
    throw invalidParameter(`Invalid parameters, ${name} argument "${member}" must not be null`);
  };
  const address = vmScriptOf(asText(required('address')), chain.params.address);
  if (!address) throw invalidParameter(`Invalid ${name} address provided`);
  const { amount, token } = readTokenAmount(required('amount'), '', tokenNames(chain.state));
  const domain = Number(BigInt.asUintN(8, asInteger(required('domain'), INT32.least, INT32.most)));
  return { address, amount: { tokenId: token, amount }, domain, data: EMPTY_BYTES };
}

/** Required signer: a DVM source itself; for an EVM source the DVM address of its key. */
function authOf({ domain, address }: TransferItem, key: Uint8Array): Uint8Array {
  if (domain === Domain.dvm) return address;
  if (domain === Domain.evm) return scriptOf({ type: 'wpkh', hash: hash160(compressed(key) ?? key) });
  const text = `domain" must be either ${Domain.dvm} (DFI token to EVM) or ${Domain.evm} (EVM to DFI token)`;
  throw invalidParameter(`Invalid parameters, src argument "${text}`);
}

function requireSameKey(wallet: Wallet, key: Uint8Array, other: Uint8Array): void {
  const [own, theirs] = [uncompressed(key), uncompressed(requireKeyOf(wallet, other))];
  if (own && theirs && equalBytes(own, theirs)) return;
  throw new NodeError('invalid-address', 'Dst address does not match source key');
}

/** Nonce that is given, else the first one that the account and the mempool have not used. */
function nonceOf({ deps: { chain, mempool } }: Wallet, json: JsonValue, sender: bigint): bigint {
  if (json !== null) return BigInt.asUintN(64, asInteger(json, INT64_MIN, INT64_MAX));
  return mempool.evm.freeNonce(sender, new EvmState(chain.state).account(sender)?.nonce ?? 0n);
}
