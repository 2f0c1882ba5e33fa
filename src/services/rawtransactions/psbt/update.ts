import type { UtxoUpdatePsbtRequest, UtxoUpdatePsbtResponse } from '../../../../gen/ts/dfi/rawtransactions/v1/rawtransactions.js';
import type { DescriptorEntry } from '../../../../gen/ts/dfi/types/v1/descriptor.js';
import type { AddressParams } from '../../../params/network.js';
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
import { parsePsbtArgument } from '../format/arguments.js';
import type { RawtransactionsModules } from '../modules.js';
import { type CoinModules, findOutput } from '../signing/coins.js';

type Modules = CoinModules & { readonly chain: Pick<RawtransactionsModules['chain'], 'params'> };

/** @see docs/protocol/rpc-chain.md 3.3.18 */
export const utxoUpdatePsbt: Handler<Modules, UtxoUpdatePsbtRequest, UtxoUpdatePsbtResponse> = (modules, request, call) => {
  const { address, txFormat } = modules.chain.params;
  return withValue(inSlices(parsePsbtArgument(request.psbt, txFormat), call), (psbt) =>
    withValue(readDescriptors(request, address, call), (known) => inSlices(update(psbt, known, modules), call)),
  );
};

function* update(psbt: Psbt, known: KnownScripts, modules: Modules): Steps<UtxoUpdatePsbtResponse> {
  const { txFormat } = modules.chain.params;
  const outputOf = (index: number): TxOut | undefined => {
    const point = psbt.tx.vin[index]?.prevout;
    return point && findOutput(modules, point);
  };
  const updated = yield* updatePsbt(psbt, { format: txFormat, keys: withoutSecrets(known), outputOf });
  return { psbt: yield* formatLongPsbt(updated, txFormat) };
}

/** Scripts and keys of all descriptors together. */
function readDescriptors(request: UtxoUpdatePsbtRequest, address: AddressParams, call: Abortable): MaybePromise<KnownScripts> {
  const json = rawJson(request, 'descriptors');
  const entries: readonly DescriptorEntry[] = json === null ? [] : request.descriptors;
  return entries.length === 0 ? new KnownScripts() : expand({ entries, json }, address, call);
}

async function expand(objects: ScanObjects, address: AddressParams, call: Abortable): Promise<KnownScripts> {
  const known = new KnownScripts();
  for await (const expansion of expandScanObjects(objects, address, { aborted: false }, call)) known.add(expansion);
  return known;
}
