import type {
  CombineRawTransactionRequest,
  CombineRawTransactionResponse,
} from '../../../../gen/ts/dfi/rawtransactions/v1/rawtransactions.js';
import { makeLongTransaction, type Transaction, type TxIn, type TxOut } from '../../../primitives/transaction.js';
import type { Handler } from '../../../rpc/handler.js';
import { TransactionChecker } from '../../../script/checker.js';
import { extractSignatures } from '../../../script/extract.js';
import { noKeys } from '../../../script/key-source.js';
import { WitnessHashes } from '../../../script/sighash.js';
import { completeSignature } from '../../../script/sign.js';
import { SignatureData } from '../../../script/signature-data.js';
import { TransactionSigner } from '../../../script/signer.js';
import { NodeError } from '../../../util/errors.js';
import { toLongHex } from '../../../util/long-hex.js';
import { inSlices, type Steps } from '../../../util/slicer.js';
import { scriptOptions } from '../../format/script.js';
import { eachText } from '../format/arguments.js';
import { ANY_ENCODING, decodeTransactionHex } from '../format/decode.js';
import type { RawtransactionsModules } from '../modules.js';
import { type CoinModules, findOutput } from './coins.js';

type Modules = CoinModules & { readonly chain: Pick<RawtransactionsModules['chain'], 'params'> };

/** Version of the transaction, with the signature hashes that its inputs share. */
interface Variant {
  readonly tx: Transaction;
  readonly hashes: WitnessHashes;
}

/** @see docs/protocol/rpc-chain.md 3.3.7 */
export const combineRawTransaction: Handler<Modules, CombineRawTransactionRequest, CombineRawTransactionResponse> = (
  modules,
  request,
  call,
) => inSlices(combine(modules, request), call);

function* combine(modules: Modules, request: CombineRawTransactionRequest): Steps<CombineRawTransactionResponse> {
  const { txFormat } = modules.chain.params;
  const variants: Variant[] = [];
  for (const text of eachText(request, 'txs', () => request.txs)) {
    const tx = yield* decodeTransactionHex(text(), ANY_ENCODING, txFormat, `TX decode failed for tx ${variants.length}`);
    const hashes = new WitnessHashes(tx, txFormat);
    yield* hashes.prepare();
    variants.push({ tx, hashes });
    // Short ones are decoded without a pause.
    yield;
  }
  const [base] = variants;
  if (!base) throw new NodeError('deserialization', 'Missing transactions');
  const vin: TxIn[] = [];
  for (const [i, input] of base.tx.vin.entries()) {
    const output = findOutput(modules, input.prevout);
    if (!output) throw new NodeError('verify-error', 'Input not found or already spent');
    vin.push(yield* combineInput(variants, base, i, output, modules.chain.params));
  }
  const { raw } = yield* makeLongTransaction({ ...base.tx, vin }, txFormat);
  return { hex: yield* toLongHex(raw) };
}

/** Input with the merged signatures of all variants. */
function* combineInput(
  variants: readonly Variant[],
  base: Variant,
  index: number,
  output: TxOut,
  params: RawtransactionsModules['chain']['params'],
): Steps<TxIn> {
  const format = params.txFormat;
  const options = scriptOptions(params);
  const data = new SignatureData();
  for (const { tx, hashes } of variants) {
    yield;
    const input = tx.vin[index];
    const checker = new TransactionChecker(tx, format, index, output.value, { hashes });
    if (input) data.merge(extractSignatures(input, output, checker, options));
  }
  const signer = new TransactionSigner({ tx: base.tx, format, input: index, value: output.value, hashes: base.hashes });
  completeSignature(noKeys(options), signer, output.scriptPubKey, data);
  return { ...(base.tx.vin[index] as TxIn), scriptSig: data.scriptSig, witness: data.witness };
}
