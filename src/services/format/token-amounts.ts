import { parseAmount } from '../../primitives/amount.js';
import { asString } from '../../rpc/scalars.js';
import { NodeError } from '../../util/errors.js';
import { JsonNumber, type JsonValue } from '../../util/json.js';
import { INT64_MAX, leadingUint32 } from '../../util/numbers.js';
import { trimBlanks } from '../../util/trim.js';
import type { TokenNames } from './token-names.js';

const DFI = 0;
/**
 * Amounts for one address: a number or `amount[@token]`, or an array of them. Amounts of the same token are summed.
 * @param label prefix of error texts
 * @returns satoshis by token id, ids ascending
 * @throws {NodeError} @see docs/protocol/rpc-chain.md 3.3.2, rule 9
 */
export function readTokenAmounts(value: JsonValue, label: string, tokens: TokenNames): ReadonlyMap<number, bigint> {
  const parts = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
  const sums = new Map<number, bigint>();
  for (const part of parts) {
    const { amount, token } = readTokenAmount(part, label, tokens);
    const sum = (sums.get(token) ?? 0n) + amount;
    if (sum > INT64_MAX) throw new NodeError('type', `${label}: Amount out of range`);
    sums.set(token, sum);
  }
  return new Map([...sums].sort(([a], [b]) => a - b));
}

/** Single amount, in satoshis; DFI if no token is named. @throws {NodeError} */
export function readTokenAmount(value: JsonValue, label: string, tokens: TokenNames): { readonly amount: bigint; readonly token: number } {
  if (Array.isArray(value)) throw new NodeError('deserialization', `${label}: expected single amount`);
  const text = value instanceof JsonNumber ? value.text : asString(value);
  const at = value instanceof JsonNumber ? -1 : text.lastIndexOf('@');
  const amount = parseAmount(at < 0 ? text : text.slice(0, at));
  if (amount === undefined) throw new NodeError('type', `${label}: Invalid amount`);
  if (amount <= 0n) throw new NodeError('type', `${label}: Amount out of range`);
  const name = at < 0 ? '' : text.slice(at + 1);
  const token = tokenId(name, tokens);
  if (token === undefined) throw new NodeError('unknown-token', `${label}: Invalid Defi token: ${name}`);
  return { amount, token };
}

/** Id of a token. `defid` reads a number at the start as an id, whatever follows and whether or not the token exists. */
function tokenId(name: string, tokens: TokenNames): number | undefined {
  const id = leadingUint32(name);
  if (id !== undefined) return id;
  const trimmed = trimBlanks(name);
  return trimmed === '' ? DFI : tokens.idOf(trimmed);
}
