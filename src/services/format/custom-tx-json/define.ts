import type { CustomTxField, CustomTxValue, CustomTxFields as ShownFields } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import type { AnyCustomTx, DefinedTx } from '../../../dfi/context/custom-tx.js';
import type { TokenAmount } from '../../../dfi/kernel/amounts.js';
import { readableText } from '../../../dfi/kernel/text.js';
import { getToken, symbolKey } from '../../../dfi/tokens/columns.js';
import type { NetworkParams } from '../../../params/network.js';
import { formatAmount } from '../../../primitives/amount.js';
import type { Transaction } from '../../../primitives/transaction.js';
import type { StateView } from '../../../storage/view.js';
import { formatSigned32 } from '../numbers.js';
import { formatOwner } from '../owner.js';

/** Context for showing the message of a custom transaction. */
export interface ShowContext {
  readonly tx: Transaction;
  /** Height of its block; for an unconfirmed transaction, of the next one. */
  readonly height: number;
  /** State at the tip. */
  readonly view: StateView;
  readonly params: NetworkParams;
  /** True if the tip is at Metachain or later; from then on `defid` shows more fields. */
  readonly isMetachain: boolean;
}

/** JSON form of one type of custom transaction. */
export interface CustomTxJson {
  readonly type: string;
  show(body: unknown, shown: ShowContext): CustomTxField[];
}

/** Entry of the table: the fields of a message, in the order of `defid`. */
export function shows<Body>(
  { type }: DefinedTx<Body> | AnyCustomTx,
  show: (body: Body, shown: ShowContext) => readonly CustomTxField[],
): CustomTxJson {
  return { type, show: (body, shown) => withoutRepeats(show(body as Body, shown)) };
}

/** Keeps the position of the first and the value of the last field of each name. */
function withoutRepeats(fields: readonly CustomTxField[]): CustomTxField[] {
  return [...new Map(fields.map((field) => [field.name, field])).values()];
}

function field(name: string, value: CustomTxValue['value']): CustomTxField {
  return { name, value: { value } };
}

export function text(name: string, value: string): CustomTxField {
  return field(name, { $case: 'text', value });
}

/** Field of text that is stored as bytes, one char per byte. */
export function byteTextField(name: string, value: string): CustomTxField {
  return text(name, readableText(value));
}

/** Field with a boolean. */
export function flag(name: string, value: boolean): CustomTxField {
  return field(name, { $case: 'flag', value });
}

/** Field with an integer. */
export function number(name: string, value: number | bigint): CustomTxField {
  return field(name, { $case: 'number', value: String(value) });
}

/** Field with an unsigned 32-bit integer that `defid` shows as a signed one. */
export function signedNumber(name: string, value: number): CustomTxField {
  return number(name, formatSigned32(value));
}

/** @param value satoshis */
export function amount(name: string, value: bigint): CustomTxField {
  return field(name, { $case: 'amount', value });
}

/** Field with a list of strings. */
export function texts(name: string, values: readonly string[]): CustomTxField {
  return field(name, { $case: 'list', value: { values: values.map((value) => ({ value: { $case: 'text', value } })) } });
}

/** Field with a nested object. Repeated names are merged. */
export function object(name: string, fields: readonly CustomTxField[]): CustomTxField {
  return field(name, { $case: 'fields', value: { fields: withoutRepeats(fields) } });
}

/** Field with a list of objects. Repeated names in one object are merged. */
export function objects(name: string, values: readonly (readonly CustomTxField[])[]): CustomTxField {
  const items = values.map((fields): CustomTxValue => ({ value: { $case: 'fields', value: shownFields(fields) } }));
  return field(name, { $case: 'list', value: { values: items } });
}

function shownFields(fields: readonly CustomTxField[]): ShownFields {
  return { fields: withoutRepeats(fields) };
}

/** Field with the value of a governance variable, under the variable's name. */
export function variable(name: string, value: Extract<CustomTxValue['value'], { $case: 'variable' }>['value']): CustomTxField {
  return field(name, { $case: 'variable', value });
}

/** Field with the address of a script, or its hex if it has none. */
export function owner(name: string, script: Uint8Array, { params }: Pick<ShowContext, 'params'>): CustomTxField {
  return text(name, formatOwner(script, params));
}

/** Fields of amounts, each under the id of its token. */
export function amountsById(amounts: readonly TokenAmount[]): CustomTxField[] {
  return amounts.map(({ tokenId, amount: value }) => amount(String(tokenId), value));
}

/** Amount with its token id: `1.00000000@0`. */
export function amountText({ tokenId, amount: value }: TokenAmount): string {
  return `${formatAmount(value)}@${tokenId}`;
}

/** Field with a token's symbol key; none if the token does not exist. */
export function symbolField(name: string, tokenId: number, { view }: Pick<ShowContext, 'view'>): CustomTxField[] {
  const token = getToken(view, tokenId);
  return token ? [byteTextField(name, symbolKey(token, tokenId))] : [];
}
