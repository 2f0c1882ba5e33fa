import { isActive, type NetworkParams } from '../../params/network.js';
import { COIN } from '../../primitives/amount.js';
import { type AttributeDraft, type AttributeEntry, valueAs } from '../attributes/attributes.js';
import type { FieldJson } from '../attributes/consortium-parser.js';
import type { ConsortiumMember } from '../attributes/consortium-values.js';
import { ATTRIBUTES_SINCE_METACHAIN, attributesAt } from '../attributes/eras.js';
import { type AttributeKey, NO_ATTRIBUTE } from '../attributes/key.js';
import { keyCode, rowOf, typeCode } from '../attributes/lookup.js';
import { compareTexts } from '../attributes/ordered.js';
import { type AttributeForm, type AttributeJson, attributeForm, memberScript, parseAttributeJson } from '../attributes/parsers.js';
import { attributeAt, parsePath, sectionsOf } from '../attributes/path.js';
import type { AttributeGate, AttributeRow, AttributeTable, ParserName } from '../attributes/table.js';
import type { AttributeValue } from '../attributes/value.js';
import { compareOwners } from '../kernel/amounts.js';
import type { HeightContext } from '../kernel/block-context.js';
import { TxRejected } from '../kernel/rejected.js';
import { type Exported, type ExportedValue, exportAttributes } from './attribute-export.js';

/** Attributes that an import set whose checks or effects apply only when they are set. */
export interface ImportedChanges {
  /** Ids of tokens that are to be split. */
  readonly splitTokens: Set<number>;
  /** Kinds of future swap whose period or start block was set. */
  readonly periods: Set<'dfip2203' | 'dfip2206f'>;
  /** Ids of loan tokens whose interest was set. */
  readonly interestTokens: Set<number>;
  /** True if a dToken restart was scheduled. */
  restart: boolean;
}

/** Empty record, to be filled by an import. */
export function noChanges(): ImportedChanges {
  return { splitTokens: new Set(), periods: new Set(), interestTokens: new Set(), restart: false };
}

/** JSON values by attribute path. Texts hold one char per byte. */
export type GivenAttributeValues = readonly (readonly [path: string, value: AttributeJson])[];

/** Converts the display form of attributes to the form of input. */
function toInput(exported: Exported): GivenAttributeValues {
  return exported.map(([path, value]): readonly [string, AttributeJson] => {
    if (typeof value === 'string' || Array.isArray(value)) return [path, value as AttributeJson];
    if ('number' in value) return [path, value.number];
    return 'fields' in value ? [path, new Map(value.fields.map(([id, member]) => [id, givenFields(member)]))] : [path, undefined];
  });
}

function givenFields(member: ExportedValue): ReadonlyMap<string, FieldJson> {
  const fields = typeof member !== 'string' && 'fields' in member ? member.fields : [];
  return new Map(
    fields.map(([name, field]) => {
      if (typeof field === 'string') return [name, field];
      return [name, 'number' in field ? field.number : undefined];
    }),
  );
}

/**
 * Adds attributes to a draft by exporting them to text and parsing it, as `defid` does: attributes without a text form are lost, and
 * whole-numbered fractional splits become integer ones. Attributes of later upgrades are refused.
 * @throws {TxRejected}
 * @throws {WrongJsonType} if a value has another JSON type than its attribute
 */
export function importEntries(
  draft: AttributeDraft,
  entries: readonly AttributeEntry[],
  changes: ImportedChanges,
  at: HeightContext,
): void {
  const { address } = at.params;
  const types = attributesAt(at.params, at.height);
  for (const { key } of entries) {
    const missing = missingUpgrade(key, at);
    if (missing) throw new TxRejected(missing.refusal);
  }
  // Only from 4.2.5 on does `defid` leave out balances, for which it has no symbols here.
  const listsBalances = !isActive(at.params, 'metachain', at.height);
  importGiven(draft, toInput(exportAttributes(entries, { address, types, listsBalances, textOf: (bytes) => bytes })), changes, at);
}

/** Adds attributes to a draft in the order of the paths, those of later upgrades too. @throws like {@link importEntries} */
export function importGiven(draft: AttributeDraft, given: GivenAttributeValues, changes: ImportedChanges, at: HeightContext): void {
  const types = attributesAt(at.params, at.height);
  const sorted = [...given].sort(([a], [b]) => compareTexts(a, b));
  for (const [path, value] of sorted) {
    const key = knownPath(path, types, at);
    if (!key) continue;
    const row = rowFor(key, types, at);
    const parser = key === NO_ATTRIBUTE ? numberedParser(path, types) : row?.parser;
    const isLate = isActive(at.params, 'metachain', at.height) || missingUpgrade(key, at) !== undefined;
    const isLenient = row?.check === 'restart' || parser === 'split';
    const noParser = `No parse function {${key.type}, ${key.key}}`;
    const parsed = parseAttributeJson(parser, value, { address: at.params.address, isLate, isLenient, noParser });
    importOne(draft, key, parsed);
    if (row) noteChange(row, key, parsed, changes);
  }
}

/** Parser of the values of a group whose keys are numbers: 3.2.8 checks the value also where it sets nothing. */
function numberedParser(path: string, types: AttributeTable): ParserName | undefined {
  const [, typeName, groupName] = sectionsOf(path);
  const groups = types.find(({ name }) => name === typeName)?.groups;
  return groups?.find(({ name }) => name === groupName)?.numbered?.parser;
}

/** Row of an attribute, which may be of a later upgrade. */
function rowFor(key: AttributeKey, types: AttributeTable, at: HeightContext): AttributeRow | undefined {
  return rowOf(key, types) ?? (missingUpgrade(key, at) && rowOf(key, ATTRIBUTES_SINCE_METACHAIN));
}

/**
 * Key of a path. A path that exists from a later upgrade on has one too, as in 4.2.5: a transaction that sets it is refused with the
 * upgrade as the reason. 3.2.8 does not know it.
 * @returns undefined for a path that is accepted and ignored
 */
function knownPath(path: string, types: AttributeTable, at: HeightContext): AttributeKey | undefined {
  try {
    const key = parsePath(path, types);
    return key === NO_ATTRIBUTE ? (laterKey(path, at) ?? key) : key;
  } catch (error) {
    const later = error instanceof TxRejected ? laterKey(path, at) : undefined;
    if (later) return later;
    throw error;
  }
}

/** JSON form of the value at a path; undefined for a path that is accepted and ignored. @throws {TxRejected} for other unknown paths */
export function formAt(path: string, at: HeightContext): AttributeForm | undefined {
  const types = attributesAt(at.params, at.height);
  const key = knownPath(path, types, at);
  return key && attributeForm(rowFor(key, types, at)?.parser);
}

/** True for a path that exists from an upgrade after this height on. */
export function isLaterPath(path: string, at: HeightContext): boolean {
  return laterKey(path, at) !== undefined;
}

function laterKey(path: string, at: HeightContext): AttributeKey | undefined {
  try {
    const key = parsePath(path, ATTRIBUTES_SINCE_METACHAIN);
    return key && missingUpgrade(key, at) ? key : undefined;
  } catch (error) {
    if (error instanceof TxRejected) return undefined;
    throw error;
  }
}

/** Gate of an attribute that exists from an upgrade after this height on; undefined for attributes that exist and for unknown ones. */
function missingUpgrade(key: AttributeKey, { params, height }: HeightContext): AttributeGate | undefined {
  if (rowOf(key, attributesAt(params, height))) return undefined;
  return rowOf(key, ATTRIBUTES_SINCE_METACHAIN)?.gates.find(({ upgrade }) => !isActive(params, upgrade, height - 1));
}

const TOKEN = typeCode('token');
/** Keys of DFI by the general keys that they replace. */
const OWN_PAYBACK_KEYS: ReadonlyMap<number, number> = new Map([
  [keyCode('token', 'loan_payback'), keyCode('token', 'payback_dfi')],
  [keyCode('token', 'loan_payback_fee_pct'), keyCode('token', 'payback_dfi_fee_pct')],
]);

function importOne(draft: AttributeDraft, key: AttributeKey, value: AttributeValue): void {
  if (value.kind === 'scripts') addMembers(draft, key, value.value);
  else if (value.kind === 'consortiumMembers') mergeConsortium(draft, key, value.value);
  else draft.set(ownPaybackKey(key), value);
}

/** Replaces the general payback keys of DFI (`loan_payback/0`) by those of their own (`payback_dfi`). */
function ownPaybackKey(key: AttributeKey): AttributeKey {
  if (key.type !== TOKEN || key.keyId !== 0) return key;
  return { ...key, key: OWN_PAYBACK_KEYS.get(key.key) ?? key.key };
}

function addMembers(draft: AttributeDraft, key: AttributeKey, added: readonly Uint8Array[]): void {
  const members = valueAs(draft, key, 'scripts') ?? [];
  if (added.some((script) => members.some((member) => compareOwners(member, script) === 0))) {
    throw new TxRejected('Member to add already present');
  }
  draft.set(key, { kind: 'scripts', value: [...members, ...added].sort(compareOwners) });
}

/** Adds members, or replaces those with the same id. Two members must not have the same owner. */
function mergeConsortium(draft: AttributeDraft, key: AttributeKey, given: readonly ConsortiumMember[]): void {
  const members = new Map((valueAs(draft, key, 'consortiumMembers') ?? []).map((member) => [member.id, member]));
  for (const member of given) {
    for (const { id, owner } of members.values()) {
      if (id !== member.id && compareOwners(owner, member.owner) === 0) {
        throw new TxRejected('Cannot add a member with an owner address of a existing consortium member!');
      }
    }
    members.set(member.id, member);
  }
  draft.set(key, { kind: 'consortiumMembers', value: [...members.values()].sort((a, b) => compareTexts(a.id, b.id)) });
}

/** Records a change that a check or effect depends on. @throws {TxRejected} if its value is invalid */
function noteChange(
  { check, effect, schedules }: AttributeRow,
  { id }: AttributeKey,
  value: AttributeValue,
  changes: ImportedChanges,
): void {
  if (effect === 'splitLock' && (value.kind === 'splits' || value.kind === 'fractions')) {
    if (value.value.length !== 1) throw new TxRejected('Invalid number of token splits, allowed only one per height!');
    for (const split of value.value) changes.splitTokens.add(split.id);
  }
  if (effect === 'loanInterest') changes.interestTokens.add(id);
  if (schedules) changes.periods.add(schedules);
  if (check === 'restart') {
    if (value.kind !== 'amount' || value.value <= 0n || value.value >= COIN) throw new TxRejected("Can't lock none nor all dTokens");
    changes.restart = true;
  }
}

const MEMBER_LISTS = [attributeAt('v0/params/foundation/members'), attributeAt('v0/params/governance/members')];

/**
 * Applies the member lists with removals to a draft.
 * @param options.skipsInvalid ignores invalid additions and removals, as `defid` does for pending changes
 * @returns the remaining entries
 * @throws {TxRejected} if an addition or removal is invalid
 */
export function resolveMembers(
  draft: AttributeDraft,
  entries: readonly AttributeEntry[],
  { address }: Pick<NetworkParams, 'address'>,
  { skipsInvalid }: { readonly skipsInvalid: boolean },
): readonly AttributeEntry[] {
  let left = entries;
  for (const list of MEMBER_LISTS) {
    const isIt = ({ key }: AttributeEntry) => key.type === list.type && key.id === list.id && key.key === list.key;
    const texts = left.find(isIt)?.value;
    if (texts?.kind !== 'texts' || texts.value.length === 0) continue;
    let members = valueAs(draft, list, 'scripts') ?? [];
    for (const text of texts.value) {
      try {
        members = changeMembers(members, text, address);
      } catch (error) {
        if (!skipsInvalid || !(error instanceof TxRejected)) throw error;
      }
    }
    draft.set(list, { kind: 'scripts', value: members });
    left = left.filter((entry) => !isIt(entry));
  }
  return left;
}

function changeMembers(members: readonly Uint8Array[], text: string, address: NetworkParams['address']): readonly Uint8Array[] {
  const removes = text.startsWith('-');
  const script = memberScript(removes ? text.slice(1) : text, address);
  const isSame = (member: Uint8Array) => compareOwners(member, script) === 0;
  const isMember = members.some(isSame);
  if (removes && !isMember) throw new TxRejected('Member to remove not present');
  if (!removes && isMember) throw new TxRejected('Member to add already present');
  return removes ? members.filter((member) => !isSame(member)) : [...members, script].sort(compareOwners);
}
