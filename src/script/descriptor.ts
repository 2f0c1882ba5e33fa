import { COMPRESSED_KEY_SIZE } from '../crypto/ecdsa.js';
import { hash160, sha256 } from '../crypto/hash.js';
import { toHex } from '../util/bytes.js';
import type { Steps } from '../util/slicer.js';
import { type AddressPrefixes, type Destination, encodeDestination, scriptOf } from './address.js';
import { withChecksum } from './descriptor-checksum.js';
import type { DerivedKey, KeyProvider } from './key-provider.js';
import { multisigScript } from './multisig.js';
import { Op } from './opcodes.js';
import { buildScript } from './script.js';

/** Parsed script expression; `form` is the name of the function (docs/protocol/rpc-chain.md 3.1.26). */
export type ScriptExpression =
  | { readonly form: 'pk' | 'pkh' | 'wpkh' | 'combo'; readonly key: KeyProvider }
  | { readonly form: 'multi'; readonly threshold: number; readonly keys: readonly KeyProvider[] }
  | { readonly form: 'sh' | 'wsh'; readonly inner: ScriptExpression }
  | { readonly form: 'addr'; readonly destination: Destination }
  | { readonly form: 'raw'; readonly script: Uint8Array };

/** Scripts and keys of a descriptor at one index. */
export interface Expansion {
  /** Output scripts: one, or up to four of `combo`. */
  readonly scripts: readonly Uint8Array[];
  /** Redeem and witness scripts, the outer one first. */
  readonly subscripts: readonly Uint8Array[];
  /** In the order of the descriptor. */
  readonly keys: readonly DerivedKey[];
}

const NO_KEYS: readonly KeyProvider[] = [];

/** An output descriptor. */
export class Descriptor {
  constructor(
    readonly expression: ScriptExpression,
    private readonly address: AddressPrefixes,
  ) {}

  /** True if the scripts depend on the index. */
  get isRange(): boolean {
    return this.#keys.some((key) => key.isRange);
  }

  /** True if it contains everything needed for spending except private keys. */
  get isSolvable(): boolean {
    const { form } = this.expression;
    return form !== 'addr' && form !== 'raw';
  }

  get hasPrivateKeys(): boolean {
    return this.#keys.some((key) => key.hasPrivateKey);
  }

  get #keys(): readonly KeyProvider[] {
    return keysOf(this.expression);
  }

  /** Canonical text with checksum, without secrets. */
  format(): string {
    return withChecksum(formatExpression(this.expression, this.address));
  }

  /** Derives the keys that all indexes share; afterwards `expand` takes a few milliseconds at most. */
  *prepare(): Steps<void> {
    for (const key of this.#keys) yield* key.prepare();
  }

  /** @param index ignored if the descriptor is not ranged @returns undefined if a hardened step lacks the private key */
  expand(index: number): Expansion | undefined {
    return this.expandKeys(this.keysAt(index));
  }

  /** Keys at an index, in the order of the descriptor; undefined where a hardened step lacks the private key. */
  keysAt(index: number): readonly (DerivedKey | undefined)[] {
    return this.#keys.map((provider) => provider.derive(index));
  }

  /** @param derived keys at one index, from {@link keysAt} @returns undefined if one is missing */
  expandKeys(derived: readonly (DerivedKey | undefined)[]): Expansion | undefined {
    const keys = derived.filter((key) => key !== undefined);
    if (keys.length < derived.length) return undefined;
    const publicKeys = keys.map((key) => key.publicKey);
    return { ...build(this.expression, publicKeys), keys };
  }
}

function keysOf(expression: ScriptExpression): readonly KeyProvider[] {
  if ('inner' in expression) return keysOf(expression.inner);
  if ('keys' in expression) return expression.keys;
  return 'key' in expression ? [expression.key] : NO_KEYS;
}

function formatExpression(expression: ScriptExpression, address: AddressPrefixes): string {
  return `${expression.form}(${formatBody(expression, address)})`;
}

function formatBody(expression: ScriptExpression, address: AddressPrefixes): string {
  switch (expression.form) {
    case 'multi':
      return [expression.threshold, ...expression.keys.map((key) => key.format())].join(',');
    case 'sh':
    case 'wsh':
      return formatExpression(expression.inner, address);
    case 'addr':
      return encodeDestination(expression.destination, address);
    case 'raw':
      return toHex(expression.script);
    default:
      return expression.key.format();
  }
}

type Scripts = Pick<Expansion, 'scripts' | 'subscripts'>;

/** @param keys one per provider of the expression */
function build(expression: ScriptExpression, keys: readonly Uint8Array[]): Scripts {
  switch (expression.form) {
    case 'multi':
      return only(multisigScript(expression.threshold, keys));
    case 'addr':
      return only(scriptOf(expression.destination));
    case 'raw':
      return only(expression.script);
    case 'sh':
    case 'wsh':
      return wrap(expression.form, build(expression.inner, keys));
    default:
      return buildOfKey(expression.form, keys[0] as Uint8Array);
  }
}

function only(script: Uint8Array): Scripts {
  return { scripts: [script], subscripts: [] };
}

function wrap(form: 'sh' | 'wsh', { scripts, subscripts }: Scripts): Scripts {
  const hash = form === 'sh' ? hash160 : sha256;
  return {
    scripts: scripts.map((script) => scriptOf({ type: form, hash: hash(script) })),
    subscripts: [...scripts, ...subscripts],
  };
}

function buildOfKey(form: 'pk' | 'pkh' | 'wpkh' | 'combo', key: Uint8Array): Scripts {
  if (form === 'pk') return only(buildScript(key, Op.CHECKSIG));
  if (form !== 'combo') return only(scriptOf({ type: form, hash: hash160(key) }));
  const bare = [buildOfKey('pk', key), buildOfKey('pkh', key)];
  const parts = key.length === COMPRESSED_KEY_SIZE ? [...bare, buildOfKey('wpkh', key), wrap('sh', buildOfKey('wpkh', key))] : bare;
  return { scripts: parts.flatMap((part) => part.scripts), subscripts: parts.flatMap((part) => part.subscripts) };
}
