import { hash160 } from '../crypto/hash.js';
import { evmStateAccounts } from '../dfi/evm/state-columns.js';
import { signEvmTransaction, type UnsignedEvmTransaction } from '../evm/codec/sign.js';
import { type EvmTransaction, encodeEvmTransaction, impersonationOf } from '../evm/codec/transaction.js';
import { addressBytes, addressWord } from '../evm/words.js';
import { erc55Script } from '../script/erc55.js';
import { EMPTY_BYTES } from '../util/bytes.js';
import { inSlices, type MaybePromise, withValue } from '../util/slicer.js';
import type { CallRequest } from './calls/call-request.js';
import { customError } from './errors.js';
import { lastBaseFee, suggestedPriorityFee } from './fees.js';
import type { EthereumCall } from './method.js';
import type { EthereumModules } from './modules.js';

const DEFAULT_GAS = 21_000n;

/** EVM addresses in the address books of all wallets. */
export function accountsOf({ wallets }: Pick<EthereumModules, 'wallets'>): Uint8Array[] {
  return [...(wallets?.loaded() ?? [])].flatMap(({ book }) => book.evmAddresses());
}

/** A request that was completed and signed. */
export interface SignedRequest {
  /** Bytes of the transaction. */
  readonly raw: Uint8Array;
  /** False if the caller gave no nonce, and the one that was chosen is no longer the first that is free. */
  isCurrent(): boolean;
}

/**
 * Completes a request of a caller and signs it with the key of a wallet; for an impersonated sender, with the reserved form of a signature.
 * @throws {EthereumError} @see docs/protocol/evm-engine.md 10.5
 */
export function signRequest(modules: EthereumModules, request: CallRequest, call: EthereumCall): MaybePromise<SignedRequest> {
  const { evmChainId } = modules.chain.params;
  if (request.chainId !== undefined && request.chainId !== BigInt(evmChainId)) throw customError(`the chain id is ${evmChainId}`);
  const [first] = accountsOf(modules);
  const from = request.from ?? (first && addressWord(first));
  if (from === undefined) throw customError('from is not available');
  if (request.gasPrice !== undefined && request.maxFeePerGas !== undefined) throw customError('invalid transaction message parameters');
  const named = request.gasPrice ?? request.maxFeePerGas;
  const price = named ?? suggestedPrice(modules, call);
  return withValue(price, (perGas) => {
    const nonce = nonceFor(modules, from, request);
    const raw = encodeEvmTransaction(sign(modules, from, completed(modules, nonce, request, perGas)));
    return { raw, isCurrent: () => nonceFor(modules, from, request) === nonce };
  });
}

/** Nonce that the caller gave, or the first one that is free. */
function nonceFor({ chain, mempool }: EthereumModules, from: bigint, { nonce }: CallRequest): bigint {
  return nonce ?? mempool.evm.freeNonce(from, chain.state.get(evmStateAccounts, from)?.nonce ?? 0n);
}

function suggestedPrice({ chain, execution }: EthereumModules, call: EthereumCall): MaybePromise<bigint> {
  const above = inSlices(suggestedPriorityFee(chain, execution.priorityFeePercentile), call);
  return withValue(above, (fee) => lastBaseFee(chain.state) + fee);
}

function completed({ chain }: EthereumModules, nonce: bigint, request: CallRequest, price: bigint): UnsignedEvmTransaction {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas = 0n, accessList, to, gas = DEFAULT_GAS, value = 0n } = request;
  const common = { nonce, gasLimit: gas, to, value, data: request.input ?? request.data ?? EMPTY_BYTES };
  const chainId = BigInt(chain.params.evmChainId);
  if (accessList && maxFeePerGas === undefined) return { type: 1, chainId, gasPrice: price, accessList, ...common };
  if (gasPrice !== undefined) return { type: 0, chainId, gasPrice: price, accessList: [], ...common };
  return { type: 2, chainId, maxFee: price, maxPriorityFee: maxPriorityFeePerGas, accessList: accessList ?? [], ...common };
}

function sign(modules: EthereumModules, from: bigint, unsigned: UnsignedEvmTransaction): EvmTransaction {
  const secret = secretOf(modules, from);
  const isImpersonated = modules.devNetwork?.impersonated?.has(erc55Script(addressBytes(from)));
  if (!secret && isImpersonated) return { ...unsigned, signature: impersonationOf(from) };
  if (!secret) throw customError('Error parsing SecretKey Invalid secret key');
  return signEvmTransaction(unsigned, secret);
}

/** Secret key of an address; undefined if no open wallet has it. */
export function secretOf({ wallets }: Pick<EthereumModules, 'wallets'>, address: bigint): Uint8Array | undefined {
  for (const { keys } of wallets?.loaded() ?? []) {
    const publicKey = keys.publicKeyOfEvm(addressBytes(address));
    const key = publicKey && keys.privateKey(hash160(publicKey));
    if (key) return key.secret;
  }
  return undefined;
}
