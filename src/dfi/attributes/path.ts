import { Lru } from '../../util/lru.js';
import { TxRejected } from '../kernel/rejected.js';
import { ATTRIBUTES_SINCE_METACHAIN } from './eras.js';
import { type AttributeKey, hasKeyId, letter, NO_ATTRIBUTE } from './key.js';
import { attributeGroup, attributeRow, attributeType } from './lookup.js';
import { compareTexts } from './ordered.js';
import {
  ATTRIBUTE_TYPES,
  type AttributeGroup,
  type AttributeTable,
  type AttributeType,
  FRACTIONAL_ENABLED,
  LIVE_GROUPS,
  LIVE_TYPE,
} from './table.js';

/** Parses the number of a path; undefined for other texts. */
type ParseNumber = (text: string) => number | undefined;

const VERSION = 'v0';
const MAX_LENGTH = 128;
const PARAMS = 'params';
const LOCKS = 'locks';
/** Alias of `reward_pct` in listings; ignored in input. */
const ALIAS = 'fee_pct';

/** Parts between the slashes of a text. A slash at its end begins no further part, and an empty text has none. */
export function sectionsOf(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('/') ? text.slice(0, -1) : text).split('/');
}

/**
 * Parses a path such as `v0/token/5/dex_in_fee_pct`, of one char per byte.
 * @param types attributes that exist at the height
 * @param parse parser of the numbers in the path
 * @returns undefined for a path that is accepted and ignored
 * @throws {TxRejected} if the path is invalid
 * @see docs/protocol/oracles-governance.md 4.2
 */
export function parsePath(text: string, types: AttributeTable, parse: ParseNumber = parseInt32): AttributeKey | undefined {
  if (text.length > MAX_LENGTH) throw new TxRejected(`Identifier exceeds maximum length (${MAX_LENGTH})`);
  const parts = sectionsOf(text);
  const [version = '', typeName = '', idText = '', keyText = '', keyIdText = ''] = parts;
  if (version === '') throw new TxRejected('Empty version');
  if (version !== VERSION) throw new TxRejected('Unsupported version');
  if (parts.length < 4 || typeName === '' || idText === '' || keyText === '') {
    throw new TxRejected("Incorrect key for <type>. Object of ['<version>/<type>/ID/<key>','value'] expected");
  }
  const type = types.find(({ name }) => name === typeName);
  if (!type)
    throw unrecognised(
      'type',
      types.map(({ name }) => name),
    );
  const { id, group } = parseId(type, idText, parse);
  const key = parseKey(type, group, keyText, parse);
  if (key === undefined) return undefined;
  const found = key === NOT_A_NUMBER ? NO_ATTRIBUTE : { type: type.code, id, key, keyId: 0 };
  const wanted = hasKeyId(found) ? 5 : 4;
  if (parts.length !== wanted || (wanted === 5 && keyIdText === ''))
    throw new TxRejected(`Exact ${wanted} keys are required {${parts.length}}`);
  return wanted === 5 ? { ...found, keyId: requireNumber(keyIdText, parse) >>> 0 } : found;
}

/** Parsed paths of rules and operations: a few for each token and pool. */
const known = new Lru<string, AttributeKey>(8_192);

/** Key of a path that the program itself writes, of any height; an id may have 32 bits without a sign. @throws {TxRejected} if no attribute has this path */
export function attributeAt(path: string): AttributeKey {
  const found = known.get(path);
  if (found) return found;
  const key = parsePath(path, ATTRIBUTE_TYPES, parseUint32);
  if (!key) throw new Error(`unknown attribute path: ${path}`);
  known.set(path, key);
  return key;
}

function parseId(type: AttributeType, text: string, parse: ParseNumber): { readonly id: number; readonly group: AttributeGroup } {
  if (type.any) return { id: requireNumber(text, parse) >>> 0, group: type.any };
  const found = type.groups?.find(({ name }) => name === text);
  if (!found) throw unrecognised(type.word, groupNames(type));
  return { id: found.code, group: found };
}

/** Key of a text in the place of a number, before Metachain. */
const NOT_A_NUMBER = -1;

function parseKey(type: AttributeType, group: AttributeGroup, text: string, parse: ParseNumber): number | undefined {
  if (group.numbered) return parseNumberedKey(type, group, text, parse);
  if (text === ALIAS) return undefined;
  const row = (type.groups ?? [group]).find(({ keys }) => keys?.has(text))?.keys?.get(text);
  if (!row) throw unrecognised('key', keyNames(type));
  if (!group.keys?.has(text)) throw new TxRejected(group.misplaced(row.code));
  return row.code;
}

const DTOKEN_RESTART = 'dtoken_restart';

function parseNumberedKey(type: AttributeType, group: AttributeGroup, text: string, parse: ParseNumber): number {
  const number = parse(text);
  if (group.acceptsTexts && (number === undefined || (type.name !== LOCKS && number < 0))) return NOT_A_NUMBER;
  if (type.name === LOCKS) {
    if (number === undefined) throw new TxRejected('Token should be defined as numeric ID');
    return number >>> 0;
  }
  if (group.name === DTOKEN_RESTART) {
    if (number === undefined || number < 0) throw new TxRejected(`Unsupported type {${letter('a')}}`);
    return number;
  }
  if (group.keys?.has(text)) return 0;
  if (number === undefined || number < 0) {
    throw new TxRejected(`Unrecognised key, valid keys are either block height or: ${FRACTIONAL_ENABLED},`);
  }
  return number;
}

/** Integer of digits with an optional sign; undefined for other texts and for numbers outside of 32 bits. */
export function parseInt32(text: string): number | undefined {
  const number = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  return number >= -0x8000_0000 && number <= 0x7fff_ffff ? number : undefined;
}

function parseUint32(text: string): number | undefined {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return number <= 0xffff_ffff ? number : undefined;
}

function requireNumber(text: string, parse: ParseNumber): number {
  const number = parse(text);
  if (number === undefined) throw new TxRejected('Value must be an integer');
  return number;
}

function groupNames({ groups = [] }: AttributeType): string[] {
  return groups.map(({ name }) => name);
}

function keyNames({ groups, any }: AttributeType): string[] {
  return [...new Set((groups ?? (any ? [any] : [])).flatMap(({ keys }) => [...(keys?.keys() ?? [])]))];
}

function unrecognised(word: string, names: readonly string[], order = compareTexts): TxRejected {
  const list = [...names].sort(order).map((name) => ` ${name},`);
  return new TxRejected(`Unrecognised ${word} argument provided, valid ${word}s are:${list.join('')}`);
}

/**
 * Path of a key; undefined if the key has no name. As in `defid`, a group is named by the lowest byte of its number, and so is a key, by
 * the names that the keys of any group of the type have.
 * @param types attributes that exist; by default those of all heights
 */
export function formatPath({ type, id, key, keyId }: AttributeKey, types: AttributeTable = ATTRIBUTE_TYPES): string | undefined {
  if (type === LIVE_TYPE.code) return formatLivePath(id, key, types);
  const known = attributeType(type, types);
  const idText = known && groupText(known, id, types);
  if (!known || idText === undefined) return undefined;
  const group = attributeGroup(known, known.any ? id : lowestByte(id));
  const isNumbered = group ? group.numbered : known.name === LOCKS;
  const name = isNumbered ? ((group && attributeRow(group, key)?.name) ?? `${key}`) : keyName(known, lowestByte(key));
  if (name === undefined) return undefined;
  const keyIdText = hasKeyId({ type, key }) ? `/${keyId}` : '';
  return `${VERSION}/${known.name}/${idText}/${name}${keyIdText}`;
}

/** Name of a group in paths; undefined if it has none. */
function groupText(type: AttributeType, id: number, types: AttributeTable): string | undefined {
  if (type.any) return `${id}`;
  if (type.name === PARAMS || type.name === LOCKS) return sharedName(id, types);
  return attributeGroup(type, lowestByte(id))?.name;
}

/**
 * Name of a group in paths of `params`, `locks` and `live`, which `defid` takes from one list. A path of a group that its type does not
 * have is refused when it is parsed, so that it must not be left out.
 */
function sharedName(id: number, types: AttributeTable): string | undefined {
  const groups = types.flatMap(({ name, groups }) => (name === PARAMS || name === LOCKS ? (groups ?? []) : []));
  return [...LIVE_GROUPS, ...groups].find(({ code }) => code === lowestByte(id))?.name;
}

function lowestByte(number: number): number {
  return number & 0xff;
}

/** Name of a key in the first group of a type that has it. */
function keyName({ groups, any }: AttributeType, code: number): string | undefined {
  for (const group of groups ?? (any ? [any] : [])) {
    const name = group.numbered ? undefined : attributeRow(group, code)?.name;
    if (name !== undefined) return name;
  }
  return undefined;
}

function formatLivePath(id: number, key: number, types: AttributeTable): string | undefined {
  const group = sharedName(id, types);
  const name = LIVE_GROUPS.map(({ keys }) => keys.get(lowestByte(key))).find((each) => each !== undefined);
  return group && name && `${VERSION}/${LIVE_TYPE.name}/${group}/${name}`;
}

/**
 * Checks that type, group and key of an attribute exist from Metachain on. Keys of tokens and pools are not checked.
 * @param key undefined for the reserved version
 * @throws {TxRejected} if they do not
 * @see docs/protocol/oracles-governance.md 4.6
 */
export function checkStructure(key: AttributeKey | undefined): void {
  if (!key) throw new TxRejected('Unsupported version');
  const inOrder = () => 0;
  const type = attributeType(key.type, ATTRIBUTES_SINCE_METACHAIN);
  if (!type) {
    if (key.type === LIVE_TYPE.code) return;
    const names = [...ATTRIBUTES_SINCE_METACHAIN, LIVE_TYPE].sort((a, b) => a.code - b.code).map(({ name }) => name);
    throw unrecognised('type', names, inOrder);
  }
  if (type.any) return;
  // `defid` looks at the lowest byte of a group first, and at all of it where it checks the key.
  const group = attributeGroup(type, lowestByte(key.id));
  if (!group) throw unrecognised(type.word, groupNames(type), inOrder);
  if (type.name === LOCKS || type.name === 'oracles') return;
  if (group.code !== key.id) throw new TxRejected(`Unsupported ${type.name === PARAMS ? 'Param' : 'Governance'} ID`);
  if (!attributeRow(group, key.key)) throw new TxRejected(group.misplaced(key.key));
}
