import type {
  BitcoinReceived,
  SpvGetPeersRequest,
  SpvGetPeersResponse,
  SpvGetRawTransactionRequest,
  SpvGetRawTransactionResponse,
  SpvListReceivedByAddressRequest,
  SpvListReceivedByAddressResponse,
  SpvListTransactionsRequest,
  SpvListTransactionsResponse,
  SpvRescanRequest,
  SpvRescanResponse,
} from '../../../gen/ts/dfi/node/v1/bitcoin.js';
import { bitcoinAddressOf, hashOfBitcoinAddress, isBitcoinAddress } from '../../bitcoin/addresses.js';
import type { BitcoinWallet } from '../../bitcoin/wallet.js';
import { formatHash, type Hash160 } from '../../primitives/hash.js';
import type { TxOut } from '../../primitives/transaction.js';
import type { Handler } from '../../rpc/handler.js';
import { parseHash } from '../../rpc/shapes.js';
import { toHex } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import { requireBitcoin } from '../anchors/modules.js';
import type { BitcoinModules } from './modules.js';

export const spvListTransactions: Handler<BitcoinModules, SpvListTransactionsRequest, SpvListTransactionsResponse> = (modules) => ({
  txids: Array.from(requireBitcoin(modules).transactions(), ({ txid }) => formatHash(txid)),
});

export const spvGetRawTransaction: Handler<BitcoinModules, SpvGetRawTransactionRequest, SpvGetRawTransactionResponse> = (
  modules,
  request,
) => {
  const { chain } = requireBitcoin(modules);
  const found = chain.find(parseHash(request.txid, ''));
  return { hex: found ? toHex(found.tx.raw) : '' };
};

export const spvListReceivedByAddress: Handler<BitcoinModules, SpvListReceivedByAddressRequest, SpvListReceivedByAddressResponse> = (
  modules,
  request,
) => {
  const bitcoin = requireBitcoin(modules);
  const least = request.minconf ?? 1;
  const filter = readFilter(request.addressFilter);
  const received = new Map<string, BitcoinReceived>();
  for (const { txid, vout } of bitcoin.transactions(filter?.hash)) {
    const confirmations = bitcoin.confirmations(txid);
    if (confirmations < least) continue;
    for (const output of vout) {
      const paid = ownAddress(bitcoin, output);
      if (!paid || (filter && filter.address !== paid.address)) continue;
      const before = received.get(paid.address) ?? { ...paid, amount: 0n, confirmations, txids: [] };
      received.set(paid.address, {
        ...before,
        amount: before.amount + output.value,
        confirmations: Math.min(before.confirmations, confirmations),
        txids: [...before.txids, formatHash(txid)],
      });
    }
  }
  return { received: [...received.values()].sort((a, b) => (a.address < b.address ? -1 : 1)) };
};

/** Address of a filter with the hash in it, if it has one; undefined for no filter. @throws {NodeError} `invalid-address` */
export function readFilter(address = ''): { readonly address: string; readonly hash: Hash160 | undefined } | undefined {
  if (address === '') return undefined;
  if (!isBitcoinAddress(address)) throw new NodeError('invalid-address', 'Invalid address');
  return { address, hash: hashOfBitcoinAddress(address) };
}

/** Address of ours that an output pays. As in `defid`, that of P2PK is the P2PKH address of the key. */
function ownAddress(bitcoin: BitcoinWallet, { scriptPubKey }: TxOut): Pick<BitcoinReceived, 'address' | 'type'> | undefined {
  const address = bitcoinAddressOf(scriptPubKey);
  const hash = hashOfBitcoinAddress(address);
  const kind = hash && bitcoin.kindOf(hash);
  return kind && { address, type: kind === 'key' ? 'Bech32' : 'HTLC' };
}

export const spvGetPeers: Handler<BitcoinModules, SpvGetPeersRequest, SpvGetPeersResponse> = (modules) => {
  requireBitcoin(modules);
  return { peers: {} };
};

/** Always an error, as in `defid` on regtest. Its text is about peers, which the Bitcoin chain of regtest does not have. */
export const spvRescan: Handler<BitcoinModules, SpvRescanRequest, SpvRescanResponse> = (modules, request) => {
  // The type of the height is checked before anything else.
  void request.height;
  requireBitcoin(modules);
  throw new NodeError('misc', 'SPV not connected');
};
