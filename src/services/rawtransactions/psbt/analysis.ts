import type { PsbtInputAnalysis, PsbtMissing } from '../../../../gen/ts/dfi/rawtransactions/v1/psbt.js';
import type { AnalyzePsbtRequest, AnalyzePsbtResponse } from '../../../../gen/ts/dfi/rawtransactions/v1/rawtransactions.js';
import { type AnalysisOptions, analyzePsbt as analyze, type InputAnalysis } from '../../../psbt/analyze.js';
import type { Handler } from '../../../rpc/handler.js';
import type { Missing } from '../../../script/signature-data.js';
import { toHex } from '../../../util/bytes.js';
import { inSlices, type Steps } from '../../../util/slicer.js';
import { scriptOptions } from '../../format/script.js';
import { parsePsbtArgument } from '../format/arguments.js';
import type { RawtransactionsModules } from '../modules.js';

type Modules = {
  readonly chain: Pick<RawtransactionsModules['chain'], 'params'>;
  readonly mempool: Pick<RawtransactionsModules['mempool'], 'policy'>;
};

/** @see docs/protocol/rpc-chain.md 3.3.17 */
export const analyzePsbt: Handler<Modules, AnalyzePsbtRequest, AnalyzePsbtResponse> = ({ chain, mempool: { policy } }, request, call) =>
  inSlices(describe(request, { format: chain.params.txFormat, bytesPerSigOp: policy.bytesPerSigOp, ...scriptOptions(chain.params) }), call);

function* describe(request: AnalyzePsbtRequest, options: AnalysisOptions): Steps<AnalyzePsbtResponse> {
  const psbt = yield* parsePsbtArgument(request.psbt, options.format);
  const { inputs, size, fee, next } = yield* analyze(psbt, options);
  return {
    inputs: inputs.map(formatInput),
    estimatedVsize: size && BigInt(size.virtualSize),
    estimatedFeerate: size?.feePerKb,
    fee,
    next,
  };
}

function formatInput({ hasUtxo, isFinal, next, missing }: InputAnalysis): PsbtInputAnalysis {
  return { hasUtxo, isFinal, next, missing: missing && formatMissing(missing) };
}

/** Missing items. Key ids are shown in byte order, not reversed. */
function formatMissing({ publicKeys, signatures, redeemScript, witnessScript }: Missing): PsbtMissing | undefined {
  const missing = {
    pubkeys: hexList(publicKeys),
    redeemscript: redeemScript && toHex(redeemScript),
    witnessscript: witnessScript && toHex(witnessScript),
    signatures: hexList(signatures),
  };
  return Object.values(missing).some((each) => each !== undefined) ? missing : undefined;
}

function hexList(ids: readonly Uint8Array[]): PsbtMissing['pubkeys'] {
  return ids.length > 0 ? { items: ids.map(toHex) } : undefined;
}
