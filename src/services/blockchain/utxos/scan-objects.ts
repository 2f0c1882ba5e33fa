import type { ScanTxOutSetRequest } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { rawJson } from '../../../rpc/bind.js';
import { inferDescriptor } from '../../../script/infer.js';
import { KnownScripts } from '../../../script/known-scripts.js';
import { toHex } from '../../../util/bytes.js';
import type { Abortable } from '../../../util/slicer.js';
import { expandScanObjects, type ScanControl } from '../../format/scan-objects.js';
import { type ScriptParams, scriptOptions } from '../../format/script.js';

/**
 * Scripts of the scan objects. Works in slices.
 * @returns descriptors with checksum by script in hex, inferred from the keys of the objects up to the one with the script
 * @throws {NodeError} for the first invalid object
 */
export async function readScanObjects(
  request: Pick<ScanTxOutSetRequest, 'scanobjects'>,
  params: ScriptParams,
  control: ScanControl,
  call?: Abortable,
): Promise<Map<string, string>> {
  const known = new KnownScripts(scriptOptions(params));
  const described = new Map<string, string>();
  const objects = { entries: request.scanobjects, json: rawJson(request, 'scanobjects') };
  for await (const expansion of expandScanObjects(objects, params, control, call)) {
    known.add(expansion);
    for (const script of expansion.scripts) {
      const hex = toHex(script);
      if (!described.has(hex)) described.set(hex, inferDescriptor(script, known, params.address).format());
    }
  }
  return described;
}
