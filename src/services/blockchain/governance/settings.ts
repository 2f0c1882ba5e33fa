import type { GovernanceSetting } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { AttributeDraft, type MessageAttributes } from '../../../dfi/attributes/attributes.js';
import type { FieldJson, MembersJson } from '../../../dfi/attributes/consortium-parser.js';
import type { AttributeKey } from '../../../dfi/attributes/key.js';
import { typeCode } from '../../../dfi/attributes/lookup.js';
import { type AttributeForm, type AttributeJson, WrongJsonType } from '../../../dfi/attributes/parsers.js';
import { formAt, importGiven, isLaterPath, noChanges } from '../../../dfi/governance/attribute-import.js';
import { isVariableName, type PoolShare, VARIABLES, type Variable, type VariableName } from '../../../dfi/governance/variables.js';
import { TxRejected } from '../../../dfi/kernel/rejected.js';
import { byteText } from '../../../dfi/kernel/text.js';
import { isLoanToken } from '../../../dfi/loan-tokens/columns.js';
import { getToken, hasFlag } from '../../../dfi/tokens/columns.js';
import { isActive, type NetworkParams } from '../../../params/network.js';
import { rawJson } from '../../../rpc/bind.js';
import { asArray, asInteger, asObject, asString, INT32 } from '../../../rpc/scalars.js';
import { parseAmountArgument } from '../../../rpc/shapes.js';
import type { StateView } from '../../../storage/view.js';
import { compareUtf8 } from '../../../util/bytes.js';
import { NodeError } from '../../../util/errors.js';
import { JsonNumber, JsonObject, type JsonValue } from '../../../util/json.js';
import { leadingUint32 } from '../../../util/numbers.js';

/** New values of variables by name, in the order of the request. */
export type Settings = Iterable<readonly [name: VariableName, value: JsonValue]>;

/**
 * Settings of a request; none if the argument is no object. Names are checked one by one, so that each value can be read before the
 * next name is checked.
 * @throws {NodeError} `invalid-request` for an unknown variable name
 */
export function* readSettings(request: { readonly variables: Readonly<Record<string, GovernanceSetting>> }): Settings {
  for (const [name, value] of settingEntries(request)) {
    if (!isVariableName(name)) throw new NodeError('invalid-request', `Variable ${name} not registered`);
    yield [name, value];
  }
}

/** Entries of the argument. Over JSON-RPC they come from the JSON itself, which distinguishes numbers from strings. */
function settingEntries(request: { readonly variables: Readonly<Record<string, GovernanceSetting>> }): JsonObject['entries'] {
  const json = rawJson(request, 'variables');
  // If several values have the same name, `defid` uses the first one each time.
  if (json !== undefined) return json instanceof JsonObject ? json.entries.map(([name]) => [name, json.get(name) ?? null]) : [];
  return Object.entries(request.variables).map(([name, setting]) => [name, settingJson(setting)]);
}

function settingJson({ value }: GovernanceSetting): JsonValue {
  if (value?.$case === 'members') {
    return new JsonObject(Object.entries(value.value.members).map(([name, setting]) => [name, settingJson(setting)]));
  }
  return value?.$case === 'items' ? value.value.items.map(settingJson) : (value?.value ?? null);
}

/** Context for reading variables. */
export interface ImportContext {
  readonly state: StateView;
  readonly params: NetworkParams;
  /** Height of the tip. */
  readonly height: number;
  /** Numbers may be strings. */
  readonly isLoose: boolean;
}

/** Reads a variable's value. @throws {NodeError} @see docs/protocol/oracles-governance.md 4.3, 5.1 */
export function importVariable(name: VariableName, json: JsonValue, context: ImportContext): Variable {
  try {
    switch (VARIABLES[name]) {
      case 'amount':
        return { name, value: parseAmountArgument(json) } as Variable;
      case 'interval':
        return { name, value: importInterval(json, context) } as Variable;
      case 'shares':
        return { name, value: importShares(json) } as Variable;
      case 'attributes':
        return { name, value: importAttributes(json, context) } as Variable;
    }
  } catch (error) {
    if (error instanceof TxRejected) throw new NodeError('invalid-address', error.message, { cause: error });
    if (error instanceof WrongJsonType) throw new NodeError('json-type', error.message, { cause: error });
    throw error;
  }
}

function importInterval(json: JsonValue, { isLoose }: ImportContext): number {
  const number = isLoose && typeof json === 'string' && /^\d+$/.test(json) ? new JsonNumber(json) : json;
  if (!(number instanceof JsonNumber)) throw new TxRejected('Block interval amount is not a number');
  return Number(asInteger(number, INT32.least, INT32.most)) >>> 0;
}

/** Shares by pool id, ids ascending; the first of equal ids counts. */
function importShares(json: JsonValue): readonly PoolShare[] {
  if (!(json instanceof JsonObject)) throw new TxRejected('object of {poolId: rate,... } expected');
  const found = new Map<number, bigint>();
  for (const [key] of json.entries) {
    const pool = leadingUint32(key);
    if (pool === undefined) throw new TxRejected('failed to deserialize DCT_ID: stoul');
    const share = parseAmountArgument(json.get(key) ?? null);
    if (!found.has(pool)) found.set(pool, share);
  }
  return [...found].sort(([a], [b]) => a - b).map(([pool, share]) => ({ pool, share }));
}

function importAttributes(json: JsonValue, { state, params, height }: ImportContext): MessageAttributes {
  if (!(json instanceof JsonObject)) throw new TxRejected('Object of values expected');
  const late = isActive(params, 'metachain', height);
  const draft = new AttributeDraft();
  const at = { params, height };
  const changes = noChanges();
  // Bytewise by path; of equal paths the last counts. Each path is checked before its value is read, and read before the next is checked.
  for (const [name, value] of [...new Map(json.entries)].sort(([a], [b]) => compareUtf8(a, b))) {
    const path = byteText(name);
    const form = formAt(path, at);
    if (form) importGiven(draft, [[path, late || isLaterPath(path, at) ? givenValue(value) : earlyValue(value, form)]], changes, at);
  }
  for (const { key } of draft.entries()) requireConsortiumToken(state, key);
  return draft.entries();
}

const CONSORTIUM = typeCode('consortium');

/** Stricter than the consensus rules, as in `defid`. @throws {NodeError} */
function requireConsortiumToken(state: StateView, { type, id }: AttributeKey): void {
  if (type !== CONSORTIUM) return;
  const token = getToken(state, id);
  if (id === 0 || !token || !hasFlag(token, 'dat') || isLoanToken(state, id)) {
    throw new NodeError('invalid-request', 'Cannot set consortium on DFI, loan tokens and non-DAT tokens');
  }
}

/** Value of an attribute before Metachain: a non-empty string, a list or an object. @throws {NodeError} `json-type` for another form */
function earlyValue(json: JsonValue, form: AttributeForm): AttributeJson {
  if (form === 'members') return givenMembers(asObject(json));
  return form === 'list' ? asArray(json).map(textItem) : byteText(asString(json));
}

function textItem(item: JsonValue): string | undefined {
  return typeof item === 'string' ? byteText(item) : undefined;
}

/** Value of an attribute from Metachain on: numbers keep their text, and true is "1". */
function givenValue(json: JsonValue): AttributeJson {
  if (Array.isArray(json)) return (json as readonly JsonValue[]).map(textItem);
  if (json instanceof JsonNumber) return json.text;
  if (json === true) return '1';
  return typeof json === 'string' ? byteText(json) : undefined;
}

function givenMembers(json: JsonObject): MembersJson {
  const ids = [...new Set(json.entries.map(([id]) => id))];
  return new Map(
    ids.map((id) => {
      const member = json.get(id);
      if (!(member instanceof JsonObject)) throw new WrongJsonType('JSON value is not an object as expected');
      const names = [...new Set(member.entries.map(([name]) => name))];
      return [byteText(id), new Map(names.map((name) => [name, givenField(member.get(name) ?? null)]))];
    }),
  );
}

/** Field of a member; a value without a text becomes an empty string. */
function givenField(json: JsonValue): FieldJson {
  if (json === null) return undefined;
  if (json instanceof JsonNumber) return json.text;
  if (typeof json === 'string') return byteText(json);
  return json === true ? json : '';
}
