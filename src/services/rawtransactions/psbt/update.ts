import type { UtxoUpdatePsbtRequest, UtxoUpdatePsbtResponse } from '../../../../gen/ts/dfi/rawtransactions/v1/rawtransactions.js';
import type { DescriptorEntry } from '../../../../gen/ts/dfi/types/v1/descriptor.js';
import type { AddressParams } from '../../../params/network.js';
import type { TxOut } from '../../../primitives/transaction.js';
import { formatLongPsbt } from '../../../psbt/text.js';
import { updatePsbt } from '../../../psbt/update.js';
import { rawJson } from '../../../rpc/bind.js';
import type { Handler } from '../../../rpc/handler.js';
import { withoutSecrets } from '../../../script/key-source.js';
import { KnownScripts } from '../../../script/known-scripts.js';
import { Slicer } from '../../../util/slicer.js';
import { expandScanObjects } from '../../format/scan-objects.js';
import { parsePsbtArgument } from '../format/arguments.js';
import type { RawtransactionsModules } from '../modules.js';
import { type CoinModules, findOutput } from '../signing/coins.js';

type Modules = CoinModules & { readonly chain: Pick<RawtransactionsModules['chain'], 'params'> };

/** @see docs/protocol/rpc-chain.md 3.3.18 */
export const utxoUpdatePsbt: Handler<Modules, UtxoUpdatePsbtRequest, UtxoUpdatePsbtResponse> = async (modules, request, call) => {
  const { address, txFormat } = modules.chain.params;
  const slicer = new Slicer(call.signal);
  const psbt = await slicer.run(parsePsbtArgument(request.psbt, txFormat));
  const known = await readDescriptors(request, address, call.signal);
  const outputOf = (index: number): TxOut | undefined => {
    const point = psbt.tx.vin[index]?.prevout;
    return point && findOutput(modules, point);
  };
  const updated = await slicer.run(updatePsbt(psbt, { format: txFormat, keys: withoutSecrets(known), outputOf }));
  return { psbt: await slicer.run(formatLongPsbt(updated, txFormat)) };
};

/** Scripts and keys of all descriptors together. */
async function readDescriptors(request: UtxoUpdatePsbtRequest, address: AddressParams, signal: AbortSignal): Promise<KnownScripts> {
  const known = new KnownScripts();
  const json = rawJson(request, 'descriptors');
  const entries: readonly DescriptorEntry[] = json === null ? [] : request.descriptors;
  for await (const expansion of expandScanObjects({ entries, json }, address, { aborted: false }, signal)) known.add(expansion);
  return known;
}
