import type { OutputMap, OutputValue, TransactionOutputs } from '../../../../gen/ts/dfi/types/v1/building.js';
import type { TxOut } from '../../../primitives/transaction.js';
import { asText } from '../../../rpc/scalars.js';
import { parseHex } from '../../../rpc/shapes.js';
import { scriptOf } from '../../../script/address.js';
import { Op } from '../../../script/opcodes.js';
import { buildScript } from '../../../script/script.js';
import { toHex } from '../../../util/bytes.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { JsonObject, type JsonValue } from '../../../util/json.js';
import type { Steps } from '../../../util/slicer.js';
import { type AddressChain, parseDestination } from '../../format/destination.js';
import { refuseEvmOwners } from '../../format/owner.js';
import { readTokenAmounts } from '../../format/token-amounts.js';
import type { TokenNames } from '../../format/token-names.js';

/** Address with its amounts, or embedded data. Keys may repeat, so that the reader can reject duplicates. */
type Entry = readonly [key: string, value: JsonValue];

const DATA_KEY = 'data';

/**
 * Outputs in the order of the request; for each address one per token, by rising token id.
 * @param entries see `outputEntries`
 * @throws {NodeError} @see docs/protocol/rpc-chain.md 3.3.2, rules 7 to 10
 */
export function* readOutputs(entries: readonly Entry[], chain: AddressChain, tokens: TokenNames): Steps<TxOut[]> {
  const outputs: TxOut[] = [];
  const seen = new Set<string>();
  for (const [key, value] of entries) {
    yield;
    if (key === DATA_KEY) {
      if (seen.has(DATA_KEY)) throw invalidParameter('Invalid parameter, duplicate key: data');
      seen.add(DATA_KEY);
      outputs.push({ value: 0n, scriptPubKey: buildScript(Op.RETURN, parseHex(asText(value), 'Data')), tokenId: 0 });
      continue;
    }
    const scriptPubKey = requireScript(key, chain);
    const id = toHex(scriptPubKey);
    if (seen.has(id)) throw invalidParameter(`Invalid parameter, duplicated address: ${key}`);
    seen.add(id);
    refuseEvmOwners(chain, [scriptPubKey]);
    for (const [tokenId, amount] of readTokenAmounts(value, key, tokens)) outputs.push({ value: amount, scriptPubKey, tokenId });
  }
  return outputs;
}

function requireScript(text: string, chain: AddressChain): Uint8Array {
  const destination = parseDestination(text, chain);
  if (!destination) throw new NodeError('invalid-address', `Invalid Defi address: ${text}`);
  return scriptOf(destination);
}

/** Key-value pairs of an object, or of an array of objects with one member each. */
export function outputEntries(outputs: JsonObject | readonly JsonValue[]): readonly Entry[] {
  if (outputs instanceof JsonObject) return outputs.entries;
  return outputs.map((pair) => {
    if (!(pair instanceof JsonObject)) throw invalidParameter('Invalid parameter, key-value pair not an object as expected');
    const [entry, ...others] = pair.entries;
    if (!entry || others.length > 0) throw invalidParameter('Invalid parameter, key-value pair must contain exactly one key');
    return entry;
  });
}

/** JSON form of outputs that another transport sent. */
export function outputsAsJson({ form }: TransactionOutputs): JsonObject | readonly JsonValue[] {
  if (form?.$case === 'object') return mapAsJson(form.value);
  return form ? form.value.outputs.map(mapAsJson) : [];
}

function mapAsJson({ outputs }: OutputMap): JsonObject {
  return new JsonObject(Object.entries(outputs).map(([key, value]) => [key, valueAsJson(value)] as const));
}

function valueAsJson({ form }: OutputValue): JsonValue {
  if (!form) return null;
  return form.$case === 'list' ? form.value.values : form.value;
}
