import { randomInt } from 'node:crypto';
import type {
  SpvFundAddressRequest,
  SpvFundAddressResponse,
  SpvGetBalanceRequest,
  SpvGetBalanceResponse,
  SpvGetFeeRateRequest,
  SpvGetFeeRateResponse,
  SpvSendToAddressRequest,
  SpvSendToAddressResponse,
} from '../../../gen/ts/dfi/node/v1/bitcoin.js';
import { scriptOfBitcoinAddress } from '../../bitcoin/addresses.js';
import { DUST, inputOf } from '../../bitcoin/form.js';
import { FEE_RATE, MIN_FEE_RATE, type PlannedPayment, planPayment } from '../../bitcoin/payment.js';
import { BITCOIN_FORMAT } from '../../bitcoin/regtest-bitcoin.js';
import { hash160 } from '../../crypto/hash.js';
import { COIN } from '../../primitives/amount.js';
import { formatHash } from '../../primitives/hash.js';
import type { Transaction } from '../../primitives/transaction.js';
import type { Handler } from '../../rpc/handler.js';
import { destinationOf, scriptOf } from '../../script/address.js';
import { signInputs } from '../../script/sign-inputs.js';
import { SIGHASH_ALL } from '../../script/signature-encoding.js';
import { invalidParameter, NodeError } from '../../util/errors.js';
import type { Wallet } from '../../wallet/wallet.js';
import { requireBitcoin } from '../anchors/modules.js';
import { walletOf } from '../wallet/modules.js';
import { newBitcoinKey, takeKey } from './addresses.js';
import type { BitcoinModules } from './modules.js';

/** Output that every funding transaction spends; the Bitcoin chain of regtest does not check that it exists. */
const FUNDING = { prevout: { txid: new Uint8Array(32).fill(0x11), vout: 0 }, value: COIN + 1_000n };

export const spvFundAddress: Handler<BitcoinModules, SpvFundAddressRequest, SpvFundAddressResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  const bitcoin = requireBitcoin(modules, 'command disabled');
  const script = requireScript(request.address);
  const scriptPubKey = scriptOf({ type: 'wpkh', hash: hash160(takeKey(wallet)) });
  wallet.commit();
  const vout = [{ value: COIN, scriptPubKey: script, tokenId: 0 }];
  const coins = [{ prevout: FUNDING.prevout, output: { value: FUNDING.value, scriptPubKey, tokenId: 0 } }];
  const tx = sign(wallet, { fields: { version: 1, vin: [inputOf(FUNDING.prevout)], vout, lockTime: 0 }, coins });
  bitcoin.chain.send(tx);
  return { txid: formatHash(tx.txid) };
};

/** Script that pays an address. @throws {NodeError} `invalid-address` */
function requireScript(address: string): Uint8Array {
  const script = scriptOfBitcoinAddress(address);
  if (!script) throw new NodeError('invalid-address', 'Invalid address');
  return script;
}

/** Signs with keys of the wallet. @throws {NodeError} `wallet` */
function sign({ keys }: Wallet, { fields, coins }: PlannedPayment): Transaction {
  for (const { output } of coins) {
    const destination = destinationOf(output.scriptPubKey);
    // Coins are found by the hash alone. An output may pay a hash of ours in a form that our key cannot spend.
    if (destination?.type !== 'pkh' && destination?.type !== 'wpkh') throw new NodeError('wallet', 'Failed to get address hash.');
    if (!keys.privateKey(destination.hash)) throw new NodeError('wallet', 'Failed to get address private key.');
  }
  const outputs = new Map(fields.vin.map(({ prevout }, i) => [prevout, coins[i]?.output]));
  const options = { format: BITCOIN_FORMAT, keys, hashType: SIGHASH_ALL };
  const { tx, faults } = signInputs(fields, { ...options, output: (prevout) => outputs.get(prevout) });
  if (faults.length > 0) throw new NodeError('wallet', 'Failed to sign transaction.');
  return tx;
}

export const spvGetBalance: Handler<BitcoinModules, SpvGetBalanceRequest, SpvGetBalanceResponse> = (modules) => ({
  balance: requireBitcoin(modules).balance,
});

export const spvSendToAddress: Handler<BitcoinModules, SpvSendToAddressRequest, SpvSendToAddressResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  const bitcoin = requireBitcoin(modules);
  const { address, amount } = request;
  if (amount <= 0n) throw invalidParameter('Invalid amount');
  wallet.keys.requireUnlocked();
  const { feerate: feeRate = FEE_RATE } = request;
  // As in `defid`, a negative rate is a huge one.
  if (feeRate >= 0n && feeRate < MIN_FEE_RATE) throw invalidParameter('Fee size below minimum acceptable amount');
  const script = requireScript(address);
  if (amount < DUST) throw invalidParameter(`Amount below dust threshold, minimum required: ${DUST}`);
  // The address for change is used up also if there is none, or if the payment fails.
  const changeScript = scriptOf({ type: 'wpkh', hash: newBitcoinKey(wallet, bitcoin) });
  const tx = sign(wallet, planPayment(bitcoin, { script, amount, changeScript, feeRate }, randomInt));
  bitcoin.chain.send(tx);
  return { txid: formatHash(tx.txid), sendmessage: '' };
};

export const spvGetFeeRate: Handler<BitcoinModules, SpvGetFeeRateRequest, SpvGetFeeRateResponse> = (modules) => {
  requireBitcoin(modules);
  return { feerate: FEE_RATE };
};
