import type { ScriptPubKey } from '../../../gen/ts/dfi/types/v1/transaction.js';
import type { AddressParams, NetworkParams } from '../../params/network.js';
import { addressesOf } from '../../script/address.js';
import { scriptAsm } from '../../script/asm.js';
import { classify } from '../../script/standard.js';
import { toHex } from '../../util/bytes.js';
import { Lru } from '../../util/lru.js';

/** The same few scripts are shown over and over; addresses cost two hashes each. */
const REMEMBERED_SCRIPTS = 10_000;
const MAX_REMEMBERED_SIZE = 128;

const remembered = new WeakMap<AddressParams, Lru<string, ScriptPubKey>>();

function rememberedFor(address: AddressParams): Lru<string, ScriptPubKey> {
  const known = remembered.get(address) ?? new Lru<string, ScriptPubKey>(REMEMBERED_SCRIPTS);
  remembered.set(address, known);
  return known;
}

/**
 * An output script as results show it. The object may be shared with other results: treat it as frozen.
 * @see spec: rpc-chain 3.0.3
 */
export function formatScriptPubKey(script: Uint8Array, { address }: Pick<NetworkParams, 'address'>): ScriptPubKey {
  const hex = toHex(script);
  if (script.length > MAX_REMEMBERED_SIZE) return describe(script, hex, address);
  const known = rememberedFor(address);
  const before = known.get(hex);
  if (before) return before;
  const shown = describe(script, hex, address);
  known.set(hex, shown);
  return shown;
}

function describe(script: Uint8Array, hex: string, address: AddressParams): ScriptPubKey {
  const { type, reqSigs } = classify(script);
  const addresses = addressesOf(script, address);
  const paysAddress = addresses.length > 0;
  return {
    asm: scriptAsm(script, { hex }),
    hex,
    reqsigs: paysAddress ? reqSigs : undefined,
    type,
    addresses: paysAddress ? { addresses } : undefined,
  };
}
