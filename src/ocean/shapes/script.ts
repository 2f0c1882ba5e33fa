import { knowsEvm, type NetworkParams } from '../../params/network.js';
import { decodeDestination, ownerText, scriptOf } from '../../script/address.js';
import { classify } from '../../script/standard.js';
import { toHex } from '../../util/bytes.js';
import { badRequest } from '../api/errors.js';
import { pathText } from '../api/request.js';
import type { OceanRequest } from '../api/route.js';

/** Script of the address in the path. @throws {OceanError} if the text is no address of this network; those of the EVM have no coins */
export function pathScript(request: OceanRequest, { address }: Pick<NetworkParams, 'address'>): Uint8Array {
  const destination = decodeDestination(pathText(request, 'address'), address);
  if (!destination) throw badRequest('InvalidDefiAddress');
  return scriptOf(destination);
}

/** Output script as answers show it. `type` is that of `getrawtransaction`. */
export function shownScript(script: Uint8Array, params: Pick<NetworkParams, 'upgrades'>) {
  return { type: classify(script, { metachain: knowsEvm(params) }).type, hex: toHex(script) };
}

/** Address of an owner, or the hex of a script that has none. */
export function shownOwner(script: Uint8Array, params: Pick<NetworkParams, 'address' | 'upgrades'>): string {
  return ownerText(script, params.address, { metachain: knowsEvm(params) });
}
