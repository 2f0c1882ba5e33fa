import type {
  ImportPrunedFundsRequest,
  ImportPrunedFundsResponse,
  RemovePrunedFundsRequest,
  RemovePrunedFundsResponse,
} from '../../../../gen/ts/dfi/wallet/v1/wallet.js';
import { DecodeError, decode } from '../../../primitives/codec.js';
import { blockHash } from '../../../primitives/header.js';
import { type MerkleBlock, merkleBlock, readPartialMerkleTree } from '../../../primitives/partial-merkle.js';
import type { Transaction } from '../../../primitives/transaction.js';
import { rawJson } from '../../../rpc/bind.js';
import type { Handler } from '../../../rpc/handler.js';
import { parseHash, parseHex } from '../../../rpc/shapes.js';
import { equalBytes } from '../../../util/bytes.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { inSlices, withValue } from '../../../util/slicer.js';
import { Ownership } from '../../../wallet/keys/ownership.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { ANY_ENCODING, decodeTransactionHex } from '../../rawtransactions/format/decode.js';
import { type WalletModules, walletOf } from '../modules.js';

/** @see docs/protocol/wallet.md 3.25 */
export const importPrunedFunds: Handler<WalletModules, ImportPrunedFundsRequest, ImportPrunedFundsResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  return withValue(inSlices(decodeTransactionHex(request.rawtransaction, ANY_ENCODING, modules.chain.params.txFormat), call), (tx) =>
    importProven(modules, wallet, tx, request),
  );
};

function importProven(
  { chain }: WalletModules,
  wallet: Wallet,
  tx: Transaction,
  request: ImportPrunedFundsRequest,
): ImportPrunedFundsResponse {
  const { header, tree } = readProof(proofOf(request));
  const proven = readPartialMerkleTree(tree);
  if (!proven || !equalBytes(proven.root, header.merkleRoot)) throw refuse('Something wrong with merkleblock');
  const entry = chain.entry(blockHash(header));
  if (!entry || !chain.isActive(entry)) throw refuse('Block not found in chain');
  const at = proven.leaves.findIndex((leaf) => equalBytes(leaf, tx.txid));
  if (at < 0) throw refuse("Transaction given doesn't exist in proof");
  if (tx.vout.every(({ scriptPubKey }) => wallet.ownershipOf(scriptPubKey) === Ownership.None)) {
    throw refuse('No addresses in wallet correspond to included transaction');
  }
  wallet.tracker.import(tx, { entry, index: proven.positions[at] ?? 0 });
  wallet.commit();
  return {};
}

/** Proof in hex; a value of another type counts as an empty text. */
function proofOf(request: ImportPrunedFundsRequest): string {
  const json = rawJson(request, 'txoutproof');
  return json === undefined || typeof json === 'string' ? request.txoutproof : '';
}

function refuse(message: string): NodeError {
  return new NodeError('not-found', message);
}

function readProof(hex: string): MerkleBlock {
  const bytes = parseHex(hex, 'proof');
  try {
    return decode(merkleBlock, bytes);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new NodeError('misc', `CDataStream::read(): ${error.message}: iostream error`, { cause: error });
  }
}

/** @see docs/protocol/wallet.md 3.41 */
export const removePrunedFunds: Handler<WalletModules, RemovePrunedFundsRequest, RemovePrunedFundsResponse> = (modules, request, call) => {
  const wallet = walletOf(modules, call);
  const wtx = wallet.txs.get(parseHash(request.txid, 'txid'));
  if (!wtx) throw invalidParameter('Transaction does not exist in wallet.');
  wallet.txs.remove(wtx);
  wallet.commit();
  return {};
};
