import type { CustomTxField, CustomTxValue, CustomTxFields as ShownFields } from '../../../../gen/ts/dfi/node/v1/tokens.js';
import type { AnyCustomTx, DefinedTx } from '../../../dfi/context/custom-tx.js';
import type { TokenAmount } from '../../../dfi/kernel/amounts.js';
import { readableText } from '../../../dfi/kernel/text.js';
import { getToken, symbolKey } from '../../../dfi/tokens/columns.js';
import type { NetworkParams } from '../../../params/network.js';
import { formatAmount } from '../../../primitives/amount.js';
import type { Transaction } from '../../../primitives/transaction.js';
import type { StateView } from '../../../storage/view.js';
import { formatOwner } from '../../format/owner.js';

/** What a message is shown with. */
export interface ShownWith {
  readonly tx: Transaction;
  /** Of its block; where it waits, of the next one. */
  readonly height: number;
  /** State at the tip. */
  readonly view: StateView;
  readonly params: NetworkParams;
  /** Shows what the reference shows since Metachain. */
  readonly late: boolean;
}

/** How the message of one type of custom transaction is shown. */
export interface CustomTxJson {
  readonly type: string;
  show(body: unknown, shown: ShownWith): CustomTxField[];
}

/** An entry of the table: the fields that a message is shown with, in the reference's order. */
export function shows<Body>(
  { type }: DefinedTx<Body> | AnyCustomTx,
  show: (body: Body, shown: ShownWith) => readonly CustomTxField[],
): CustomTxJson {
  return { type, show: (body, shown) => withoutRepeats(show(body as Body, shown)) };
}

/** Of fields with one name the first gives the place and the last the value. */
function withoutRepeats(fields: readonly CustomTxField[]): CustomTxField[] {
  return [...new Map(fields.map((field) => [field.name, field])).values()];
}

function field(name: string, value: CustomTxValue['value']): CustomTxField {
  return { name, value: { value } };
}

export function text(name: string, value: string): CustomTxField {
  return field(name, { $case: 'text', value });
}

/** Bytes that are text, one char per byte. */
export function byteTextField(name: string, value: string): CustomTxField {
  return text(name, readableText(value));
}

export function flag(name: string, value: boolean): CustomTxField {
  return field(name, { $case: 'flag', value });
}

export function number(name: string, value: number | bigint): CustomTxField {
  return field(name, { $case: 'number', value: String(value) });
}

/** @param value satoshis */
export function amount(name: string, value: bigint): CustomTxField {
  return field(name, { $case: 'amount', value });
}

export function texts(name: string, values: readonly string[]): CustomTxField {
  return field(name, { $case: 'list', value: { values: values.map((value) => ({ value: { $case: 'text', value } })) } });
}

export function object(name: string, fields: readonly CustomTxField[]): CustomTxField {
  return field(name, { $case: 'fields', value: { fields: withoutRepeats(fields) } });
}

export function objects(name: string, values: readonly (readonly CustomTxField[])[]): CustomTxField {
  const items = values.map((fields): CustomTxValue => ({ value: { $case: 'fields', value: shownFields(fields) } }));
  return field(name, { $case: 'list', value: { values: items } });
}

function shownFields(fields: readonly CustomTxField[]): ShownFields {
  return { fields: withoutRepeats(fields) };
}

/** A governance variable's value under its name. */
export function variable(name: string, value: Extract<CustomTxValue['value'], { $case: 'variable' }>['value']): CustomTxField {
  return field(name, { $case: 'variable', value });
}

/** The address of a script, or its hex. */
export function owner(name: string, script: Uint8Array, { params }: Pick<ShownWith, 'params'>): CustomTxField {
  return text(name, formatOwner(script, params));
}

/** Each amount under the id of its token. */
export function amountsById(amounts: readonly TokenAmount[]): CustomTxField[] {
  return amounts.map(({ tokenId, amount: value }) => amount(String(tokenId), value));
}

/** `1.00000000@0` */
export function amountText({ tokenId, amount: value }: TokenAmount): string {
  return `${formatAmount(value)}@${tokenId}`;
}

/** A token's symbol key; no field where there is no such token. */
export function symbolField(name: string, tokenId: number, { view }: Pick<ShownWith, 'view'>): CustomTxField[] {
  const token = getToken(view, tokenId);
  return token ? [byteTextField(name, symbolKey(token, tokenId))] : [];
}
