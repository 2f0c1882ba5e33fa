import type { NetworkParams } from '../../params/network.js';
import { COIN } from '../../primitives/amount.js';
import { type AttributeDraft, type AttributeEntry, valueAs } from '../attributes/attributes.js';
import type { GivenField } from '../attributes/consortium-parser.js';
import type { ConsortiumMember } from '../attributes/consortium-values.js';
import { attributesAt } from '../attributes/eras.js';
import { type AttributeKey, letter } from '../attributes/key.js';
import { compareTexts } from '../attributes/ordered.js';
import { type GivenValue, memberScript, parseGiven } from '../attributes/parsers.js';
import { attributeAt, parsePath } from '../attributes/path.js';
import { type AttributeRow, type AttributeTable, attributeGroup, attributeRow, attributeType } from '../attributes/table.js';
import type { AttributeValue } from '../attributes/value.js';
import type { GovernanceContext } from '../context/governance-context.js';
import { compareOwners } from '../kernel/amounts.js';
import { TxRejected } from '../kernel/rejected.js';
import { readableText } from '../kernel/text.js';
import { type Exported, type ExportedValue, exportAttributes } from './attribute-export.js';

/** What an import touched of the things that are only checked, or only take effect, when they change. */
export interface ImportedChanges {
  /** Tokens that are to be split. */
  readonly splitTokens: Set<number>;
  /** Futures whose period or start was given. */
  readonly periods: Set<'dfip2203' | 'dfip2206f'>;
  /** Tokens whose interest was given. */
  readonly interestTokens: Set<number>;
  restart: boolean;
}

export function noChanges(): ImportedChanges {
  return { splitTokens: new Set(), periods: new Set(), interestTokens: new Set(), restart: false };
}

/** Attributes by path, as people give them. */
export type GivenAttributeValues = readonly (readonly [path: string, value: GivenValue])[];

/** What is exported, as it would be given. */
function asGiven(exported: Exported): GivenAttributeValues {
  return exported.map(([path, value]): readonly [string, GivenValue] => {
    if (typeof value === 'string' || Array.isArray(value)) return [path, value as GivenValue];
    if ('number' in value) return [path, value.number];
    return 'fields' in value ? [path, new Map(value.fields.map(([id, member]) => [id, givenFields(member)]))] : [path, undefined];
  });
}

function givenFields(member: ExportedValue): ReadonlyMap<string, GivenField> {
  const fields = typeof member !== 'string' && 'fields' in member ? member.fields : [];
  return new Map(
    fields.map(([name, field]) => {
      if (typeof field === 'string') return [name, field];
      return [name, 'number' in field ? field.number : undefined];
    }),
  );
}

/** When attributes are imported, which decides what they are called. */
export type ImportMoment = Pick<GovernanceContext, 'params' | 'height'>;

/**
 * Adds attributes to a draft by way of their texts, as the reference does: what has no text is lost, and numbers take the form that
 * their text has.
 * @throws {TxRejected}
 * @throws {WrongJsonType} where something else stands for a list
 */
export function importEntries(draft: AttributeDraft, entries: readonly AttributeEntry[], changes: ImportedChanges, at: ImportMoment): void {
  const { address } = at.params;
  const types = attributesAt(at.params, at.height);
  importGiven(draft, asGiven(exportAttributes(entries, { address, types })), changes, at);
}

/** In the order of the paths' bytes. @throws as {@link importEntries} */
export function importGiven(draft: AttributeDraft, given: GivenAttributeValues, changes: ImportedChanges, at: ImportMoment): void {
  const types = attributesAt(at.params, at.height);
  const sorted = [...given].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  for (const [path, value] of sorted) {
    const key = parsePath(path, types);
    if (!key) continue;
    const parsed = parseGiven(rowOf(key, types)?.parser, value, at.params.address, `No parse function {${key.type}, ${key.key}}`);
    importOne(draft, key, parsed, changes);
  }
}

const TOKEN = letter('t');

function importOne(draft: AttributeDraft, key: AttributeKey, value: AttributeValue, changes: ImportedChanges): void {
  if (value.form === 'scripts') addMembers(draft, key, value.value);
  else if (value.form === 'consortiumMembers') mergeConsortium(draft, key, value.value);
  else draft.set(withoutCoin(key), value);
  noteChange(key, value, changes);
}

/** Its row in the table; undefined for numbers that name nothing, and for live attributes. */
export function rowOf(key: AttributeKey, types: AttributeTable): AttributeRow | undefined {
  const type = attributeType(key.type, types);
  const group = type && attributeGroup(type, key.id);
  return group && attributeRow(group, key.key)?.row;
}

/** Paying back with DFI has keys of its own. */
function withoutCoin(key: AttributeKey): AttributeKey {
  if (key.type !== TOKEN || key.keyId !== 0) return key;
  if (key.key === letter('c')) return { ...key, key: letter('a') };
  return key.key === letter('d') ? { ...key, key: letter('b') } : key;
}

function addMembers(draft: AttributeDraft, key: AttributeKey, added: readonly Uint8Array[]): void {
  const members = valueAs(draft, key, 'scripts') ?? [];
  if (added.some((script) => members.some((member) => compareOwners(member, script) === 0))) {
    throw new TxRejected('Member to add already present');
  }
  draft.set(key, { form: 'scripts', value: [...members, ...added].sort(compareOwners) });
}

/** Members of a consortium are added, or replaced by their id; nobody is one twice. */
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
  draft.set(key, { form: 'consortiumMembers', value: [...members.values()].sort((a, b) => compareTexts(a.id, b.id)) });
}

const PARAMS = letter('a');
const LOAN_INTEREST = letter('l');
const ORACLES = letter('o');
const PERIOD_KEYS = new Set(['e', 'i'].map(letter));

function noteChange({ type, id, key }: AttributeKey, value: AttributeValue, changes: ImportedChanges): void {
  if (type === ORACLES && (value.form === 'splits' || value.form === 'fractions')) {
    if (value.value.length !== 1) throw new TxRejected('Invalid number of token splits, allowed only one per height!');
    for (const split of value.value) changes.splitTokens.add(split.id);
  }
  if (type === TOKEN && key === LOAN_INTEREST) changes.interestTokens.add(id);
  if (type !== PARAMS) return;
  if (id === letter('b') && PERIOD_KEYS.has(key)) changes.periods.add('dfip2203');
  if (id === letter('g') && PERIOD_KEYS.has(key)) changes.periods.add('dfip2206f');
  if (id === letter('m')) {
    if (value.form !== 'amount' || value.value <= 0n || value.value >= COIN) throw new TxRejected("Can't lock none nor all dTokens");
    changes.restart = true;
  }
}

const MEMBER_LISTS = [attributeAt('v0/params/foundation/members'), attributeAt('v0/params/governance/members')];

/**
 * Works the removals of members into a draft.
 * @param isLenient texts that cannot be followed are skipped
 * @returns the entries that are left
 * @throws {TxRejected}
 */
export function resolveMembers(
  draft: AttributeDraft,
  entries: readonly AttributeEntry[],
  { address }: Pick<NetworkParams, 'address'>,
  isLenient: boolean,
): readonly AttributeEntry[] {
  let left = entries;
  for (const list of MEMBER_LISTS) {
    const isIt = ({ key }: AttributeEntry) => key.type === list.type && key.id === list.id && key.key === list.key;
    const texts = left.find(isIt)?.value;
    if (texts?.form !== 'texts' || texts.value.length === 0) continue;
    let members = valueAs(draft, list, 'scripts') ?? [];
    for (const text of texts.value) {
      try {
        members = changeMembers(members, readableText(text), address);
      } catch (error) {
        if (!isLenient || !(error instanceof TxRejected)) throw error;
      }
    }
    draft.set(list, { form: 'scripts', value: members });
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
