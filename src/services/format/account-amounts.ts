import type { AmountMap, GivenAmounts } from '../../../gen/ts/dfi/types/v1/types.js';
import { type AccountAmounts, type Balances, compareOwners, toBalances } from '../../dfi/kernel/amounts.js';
import { formatAmount } from '../../primitives/amount.js';
import { rawJson } from '../../rpc/bind.js';
import { asObject } from '../../rpc/scalars.js';
import type { StateView } from '../../storage/view.js';
import { toHex } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import type { JsonValue } from '../../util/json.js';
import type { AddressChain } from './destination.js';
import { parseOwner } from './owner.js';
import { readTokenAmounts } from './token-amounts.js';
import { tokenNames } from './token-names.js';

/** Addresses and amounts in the order of the request. Addresses may repeat, so that the reader can reject duplicates. */
export type AmountEntries = readonly (readonly [string, JsonValue])[];

/**
 * Entries of an argument that maps addresses to amounts. Over JSON-RPC they come from the JSON itself, because the map of a
 * message has no duplicate keys.
 * @param field name of the field in the request
 */
export function amountEntries(request: object, field: string, map: AmountMap | undefined): AmountEntries {
  const json = rawJson(request, field);
  if (json !== undefined) return asObject(json).entries;
  return Object.entries(map?.accounts ?? {}).map(([key, amounts]) => [key, amountsAsJson(amounts)]);
}

/** Amounts of an argument without addresses, as JSON; undefined if the argument is missing. */
export function givenAmounts(request: object, field: string, given: GivenAmounts | undefined): JsonValue | undefined {
  const json = rawJson(request, field);
  if (json !== undefined) return json === null ? undefined : json;
  // A member that is missing in an object reads as an empty text otherwise.
  if (rawJson(request) !== undefined) return undefined;
  return given && amountsAsJson(given);
}

/** JSON form of amounts that another transport sent. */
export function amountsAsJson({ form }: GivenAmounts): JsonValue {
  if (form?.$case === 'texts') return form.value.texts;
  if (form?.$case === 'exact') return form.value.amounts.map(({ amount, tokenId }) => `${formatAmount(amount)}@${tokenId}`);
  return form?.value ?? null;
}

/** Chain state and parameters for names of tokens and addresses. */
export interface AmountsChain extends AddressChain {
  readonly state: StateView;
}

/** Entries of which only the first of each key is left: `defid` looks the values of some maps up by their keys. */
export function firstOfEachKey(entries: AmountEntries): AmountEntries {
  const first = new Map<string, JsonValue>();
  for (const [key, value] of entries) if (!first.has(key)) first.set(key, value);
  return [...first];
}

/**
 * Accounts and amounts of an amount map, sorted by owner.
 * @throws {NodeError} for the first invalid key or amount
 * @see docs/protocol/accounts.md 6.3
 */
export function readAccountAmounts(entries: AmountEntries, chain: AmountsChain): AccountAmounts {
  const tokens = tokenNames(chain.state);
  const found = new Map<string, AccountAmounts[number]>();
  for (const [key, value] of entries) {
    const owner = parseOwner(key, chain);
    const id = toHex(owner);
    if (found.has(id)) throw new NodeError('deserialization', `${key}: duplicate recipient`);
    found.set(id, { owner, balances: toBalances(readTokenAmounts(value, key, tokens)) });
  }
  return [...found.values()].sort((a, b) => compareOwners(a.owner, b.owner));
}

/**
 * Amounts of several tokens without an address.
 * @param label prefix of error texts
 * @throws {NodeError}
 */
export function readBalances(value: JsonValue, label: string, state: StateView): Balances {
  return toBalances(readTokenAmounts(value, label, tokenNames(state)));
}

/**
 * Amounts of an argument without addresses, or of a member of one.
 * @param field name of the field in `request`
 * @param label prefix of error texts
 * @throws {NodeError}
 */
export function readGivenBalances(
  request: object,
  field: string,
  given: GivenAmounts | undefined,
  label: string,
  state: StateView,
): Balances {
  return readBalances(givenAmounts(request, field, given) ?? null, label, state);
}
