import { fromHex, isHex } from '../util/bytes.js';
import { type AddressPrefixes, decodeDestination } from './address.js';
import { Descriptor, type ScriptExpression } from './descriptor.js';
import { checkChecksum } from './descriptor-checksum.js';
import { DescriptorError } from './descriptor-error.js';
import { type KeyPrefixes, parseKey, parseUint32 } from './key-parser.js';
import type { KeyProvider } from './key-provider.js';
import { MAX_PUSH_SIZE } from './script.js';
import { type ClassifyOptions, MAX_STANDARD_MULTISIG_KEYS } from './standard.js';

/** Prefixes of addresses and keys in descriptors; `NetworkParams.address` is one. */
export type DescriptorPrefixes = AddressPrefixes & KeyPrefixes;

/** Options of the parser; `metachain` also accepts EVM addresses. */
export interface ParseOptions extends ClassifyOptions {
  readonly requireChecksum?: boolean;
}

/** The function around an expression, or `top` for none. */
type Context = 'top' | 'sh' | 'wsh';

interface Piece {
  /** Up to the first comma or closing bracket outside of nested brackets. */
  readonly text: string;
  /** The remaining text, including that character. */
  readonly rest: string;
}

/** Well above the longest spendable descriptor: 16 keys, each with an origin and a path of 255 steps. */
export const MAX_DESCRIPTOR_SIZE = 100_000;
const MAX_BARE_KEYS = 3;
/** Threshold, number of keys and opcode of a multisig script; each key adds its push. */
const MULTISIG_OVERHEAD = 3;
const IN_WORDS = { sh: 'P2SH', wsh: 'P2WSH' } as const;

/**
 * Parses a descriptor, with or without checksum. Takes a few milliseconds at most.
 * @throws {DescriptorError} with the text of `defid`
 * @see docs/protocol/rpc-chain.md 3.1.26
 */
export function parseDescriptor(text: string, prefixes: DescriptorPrefixes, options: ParseOptions = {}): Descriptor {
  if (text.length > MAX_DESCRIPTOR_SIZE) {
    throw new DescriptorError(`Descriptor of ${text.length} characters is too long, at most ${MAX_DESCRIPTOR_SIZE} are allowed`);
  }
  const { payload } = checkChecksum(text, { required: options.requireChecksum ?? false });
  return new Descriptor(new Parser(prefixes, options).whole(payload, 'top'), prefixes);
}

class Parser {
  constructor(
    private readonly prefixes: DescriptorPrefixes,
    private readonly options: ClassifyOptions,
  ) {}

  /** Parses an expression that must span the whole text. */
  whole(text: string, context: Context): ScriptExpression {
    const { text: expression, rest } = firstPiece(text);
    const parsed = this.#expression(expression, context);
    if (rest !== '') throw new DescriptorError('');
    return parsed;
  }

  #expression(text: string, context: Context): ScriptExpression {
    const [, name, body = ''] = /^([a-z]+)\((.*)\)$/s.exec(text) ?? [];
    switch (name) {
      case 'pk':
      case 'pkh':
        return { form: name, key: this.#key(body, context) };
      case 'combo':
        if (context !== 'top') throw new DescriptorError('Cannot have combo in non-top level');
        return { form: name, key: this.#key(body, context) };
      case 'wpkh':
        if (context === 'wsh') throw new DescriptorError('Cannot have wpkh within wsh');
        return { form: name, key: parseKey(body, this.prefixes, { uncompressed: false }) };
      case 'multi':
        return this.#multi(body, context);
      case 'sh':
        if (context !== 'top') throw new DescriptorError('Cannot have sh in non-top level');
        return { form: name, inner: this.whole(body, name) };
      case 'wsh':
        if (context === 'wsh') throw new DescriptorError('Cannot have wsh within wsh');
        return { form: name, inner: this.whole(body, name) };
      default:
        return this.#bare(name, text, body, context);
    }
  }

  /** Parses `addr` and `raw`, which are allowed at the top only; nested, they count as unknown functions. */
  #bare(name: string | undefined, text: string, body: string, context: Context): ScriptExpression {
    if (context !== 'top') throw new DescriptorError(`A function is needed within ${IN_WORDS[context]}`);
    if (name === 'addr') {
      const destination = decodeDestination(body, this.prefixes, this.options);
      if (!destination) throw new DescriptorError('Address is not valid');
      return { form: name, destination };
    }
    if (name === 'raw') {
      if (!isHex(body)) throw new DescriptorError('Raw script is not hex');
      return { form: name, script: fromHex(body) };
    }
    throw new DescriptorError(`${text} is not a valid descriptor function`);
  }

  #multi(body: string, context: Context): ScriptExpression {
    const first = firstPiece(body);
    const threshold = parseUint32(first.text);
    if (threshold === undefined) throw new DescriptorError(`Multi threshold '${first.text}' is not valid`);
    const keys: KeyProvider[] = [];
    let count = 0;
    for (let rest = first.rest; rest !== ''; ) {
      if (rest[0] !== ',') throw new DescriptorError(`Multi: expected ',', got '${rest[0]}'`);
      const piece = firstPiece(rest.slice(1));
      // Keys take long to parse, and a higher count is rejected anyway.
      if (count <= MAX_STANDARD_MULTISIG_KEYS) keys.push(this.#key(piece.text, context));
      count += 1;
      rest = piece.rest;
    }
    checkMultisig(threshold, keys, count, context);
    return { form: 'multi', threshold, keys };
  }

  #key(text: string, context: Context): KeyProvider {
    return parseKey(text, this.prefixes, { uncompressed: context !== 'wsh' });
  }
}

function firstPiece(text: string): Piece {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (depth === 0 && (character === ')' || character === ',')) return { text: text.slice(0, i), rest: text.slice(i) };
    if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
  }
  return { text, rest: '' };
}

/** @param count number of all keys; `keys` lacks those above the maximum */
function checkMultisig(threshold: number, keys: readonly KeyProvider[], count: number, context: Context): void {
  if (count < 1 || count > MAX_STANDARD_MULTISIG_KEYS) {
    throw new DescriptorError(`Cannot have ${count} keys in multisig; must have between 1 and 16 keys, inclusive`);
  }
  if (threshold < 1) throw new DescriptorError(`Multisig threshold cannot be ${threshold}, must be at least 1`);
  if (threshold > count) {
    throw new DescriptorError(
      `Multisig threshold cannot be larger than the number of keys; threshold is ${threshold} but only ${count} keys specified`,
    );
  }
  if (context === 'top' && count > MAX_BARE_KEYS) {
    throw new DescriptorError(`Cannot have ${count} pubkeys in bare multisig; only at most 3 pubkeys`);
  }
  const size = keys.reduce((sum, key) => sum + key.size + 1, MULTISIG_OVERHEAD);
  if (context === 'sh' && size > MAX_PUSH_SIZE) {
    throw new DescriptorError(`P2SH script is too large, ${size} bytes is larger than 520 bytes`);
  }
}
