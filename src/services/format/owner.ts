import { isStandardScript } from '../../mempool/policy.js';
import type { NetworkParams } from '../../params/network.js';
import { decodeDestination, ownerText, scriptOf } from '../../script/address.js';
import { fromHex, isHex } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';

/** Longest data script that is relayed. */
export const MAX_DATA_SCRIPT = 65_536;

/**
 * Script that an owner's text stands for: an address, or the hex of a script of a known form.
 * @throws {NodeError} `invalid-address`
 * @see spec: accounts 7.1
 */
export function parseOwner(text: string, { address }: Pick<NetworkParams, 'address'>): Uint8Array {
  if (isHex(text)) {
    const script = fromHex(text);
    if (!isStandardScript(script, MAX_DATA_SCRIPT)) {
      throw new NodeError('invalid-address', `recipient script (${text}) does not solvable/non-standard`);
    }
    return script;
  }
  const destination = decodeDestination(text, address);
  if (!destination) throw new NodeError('invalid-address', `recipient (${text}) does not refer to any valid address`);
  return scriptOf(destination);
}

/** The address of a script, or its hex where no address stands for it. */
export function formatOwner(script: Uint8Array, { address }: Pick<NetworkParams, 'address'>): string {
  return ownerText(script, address);
}
