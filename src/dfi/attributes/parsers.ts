import type { AddressParams } from '../../params/network.js';
import { COIN, parseAmount } from '../../primitives/amount.js';
import { decodeDestination, scriptOf } from '../../script/address.js';
import { INT64_MAX } from '../../util/numbers.js';
import { trimEnds } from '../../util/trim.js';
import { compareOwners } from '../kernel/amounts.js';
import { ThrownFault, TxRejected } from '../kernel/rejected.js';
import { type MembersJson, parseConsortiumMembers } from './consortium-parser.js';
import { compareTexts } from './ordered.js';
import { parseInt32, sectionsOf } from './path.js';
import type { ParserName } from './table.js';
import { type AttributeValue, FORMATS } from './value.js';

/** JSON value of an attribute: a text, a list (undefined for items that are no texts), an object of members, or undefined for others. Texts hold one char per byte. */
export type AttributeJson = string | readonly (string | undefined)[] | MembersJson | undefined;

/** JSON form of an attribute's value. */
export type AttributeForm = 'text' | 'list' | 'members';

/** JSON form of the values that a parser reads. */
export function attributeForm(parser: ParserName | undefined): AttributeForm {
  if (parser === 'consortiumMembers') return 'members';
  return parser && listParsers[parser] ? 'list' : 'text';
}

/** Parsers of attributes whose JSON is a list. */
const listParsers: { readonly [Name in ParserName]?: (items: readonly (string | undefined)[], address: AddressParams) => AttributeValue } =
  {
    members: parseMembers,
    someMembers: parseSomeMembers,
    formats: (items) => parseFormats(items, FORMATS, ['bech32', 'p2pkh', 'erc55']),
    authFormats: (items) => parseFormats(items, FORMATS, ['bech32-erc55', 'p2pkh-erc55']),
    texts: parseTexts,
  };

const textParsers: { readonly [Name in ParserName]?: (text: string) => AttributeValue } = {
  bool: parseBool,
  percent: parsePercent,
  float: (text) => amount(requireAmount(text, 'Amount must be a valid number')),
  positiveFloat: (text) => amount(requirePositive(text)),
  limit: (text) => amount(requireLimit(text)),
  integer: (text) => amount(requireInteger(text, 0n, INT64_MAX, 'Value must be a positive integer')),
  positiveInteger: (text) => amount(requireInteger(text, 1n, INT64_MAX, 'Value must be more than zero')),
  u32: (text) => ({ kind: 'u32', value: Number(requireUnsigned(text, MAX_U32)) }),
  u64: (text) => ({ kind: 'u64', value: requireUnsigned(text, MAX_U64) }),
  u64NonZero: parseFactor,
  pair: parsePair,
  direction: parseDirection,
  split: parseSplit,
  wholeSplit: parseWholeSplit,
};

const NOT_AN_INTEGER = 'Value must be an integer';
const MAX_U32 = 0xffff_ffffn;
const MAX_U64 = 0xffff_ffff_ffff_ffffn;

/** Error: the JSON type does not match the attribute. Not a rejection, but a fault of the call. */
export class WrongJsonType extends ThrownFault {
  override name = 'WrongJsonType';
}

/** Height and network, as far as they decide how a value is parsed. */
export interface ParseContext {
  readonly address: AddressParams;
  /** True from Metachain on. */
  readonly isLate: boolean;
  /** True if `defid` parses a value that is no text as an empty one, from Metachain on. */
  readonly isLenient: boolean;
  /** Error text for attributes that cannot be set. */
  readonly noParser: string;
}

/**
 * Parses the JSON value of an attribute.
 * @throws {TxRejected} if the value is invalid
 * @throws {WrongJsonType} if the JSON type does not match
 * @see docs/protocol/oracles-governance.md 4.3, 4.4
 */
export function parseAttributeJson(parser: ParserName | undefined, given: AttributeJson, context: ParseContext): AttributeValue {
  const { address, noParser } = context;
  if (parser === 'consortiumMembers') {
    if (!(given instanceof Map)) throw new WrongJsonType('JSON value is not an object as expected');
    return { kind: 'consortiumMembers', value: parseConsortiumMembers(given, address) };
  }
  const readList = parser && listParsers[parser];
  if (readList) {
    if (!isList(given)) throw new WrongJsonType('JSON value is not an array as expected');
    return readList(given, address);
  }
  const text = textOf(given, context);
  const readText = parser && textParsers[parser];
  if (!readText) throw new TxRejected(noParser);
  return readText(text);
}

function textOf(given: AttributeJson, { isLate, isLenient }: ParseContext): string {
  if (!isLate) {
    if (typeof given !== 'string') throw new WrongJsonType('JSON value is not a string as expected');
    if (given === '') throw new TxRejected('Empty value');
    return given;
  }
  if (typeof given === 'string') return given;
  if (isLenient) return '';
  throw new TxRejected('Empty value');
}

function isList(given: AttributeJson): given is readonly (string | undefined)[] {
  return Array.isArray(given);
}

function amount(value: bigint): AttributeValue {
  return { kind: 'amount', value };
}

function parseBool(text: string): AttributeValue {
  if (text !== 'true' && text !== 'false') throw new TxRejected('Boolean value must be either "true" or "false"');
  return { kind: 'bool', value: text === 'true' };
}

function requireAmount(text: string, message: string): bigint {
  const value = parseAmount(text);
  if (value === undefined) throw new TxRejected(message);
  return value;
}

function requirePositive(text: string): bigint {
  const message = 'Amount must be a positive value';
  const value = requireAmount(text, message);
  if (value < 0n) throw new TxRejected(message);
  return value;
}

/** Limit of -1, which means unlimited; in satoshis. */
export const NO_LIMIT = -COIN;

function requireLimit(text: string): bigint {
  const message = 'Amount must be positive or -1';
  const value = requireAmount(text, message);
  if (value < 0n && value !== NO_LIMIT) throw new TxRejected(message);
  return value;
}

function parsePercent(text: string): AttributeValue {
  const value = text.endsWith('%') ? requirePositive(text.slice(0, -1)) / 100n : requirePositive(text);
  if (value > COIN) throw new TxRejected('Percentage exceeds 100%');
  return amount(value);
}

/** Digits of the largest integer of any attribute. */
const MOST_DIGITS = 20;

/** Integer with an optional sign, but not a longer one than any attribute can have; leading zeros are allowed, as in C. */
function parseInteger(text: string): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const digits = text.replace(/^[+-]?0*/, '');
  if (digits.length > MOST_DIGITS) return undefined;
  return text.startsWith('-') ? -BigInt(digits) : BigInt(digits);
}

function requireInteger(text: string, least: bigint, most: bigint, message: string): bigint {
  const value = parseInteger(text);
  if (value === undefined || value < least || value > most) throw new TxRejected(message);
  return value;
}

/** Like {@link requireInteger}, but `defid` refuses a minus of 0 too. */
function requireUnsigned(text: string, most: bigint): bigint {
  if (text.startsWith('-')) throw new TxRejected(NOT_AN_INTEGER);
  return requireInteger(text, 0n, most, NOT_AN_INTEGER);
}

function parseFactor(text: string): AttributeValue {
  const value = requireUnsigned(text, MAX_U64);
  if (value === 0n) throw new TxRejected('Factor cannot be zero');
  return { kind: 'u64', value };
}

/** Bytes to which symbols of tokens and currencies are truncated. */
const MAX_SYMBOL = 8;

function parsePair(text: string): AttributeValue {
  const parts = sectionsOf(text);
  if (parts.length !== 2) throw new TxRejected('Exactly two entires expected for currency pair');
  const [token = '', currency = ''] = parts.map((part) => trimEnds(part, ' \t\n\v\f\r').slice(0, MAX_SYMBOL));
  if (token === '' || currency === '') throw new TxRejected('Empty token / currency');
  return { kind: 'pair', value: { token, currency } };
}

/** Stored numbers of the swap directions in which a fee is charged. */
export const DIRECTIONS: ReadonlyMap<string, number> = new Map([
  ['both', 0],
  ['in', 1],
  ['out', 2],
]);

function parseDirection(text: string): AttributeValue {
  const value = DIRECTIONS.get(text.toLowerCase());
  if (value === undefined) throw new TxRejected('Fee direction value must be both, in or out');
  return { kind: 'direction', value };
}

function readSplit(text: string): { readonly id: number; readonly multiplierText: string } {
  const parts = sectionsOf(text);
  const [idText = '', multiplierText = ''] = parts;
  if (parts.length !== 2) throw new TxRejected('Two int values expected for split in id/mutliplier');
  const id = parseInt32(idText);
  if (id === undefined || id < 0) throw new TxRejected('Value must be a positive integer');
  return { id, multiplierText };
}

function parseWholeSplit(text: string): AttributeValue {
  const { id, multiplierText } = readSplit(text);
  const multiplier = parseInt32(multiplierText);
  if (multiplier === undefined) throw new TxRejected(NOT_AN_INTEGER);
  return { kind: 'splits', value: [{ id, multiplier: requireMultiplier(BigInt(multiplier)) }] };
}

/** Parses a multiplier as `fractions` (satoshis) if it is written as a fraction, otherwise as `splits` (whole number). */
function parseSplit(text: string): AttributeValue {
  const { id, multiplierText } = readSplit(text);
  if (!isFraction(multiplierText)) return parseWholeSplit(text);
  const multiplier = requireAmount(multiplierText, 'Amount must be a valid number');
  return { kind: 'fractions', value: [{ id, multiplier: requireMultiplier(multiplier) }] };
}

function requireMultiplier(value: bigint): bigint {
  if (value === 0n) throw new TxRejected('Mutliplier cannot be zero');
  return value;
}

// Each text has one way to match: else a long one would take quadratic time.
const FLOAT = /^[ \t\n\v\f\r]*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** True if the whole text is a number that fits single precision and is not a 32-bit integer; leading blanks are ignored. */
function isFraction(text: string): boolean {
  return FLOAT.test(text) && Number.isFinite(Math.fround(Number(text))) && parseInt32(text.trimStart()) === undefined;
}

function parseSomeMembers(items: readonly (string | undefined)[], address: AddressParams): AttributeValue {
  if (items.length === 0) throw new TxRejected('Empty value');
  return parseMembers(items, address);
}

/** Parses changes of a member list. Additions alone become scripts; with a removal, all remain texts until `resolveMembers`. */
function parseMembers(items: readonly (string | undefined)[], address: AddressParams): AttributeValue {
  const added = new Map<string, Uint8Array>();
  const texts = new Set<string>();
  let removes = false;
  for (const item of items) {
    if (item === undefined) throw new TxRejected('Invalid address provided');
    const name = /^[+-]/.test(item) ? item.slice(1) : item;
    const script = memberScript(name, address);
    removes ||= item.startsWith('-');
    texts.add(item.startsWith('+') ? name : item);
    added.set(Buffer.from(script).toString('latin1'), script);
  }
  if (removes) return { kind: 'texts', value: [...texts].sort(compareTexts) };
  return { kind: 'scripts', value: [...added.values()].sort(compareOwners) };
}

/** `scriptPubKey` of a member's address. @throws {TxRejected} if the address is invalid */
export function memberScript(text: string, address: AddressParams): Uint8Array {
  const destination = text === '' ? undefined : decodeDestination(text, address);
  if (!destination) throw new TxRejected('Invalid address provided');
  return scriptOf(destination);
}

function parseFormats(
  items: readonly (string | undefined)[],
  codes: ReadonlyMap<string, number>,
  accepted: readonly string[],
): AttributeValue {
  const expected = [...accepted].sort(compareTexts).join(', ');
  const found = items.map((item) => {
    const code = item !== undefined && accepted.includes(item) ? codes.get(item) : undefined;
    if (code === undefined) throw new TxRejected(`Unrecognised address format, expected types are: ${expected}`);
    return code;
  });
  if (found.length === 0) throw new TxRejected('No values set');
  return { kind: 'formats', value: [...new Set(found)].sort((a, b) => a - b) };
}

function parseTexts(items: readonly (string | undefined)[]): AttributeValue {
  const texts = items.map((item) => {
    if (item === undefined) throw new TxRejected('Values in array must be strings');
    return item;
  });
  return { kind: 'texts', value: [...new Set(texts)].sort(compareTexts) };
}
