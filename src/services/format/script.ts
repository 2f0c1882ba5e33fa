import type { ScriptPubKey } from '../../../gen/ts/dfi/types/v1/transaction.js';
import { type AddressParams, knowsEvm, type NetworkParams } from '../../params/network.js';
import { addressesOf } from '../../script/address.js';
import { longScriptAsm, scriptAsm } from '../../script/asm.js';
import { MAX_SCRIPT_SIZE } from '../../script/script.js';
import { type ClassifyOptions, classify } from '../../script/standard.js';
import { toHex } from '../../util/bytes.js';
import { toLongHex } from '../../util/long-hex.js';
import { Lru } from '../../util/lru.js';
import type { Steps } from '../../util/slicer.js';

/** Size of the cache, in scripts: results repeat few scripts often, and an address costs two hashes. */
const CACHED_SCRIPTS = 10_000;
/** Longest script in the cache, in bytes. */
const MAX_CACHED_SIZE = 128;
/** Slots for hashes of scripts that were seen once; a power of two. */
const SLOTS = 2 ** 13;

/** An output script with its bytes in hex, which results may leave out. */
export type ShownScript = ScriptPubKey & { readonly hex: string };

/** Cache of scripts that were seen at least twice. Most scripts occur once, and caching those costs more than describing them. */
class ScriptCache {
  readonly #cached = new Lru<string, ShownScript>(CACHED_SCRIPTS);
  readonly #fingerprints = new Uint32Array(SLOTS);

  /** Description of a script, from the cache or made by `describe`. */
  get(script: Uint8Array, hex: string, describe: () => ShownScript): ShownScript {
    if (this.#isNew(script)) return describe();
    const before = this.#cached.get(hex);
    if (before) return before;
    const shown = describe();
    this.#cached.set(hex, shown);
    return shown;
  }

  /** Records the script's hash in its slot. Collisions are harmless: a new script may be cached, or a repeated one described again. */
  #isNew(script: Uint8Array): boolean {
    const fingerprint = fingerprintOf(script);
    const slot = fingerprint % SLOTS;
    const isNew = this.#fingerprints[slot] !== fingerprint;
    this.#fingerprints[slot] = fingerprint;
    return isNew;
  }
}

/** FNV-1a, 32 bits. */
function fingerprintOf(script: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < script.length; i++) hash = Math.imul(hash ^ (script[i] as number), 0x01000193);
  return hash >>> 0;
}

/** Parameters that decide how a script is shown. */
export type ScriptParams = Pick<NetworkParams, 'address' | 'upgrades'>;

/** Networks with an EVM are those of `defid` 4.x, which shows EVM addresses and OP_KECCAK as such. */
export function scriptOptions(params: Pick<NetworkParams, 'upgrades'>): ClassifyOptions {
  return { metachain: knowsEvm(params) };
}

type Caches = WeakMap<AddressParams, ScriptCache>;
/** Caches for networks with EVM addresses, on which scripts have other types. */
const cachesWithEvm: Caches = new WeakMap();
const cachesWithoutEvm: Caches = new WeakMap();

function cacheFor(params: ScriptParams): ScriptCache {
  const caches = knowsEvm(params) ? cachesWithEvm : cachesWithoutEvm;
  const known = caches.get(params.address) ?? new ScriptCache();
  caches.set(params.address, known);
  return known;
}

/**
 * Output script as results show it. The object may be shared with other results: treat it as frozen.
 * @see docs/protocol/rpc-chain.md 3.0.3
 */
export function formatScriptPubKey(script: Uint8Array, params: ScriptParams): ShownScript {
  const hex = toHex(script);
  const show = (): ShownScript => describe(script, hex, scriptAsm(script, { hex, ...scriptOptions(params) }), params);
  return script.length > MAX_CACHED_SIZE ? show() : cacheFor(params).get(script, hex, show);
}

/** Like {@link formatScriptPubKey} for a script of up to megabytes, in steps. */
export function* formatLongScriptPubKey(script: Uint8Array, params: ScriptParams): Steps<ShownScript> {
  if (script.length <= MAX_SCRIPT_SIZE) return formatScriptPubKey(script, params);
  const hex = yield* toLongHex(script);
  return describe(script, hex, yield* longScriptAsm(script, { hex, ...scriptOptions(params) }), params);
}

function describe(script: Uint8Array, hex: string, asm: string, params: ScriptParams): ShownScript {
  const kind = classify(script, scriptOptions(params));
  const { type, reqSigs } = kind;
  const addresses = addressesOf(script, params.address, kind);
  const paysAddress = addresses.length > 0;
  return {
    asm,
    hex,
    reqsigs: paysAddress ? reqSigs : undefined,
    type,
    addresses: paysAddress ? { addresses } : undefined,
  };
}
