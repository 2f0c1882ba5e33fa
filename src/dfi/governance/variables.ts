import { type ByteReader, type ByteWriter, type Codec, compactSize, decode, encode, i64, mapped, u32 } from '../../primitives/codec.js';
import { varInt32 } from '../../primitives/var-int.js';
import type { StateView, WritableView } from '../../storage/view.js';
import { type MessageAttributes, messageAttributes } from '../attributes/attributes.js';
import { variables } from './columns.js';

/** Share of a pool in the rewards, of COIN. */
export interface PoolShare {
  /** Pool id. */
  readonly pool: number;
  readonly share: bigint;
}

/** Values by kind of variable. */
interface VariableValues {
  /** Satoshis, or a share of COIN. */
  readonly amount: bigint;
  /** Blocks. */
  readonly interval: number;
  readonly shares: readonly PoolShare[];
  readonly attributes: MessageAttributes;
}

type Kind = keyof VariableValues;

/** All variables, in the order of listings. */
export const VARIABLES = {
  ICX_TAKERFEE_PER_BTC: 'amount',
  LP_DAILY_LOAN_TOKEN_REWARD: 'amount',
  LP_LOAN_TOKEN_SPLITS: 'shares',
  LP_DAILY_DFI_REWARD: 'amount',
  LOAN_LIQUIDATION_PENALTY: 'amount',
  LP_SPLITS: 'shares',
  ORACLE_BLOCK_INTERVAL: 'interval',
  ORACLE_DEVIATION: 'amount',
  ATTRIBUTES: 'attributes',
} as const satisfies Record<string, Kind>;

export type VariableName = keyof typeof VARIABLES;
export type Variable = {
  readonly [Name in VariableName]: { readonly name: Name; readonly value: VariableValues[(typeof VARIABLES)[Name]] };
}[VariableName];
/** Variables that are stored as a whole, unlike ATTRIBUTES. */
export type RuleVariable = Exclude<Variable, { readonly name: 'ATTRIBUTES' }>;
export type RuleName = RuleVariable['name'];

/** Names of all variables, in the order in which `listgovs` shows them. */
export const VARIABLE_NAMES = Object.keys(VARIABLES) as VariableName[];

export function isVariableName(name: string): name is VariableName {
  return Object.hasOwn(VARIABLES, name);
}

/** Count, then ids and shares, ascending by id when read; of equal ids the first counts. */
function shares(pool: Codec<number>): Codec<readonly PoolShare[]> {
  return {
    write(w, values) {
      compactSize.write(w, values.length);
      for (const value of values) {
        pool.write(w, value.pool);
        i64.write(w, value.share);
      }
    },
    read(r) {
      const found = new Map<number, bigint>();
      for (let left = compactSize.read(r); left > 0; left--) {
        const id = pool.read(r);
        const share = i64.read(r);
        if (!found.has(id)) found.set(id, share);
      }
      return [...found].sort(([a], [b]) => a - b).map(([id, share]) => ({ pool: id, share }));
    },
  };
}

const codecs: { readonly [Name in VariableName]: Codec<VariableValues[(typeof VARIABLES)[Name]]> } = {
  ICX_TAKERFEE_PER_BTC: i64,
  LP_DAILY_LOAN_TOKEN_REWARD: i64,
  LP_LOAN_TOKEN_SPLITS: shares(varInt32),
  LP_DAILY_DFI_REWARD: i64,
  LOAN_LIQUIDATION_PENALTY: i64,
  // Pool ids have a fixed size here, unlike those of LP_LOAN_TOKEN_SPLITS.
  LP_SPLITS: shares(u32),
  ORACLE_BLOCK_INTERVAL: u32,
  ORACLE_DEVIATION: i64,
  ATTRIBUTES: messageAttributes,
};

/** Reads the value of a variable in wire form. */
export function readVariable(r: ByteReader, name: VariableName): Variable {
  return { name, value: codecs[name].read(r) } as Variable;
}

/** Writes the value of a variable in wire form, without its name. */
export function writeVariable(w: ByteWriter, { name, value }: Variable): void {
  (codecs[name] as Codec<unknown>).write(w, value);
}

/** Codec of a variable's value, without its name. */
function variableCodec(name: VariableName): Codec<Variable> {
  return mapped<unknown, Variable>(
    codecs[name] as Codec<unknown>,
    (value) => ({ name, value }) as Variable,
    ({ value }) => value,
  );
}

/** Value of a variable in wire form, without the name. */
export function encodeVariable(variable: Variable): Uint8Array {
  return encode(variableCodec(variable.name), variable);
}

/** Variable of a value in wire form. @throws {DecodeError} if the bytes are not exactly one value of that variable */
export function decodeVariable(name: VariableName, bytes: Uint8Array): Variable {
  return decode(variableCodec(name), bytes);
}

/** Stored variable; undefined if unset or an empty list. */
export function storedVariable(view: StateView, name: RuleName): RuleVariable | undefined {
  const bytes = view.get(variables, name);
  return bytes && (decodeVariable(name, bytes) as RuleVariable);
}

/** Stores a variable; an empty list deletes it. */
export function storeVariable(view: WritableView, variable: RuleVariable): void {
  const isEmpty = typeof variable.value === 'object' && variable.value.length === 0;
  if (isEmpty) view.delete(variables, variable.name);
  else view.put(variables, variable.name, encodeVariable(variable));
}
