import type { UtxoUpdatePsbtRequest, UtxoUpdatePsbtResponse } from '../../../../gen/ts/dfi/rawtransactions/v1/rawtransactions.js';
import type { DescriptorEntry } from '../../../../gen/ts/dfi/types/v1/descriptor.js';
import type { TxOut } from '../../../primitives/transaction.js';
import type { Psbt } from '../../../psbt/psbt.js';
import { formatLongPsbt } from '../../../psbt/text.js';
import { updatePsbt } from '../../../psbt/update.js';
import { rawJson } from '../../../rpc/bind.js';
import type { Handler } from '../../../rpc/handler.js';
import { withoutSecrets } from '../../../script/key-source.js';
import { KnownScripts } from '../../../script/known-scripts.js';
import { type Abortable, inSlices, type MaybePromise, type Steps, withValue } from '../../../util/slicer.js';
import { expandScanObjects, type ScanObjects } from '../../format/scan-objects.js';
import { type ScriptParams, scriptOptions } from '../../format/script.js';
import { parsePsbtArgument } from '../format/arguments.js';
import type { RawtransactionsModules } from '../modules.js';
import { type CoinModules, findOutput } from '../signing/coins.js';

type Modules = CoinModules & { readonly chain: Pick<RawtransactionsModules['chain'], 'params'> };

/** @see docs/protocol/rpc-chain.md 3.3.18 */
export const utxoUpdatePsbt: Handler<Modules, UtxoUpdatePsbtRequest, UtxoUpdatePsbtResponse> = (modules, request, call) => {
  const { params } = modules.chain;
  return withValue(inSlices(parsePsbtArgument(request.psbt, params.txFormat), call), (psbt) =>
    withValue(readDescriptors(request, params, call), (known) => inSlices(update(psbt, known, modules), call)),
  );
};

function* update(psbt: Psbt, known: KnownScripts, modules: Modules): Steps<UtxoUpdatePsbtResponse> {
  const { params } = modules.chain;
  const format = params.txFormat;
  const outputOf = (index: number): TxOut | undefined => {
    const point = psbt.tx.vin[index]?.prevout;
    return point && findOutput(modules, point);
  };
  const updated = yield* updatePsbt(psbt, { format, keys: withoutSecrets(known), outputOf });
  return { psbt: yield* formatLongPsbt(updated, format) };
}

/** Scripts and keys of all descriptors together. */
function readDescriptors(request: UtxoUpdatePsbtRequest, params: ScriptParams, call: Abortable): MaybePromise<KnownScripts> {
  const json = rawJson(request, 'descriptors');
  const entries: readonly DescriptorEntry[] = json === null ? [] : request.descriptors;
  return entries.length === 0 ? new KnownScripts(scriptOptions(params)) : expand({ entries, json }, params, call);
}

async function expand(objects: ScanObjects, params: ScriptParams, call: Abortable): Promise<KnownScripts> {
  const known = new KnownScripts(scriptOptions(params));
  for await (const expansion of expandScanObjects(objects, params, { aborted: false }, call)) known.add(expansion);
  return known;
}
