import type { EvmTxRequest, EvmTxResponse } from '../../../../gen/ts/dfi/node/v1/evm.js';
import { hash160 } from '../../../crypto/hash.js';
import { evmCarrier } from '../../../dfi/evm/carrier.js';
import { evmTx as definition } from '../../../dfi/evm/evm-transaction.js';
import { toWei } from '../../../dfi/kernel/evm-numbers.js';
import { signEvmTransaction } from '../../../evm/codec/sign.js';
import { encodeEvmTransaction } from '../../../evm/codec/transaction.js';
import { addressWord } from '../../../evm/words.js';
import { ABSURD_FEE, submit } from '../../../mempool/submit.js';
import { isMoneyRange } from '../../../primitives/amount.js';
import { formatHash } from '../../../primitives/hash.js';
import type { Handler } from '../../../rpc/handler.js';
import { erc55Of } from '../../../script/erc55.js';
import { EMPTY_BYTES, isHex } from '../../../util/bytes.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { testExecution } from '../../../wallet/custom-tx/test-execution.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { vmScriptOf } from '../../accounts/evm/keys.js';
import { type CustomTxModules as SpendingModules, spendingWallet } from '../../wallet/spend/custom-tx.js';

/** Chain id of the signature, on every network; validation does not compare it. */
const CHAIN_ID = 1n;
const WEI_PER_GWEI = 10n ** 9n;
/** `defid` sends to the zero address if `to` is empty, instead of creating a contract. */
const ZERO_ADDRESS = 0n;

/** The order of checks decides the error that the caller gets; keep it. @see docs/protocol/evm-engine.md 11 */
export const evmTx: Handler<SpendingModules, EvmTxRequest, EvmTxResponse> = (modules, request, call) => {
  const wallet = spendingWallet(modules, call);
  wallet.keys.requireUnlocked();
  const from = addressOf(modules, request.from);
  if (!from) throw invalidParameter('from address not an Ethereum address');
  const secret = requireSecret(wallet, from);
  // Each is converted when it is read, so that the first fault is reported.
  if (request.nonce < 0n || request.gasprice < 0n || request.gaslimit < 0n) throw invalidParameter('Input params cannot be negative');
  const { nonce, gasprice, gaslimit } = request;
  const value = toWei(requireAmount(request.value));
  const to = recipientOf(modules, request.to);
  checkData(request.data);
  const gas = { gasPrice: gasprice * WEI_PER_GWEI, gasLimit: gaslimit };
  const unsigned = { type: 0, chainId: CHAIN_ID, nonce, ...gas, to, value, data: EMPTY_BYTES, accessList: [] } as const;
  const raw = encodeEvmTransaction(signEvmTransaction(unsigned, secret));
  const tx = evmCarrier(raw, modules.chain.params.txFormat);
  testExecution(wallet, definition, tx, undefined);
  // The transaction neither spends from the wallet nor pays it, so the wallet does not keep it.
  const { mempool, relay } = wallet.deps;
  if (!mempool.pool.get(tx.txid)) submit(wallet.deps, tx, ABSURD_FEE);
  relay?.announce(tx);
  return { txid: formatHash(tx.txid) };
};

/** Bytes of an EVM address; undefined for any other text. */
function addressOf({ chain }: SpendingModules, text: string): Uint8Array | undefined {
  const script = vmScriptOf(text, chain.params.address);
  return script && erc55Of(script);
}

function requireSecret({ keys }: Wallet, from: Uint8Array): Uint8Array {
  const publicKey = keys.publicKeyOfEvm(from);
  const key = publicKey && keys.privateKey(hash160(publicKey));
  if (!key) throw new NodeError('wallet', 'Private key for from address not found in wallet');
  return key.secret;
}

function requireAmount(amount: bigint): bigint {
  if (!isMoneyRange(amount)) throw new NodeError('type', 'Amount out of range');
  return amount;
}

function recipientOf(modules: SpendingModules, text: string): bigint {
  if (text === '') return ZERO_ADDRESS;
  const to = addressOf(modules, text);
  if (!to) throw invalidParameter('to address not an Ethereum address');
  return addressWord(to);
}

/** Checks the data, which `defid` then leaves out of the transaction. */
function checkData(data: string | undefined): void {
  if (data !== undefined && !isHex(data)) throw invalidParameter('Input param expected to be in hex format');
}
