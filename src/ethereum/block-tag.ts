import { storedAttributes, valueAs } from '../dfi/attributes/attributes.js';
import { attributeAt } from '../dfi/attributes/path.js';
import { evmBlock, evmBlockNumber, evmTip, type StoredBlock } from '../dfi/evm/blocks.js';
import type { StateView } from '../storage/view.js';
import { JsonNumber, JsonObject, type JsonValue } from '../util/json.js';
import { headerNotFound } from './errors.js';
import { readAt } from './members.js';
import { isInteger, type Point, shown, Unreadable, wrongTypeOfAny } from './unreadable.js';
import { parseBoolean, parseHash, parseText } from './values.js';

/** Choice of a block: relative to the last one, by number, or by hash. */
export type BlockTag =
  /** `pending` is the last block too, as in `defid`; only nonces differ: they include those of the mempool. */
  | { readonly kind: 'latest' | 'pending' }
  | { readonly kind: 'final' }
  | { readonly kind: 'number'; readonly number: number }
  | { readonly kind: 'hash'; readonly hash: Uint8Array };

/** The last block. */
export const LATEST: BlockTag = { kind: 'latest' };

const WORDS: Readonly<Record<string, BlockTag>> = {
  latest: LATEST,
  pending: { kind: 'pending' },
  earliest: { kind: 'number', number: 0 },
  safe: { kind: 'final' },
  finalized: { kind: 'final' },
};

const FINALITY = attributeAt('v0/evm/block/finality_count');
const DEFAULT_FINALITY = 100n;

const EXPECTED = "a block number or 'latest', 'safe', 'finalized', 'earliest' or 'pending'";
const MAX_U64 = (1n << 64n) - 1n;
/** Hex digits of 64 bits. */
const MAX_DIGITS = 16;
const NO_DIGIT = /[^0-9a-fA-F]/;

/** Reads a choice of a block. @throws {Unreadable} @see docs/protocol/evm-engine.md 10.2 */
export function parseBlockTag(value: JsonValue): BlockTag {
  if (value instanceof JsonObject) return objectTag(value);
  if (value instanceof JsonNumber && isInteger(value) && !value.text.startsWith('-')) return numberTag(BigInt(value.text));
  if (typeof value !== 'string') throw wrongTypeOfAny(value, EXPECTED);
  if (Object.hasOwn(WORDS, value)) return WORDS[value] as BlockTag;
  if (value.startsWith('0x')) return numberTag(hexNumber(value.slice(2), 'end'));
  if (/^\+?\d{1,100}$/.test(value) && BigInt(value.replace('+', '')) <= MAX_U64) return numberTag(BigInt(value.replace('+', '')));
  throw new Unreadable('Invalid block number: non-decimal or missing 0x prefix');
}

/** The members after `blockNumber` are not read, which is an error if there are any. */
function objectTag({ entries }: JsonObject): BlockTag {
  let hash: Uint8Array | undefined;
  for (const [i, [name, value]] of entries.entries()) {
    if (name === 'blockHash') hash = readAt(i, () => parseHash(value));
    else if (name === 'requireCanonical') readAt(i, () => parseBoolean(value));
    else if (name !== 'blockNumber') throw new Unreadable(`Unknown key: ${shown(name)}`, 'name').within(i);
    else {
      const number = readAt(i, () => memberNumber(parseText(value)));
      if (i + 1 < entries.length) throw new Unreadable('trailing comma', 'followed', 1).within(i);
      return numberTag(number);
    }
  }
  if (!hash) throw new Unreadable('Invalid input');
  return { kind: 'hash', hash };
}

function memberNumber(text: string): bigint {
  if (!text.startsWith('0x')) throw new Unreadable('Invalid block number: missing 0x prefix', 'followed');
  return hexNumber(text.slice(2), 'followed');
}

/** @param text without `0x`; a plus sign is allowed */
function hexNumber(text: string, point: Point): bigint {
  const refused = (reason: string) => new Unreadable(`Invalid block number: ${reason}`, point);
  if (text === '') throw refused('cannot parse integer from empty string');
  const digits = text.startsWith('+') ? text.slice(1) : text;
  const valid = digits.slice(0, indexOf(digits, NO_DIGIT));
  const significant = valid.slice(indexOf(valid, /[^0]/));
  // The number is too large at a digit before one that is invalid.
  if (significant.length > MAX_DIGITS) throw refused('number too large to fit in target type');
  if (valid === '' || valid !== digits) throw refused('invalid digit found in string');
  return BigInt(`0x${valid.slice(-MAX_DIGITS)}`);
}

/** Index of the first character of a kind; the length of the text if there is none. */
function indexOf(text: string, kind: RegExp): number {
  const at = text.search(kind);
  return at < 0 ? text.length : at;
}

function numberTag(number: bigint): BlockTag {
  return { kind: 'number', number: Number(number) };
}

/**
 * Number of the block that a tag chooses, whether it exists or not. It may have 64 bits: compare it with the tip before it is a key.
 * @throws {EthereumError} `header not found` without a block for it
 */
export function numberOfTag(view: StateView, tag: BlockTag): number {
  const tip = evmTip(view);
  if (!tip) throw headerNotFound();
  if (isLast(tag)) return tip.number;
  if (tag.kind === 'number') return tag.number;
  const number = tag.kind === 'hash' ? evmBlockNumber(view, tag.hash) : tip.number - Number(finality(view));
  if (number === undefined || number < 0) throw headerNotFound();
  return number;
}

/** True if the tag chooses the last block, whichever it is. */
export function isLast(tag: BlockTag): tag is { readonly kind: 'latest' | 'pending' } {
  return tag.kind === 'latest' || tag.kind === 'pending';
}

/** Number of the existing block that a tag chooses. @throws {EthereumError} `header not found` */
export function requireNumber(view: StateView, tag: BlockTag): number {
  const number = numberOfTag(view, tag);
  if (number > (evmTip(view)?.number ?? -1)) throw headerNotFound();
  return number;
}

/** @throws {EthereumError} `header not found` */
export function requireBlock(view: StateView, number: number): StoredBlock {
  const block = evmBlock(view, number);
  if (!block) throw headerNotFound();
  return block;
}

function finality(view: StateView): bigint {
  return valueAs(storedAttributes(view), FINALITY, 'u64') ?? DEFAULT_FINALITY;
}
