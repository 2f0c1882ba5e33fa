import type { AddressParams } from '../../params/network.js';
import { isMoneyRange, parseAmount } from '../../primitives/amount.js';
import { decodeDestination, scriptOf } from '../../script/address.js';
import { trimEnds } from '../../util/trim.js';
import { TxRejected } from '../kernel/rejected.js';
import type { ConsortiumMember } from './consortium-values.js';
import { compareTexts } from './ordered.js';

/** JSON field of a member: a text of one char per byte, a number as its text, true, or undefined if absent or of another type. */
export type FieldJson = string | true | undefined;

/** JSON object of members: fields by name, keyed by member id, which has one char per byte too. */
export type MembersJson = ReadonlyMap<string, ReadonlyMap<string, FieldJson>>;

/**
 * Parses and checks members.
 * @returns members sorted by id, bytewise
 * @throws {TxRejected} @see docs/protocol/oracles-governance.md 8
 */
export function parseConsortiumMembers(given: MembersJson, address: AddressParams): readonly ConsortiumMember[] {
  if (given.size === 0) throw new TxRejected('Empty value');
  const members = [...given].map(([id, fields]) => parseMember(id, fields, address));
  return members.sort((a, b) => compareTexts(a.id, b.id));
}

/** Bytes to which texts are truncated. */
const MAX_TEXT = 512;
/** Least bytes of a name. */
const MIN_NAME = 3;

function parseMember(id: string, fields: ReadonlyMap<string, FieldJson>, address: AddressParams): ConsortiumMember {
  const name = trimmed(fields.get('name'));
  if (name.length < MIN_NAME) throw new TxRejected(`Member name too short, must be at least ${MIN_NAME} chars long`);
  return {
    id,
    name,
    owner: parseOwnerField(fields.get('ownerAddress'), address),
    backingId: trimmed(fields.get('backingId')),
    mintLimit: parseLimit(fields.get('mintLimit'), 'Mint limit is an invalid amount'),
    dailyLimit: parseLimit(fields.get('mintLimitDaily'), 'Daily mint limit is an invalid amount'),
    status: parseStatus(fields.get('status')),
  };
}

function textOf(field: FieldJson): string {
  return field === true ? '1' : (field ?? '');
}

function trimmed(field: FieldJson): string {
  return trimEnds(textOf(field), ' \t\n\v\f\r').slice(0, MAX_TEXT);
}

function parseOwnerField(field: FieldJson, address: AddressParams): Uint8Array {
  if (field === undefined) throw new TxRejected('Empty ownerAddress in consortium member data!');
  const destination = decodeDestination(textOf(field), address);
  if (!destination) throw new TxRejected('Invalid ownerAddress in consortium member data');
  return scriptOf(destination);
}

function parseLimit(field: FieldJson, message: string): bigint {
  const value = typeof field === 'string' ? parseAmount(field) : undefined;
  if (!value || !isMoneyRange(value)) throw new TxRejected(message);
  return value;
}

const MAX_U32 = 0xffff_ffff;

function parseStatus(field: FieldJson): number {
  if (field === undefined) return 0;
  const text = textOf(field);
  if (!/^\+?\d+$/.test(text) || Number(text) > MAX_U32) throw new TxRejected('Status must be a positive number!');
  if (Number(text) > 1) throw new TxRejected('Status can be either 0 or 1');
  return Number(text);
}
