import type {
  SubmitBlockRequest,
  SubmitBlockResponse,
  SubmitHeaderRequest,
  SubmitHeaderResponse,
} from '../../../gen/ts/dfi/mining/v1/mining.js';
import type { SubmitResult } from '../../chain/events.js';
import { WITNESS_NONCE, witnessCommitmentIndex } from '../../consensus/block.js';
import { BlockInvalid } from '../../consensus/errors.js';
import type { NetworkParams } from '../../params/network.js';
import { type Block, block as blockCodec } from '../../primitives/block.js';
import { ByteReader, compactSize, encode } from '../../primitives/codec.js';
import { formatHash } from '../../primitives/hash.js';
import { type BlockHeader, blockHeader } from '../../primitives/header.js';
import { hasWitness, isCoinbase, makeTransaction, type Transaction, transaction } from '../../primitives/transaction.js';
import type { Handler } from '../../rpc/handler.js';
import { NodeError } from '../../util/errors.js';
import { Slicer } from '../../util/slicer.js';
import { decodeFault, decoding, hexBytes } from './decode-errors.js';
import type { MiningModules } from './modules.js';

type Modules = { readonly chain: MiningModules['chain'] };

const UNDECODABLE = 'Block decode failed';
/** Length of a block in hex that takes a millisecond to decode. */
const LONG_HEX = 100_000;

/** @see docs/protocol/rpc-chain.md 3.2.5 */
export const submitBlock: Handler<Modules, SubmitBlockRequest, SubmitBlockResponse> = ({ chain }, { hexdata }) =>
  decoding(UNDECODABLE, () => submitInTime(chain, hexdata)).then(formatVerdict, (error) => {
    throw decodeFault(error, UNDECODABLE);
  });

/** Submits a large block in a later turn if this one is used up, for example by the write of the block before it. */
function submitInTime(chain: Modules['chain'], hex: string): Promise<SubmitResult> {
  const paused = hex.length > LONG_HEX ? new Slicer().pause() : undefined;
  return paused ? paused.then(() => submit(chain, hex)) : submit(chain, hex);
}

/** @throws {DecodeError} if the text is no block; the promise rejects with the same */
function submit(chain: Modules['chain'], hex: string): Promise<SubmitResult> {
  const bytes = hexBytes(hex);
  const start = readStart(bytes, chain.params);
  if (!start.coinbase) {
    // Invalid bytes fail here with the decoding error, before the check for a coinbase.
    blockCodec(chain.params.txFormat).read(new ByteReader(bytes));
    throw new NodeError('deserialization', 'Block does not start with a coinbase');
  }
  return chain.submitBlockInSlices(lacksWitnessNonce(chain, start.header, start.coinbase) ? withWitnessNonce(bytes, chain.params) : bytes);
}

function formatVerdict(result: SubmitResult): SubmitBlockResponse {
  if (result.status === 'accepted') return { verdict: undefined };
  const value = result.status === 'rejected' ? result.reason || 'rejected' : result.status;
  return { verdict: { $case: 'rejectReason', value } };
}

/** @see docs/protocol/rpc-chain.md 3.2.6 */
export const submitHeader: Handler<Modules, SubmitHeaderRequest, SubmitHeaderResponse> = ({ chain }, { hexdata }) => {
  const header = decoding('Block header decode failed', () => blockHeader.read(new ByteReader(hexBytes(hexdata))));
  if (!chain.entry(header.prevHash)) {
    throw new NodeError('block-rejected', `Must submit previous header (${formatHash(header.prevHash)}) first`);
  }
  try {
    chain.acceptHeader(header);
    return {};
  } catch (error) {
    if (error instanceof BlockInvalid) throw new NodeError('block-rejected', error.reason);
    throw error;
  }
};

/** Header and first transaction. The chain decodes the rest, so that the whole block is decoded once. */
function readStart(bytes: Uint8Array, params: NetworkParams): { readonly header: BlockHeader; readonly coinbase: Transaction | undefined } {
  const r = new ByteReader(bytes);
  const header = blockHeader.read(r);
  const first = compactSize.read(r) === 0 ? undefined : transaction(params.txFormat).read(r);
  return { header, coinbase: first && isCoinbase(first) ? first : undefined };
}

/** True if the coinbase commits to witnesses but lacks its own witness nonce, which a submitted block may omit. */
function lacksWitnessNonce(chain: Modules['chain'], { prevHash }: BlockHeader, coinbase: Transaction): boolean {
  const parent = chain.entry(prevHash);
  const segwit = parent !== undefined && parent.height + 1 >= chain.params.buried.segwit;
  return segwit && !hasWitness(coinbase) && witnessCommitmentIndex({ transactions: [coinbase] }) !== -1;
}

function withWitnessNonce(bytes: Uint8Array, params: NetworkParams): Uint8Array {
  const codec = blockCodec(params.txFormat);
  const block = codec.read(new ByteReader(bytes));
  const [coinbase, ...others] = block.transactions as [Transaction, ...Transaction[]];
  const vin = coinbase.vin.map((input) => ({ ...input, witness: [WITNESS_NONCE] }));
  const complete: Block = { ...block, transactions: [makeTransaction({ ...coinbase, vin }, params.txFormat), ...others] };
  return encode(codec, complete);
}
