import { bool, type Codec, DecodeError, i32, i64, mapped, struct, u8, u32, u64, varBytes } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import { varInt32 } from '../../primitives/var-int.js';
import { type Balances, balances, compareOwners } from '../kernel/amounts.js';
import { byteString } from '../kernel/text.js';
import {
  type ConsortiumMember,
  consortiumMembers,
  type TokenMembersTotal,
  type TokenTotal,
  tokenMembersTotals,
  tokenTotals,
} from './consortium-values.js';
import { compareTexts, ordered } from './ordered.js';

/** Successor of a split token, and the height of the split. */
export interface Descendant {
  readonly id: number;
  readonly height: number;
}
/** Predecessor of a token that a split created. */
export interface Ascendant {
  readonly id: number;
  /** Reason, such as `split`. */
  readonly text: string;
}

/** Totals of a pool's swaps in one of its tokens, in satoshis. */
export interface DexFlow {
  readonly swaps: bigint;
  readonly feeBurn: bigint;
  readonly commissions: bigint;
}
/** Swap totals of one pool, for both of its tokens. */
export interface DexPool {
  readonly pool: number;
  readonly a: DexFlow;
  readonly b: DexFlow;
}

/** Token to split, and the factor for its amounts; a negative factor divides. */
export interface SplitEntry {
  readonly id: number;
  readonly multiplier: bigint;
}

/** Totals of transfers between DVM and EVM, in satoshis; they may be negative. */
export interface TransferStats {
  readonly dvmEvmTotal: Balances;
  readonly evmDvmTotal: Balances;
  readonly dvmIn: Balances;
  readonly evmIn: Balances;
  readonly dvmOut: Balances;
  readonly evmOut: Balances;
  readonly dvmCurrent: Balances;
  readonly evmCurrent: Balances;
}

/** Fees in satoshis: total, and the least and largest of a block with that block's hash. */
export interface EvmFees {
  readonly total: bigint;
  readonly min: bigint;
  readonly minHash: Hash256;
  readonly max: bigint;
  readonly maxHash: Hash256;
}

/** Fees of EVM blocks: those burnt, and the priority fees paid to minters. */
export interface EvmStats {
  readonly burnt: EvmFees;
  readonly priority: EvmFees;
}

/** Stored codes of address formats. */
export const FORMATS: ReadonlyMap<string, number> = new Map([
  ['bech32', 1],
  ['bech32-erc55', 2],
  ['p2pkh', 3],
  ['p2pkh-erc55', 4],
  ['erc55', 5],
]);

/** Attribute values by kind. Texts hold one char per byte. Lists are ascending without duplicates; amounts are satoshis. */
interface Values {
  readonly bool: boolean;
  readonly amount: bigint;
  readonly balances: Balances;
  readonly payback: { readonly fees: Balances; readonly payback: Balances };
  readonly pair: { readonly token: string; readonly currency: string };
  readonly splits: readonly SplitEntry[];
  readonly descendant: Descendant;
  readonly ascendant: Ascendant;
  /** 0 both, 1 in, 2 out. */
  readonly direction: number;
  readonly dex: readonly DexPool[];
  readonly scripts: readonly Uint8Array[];
  readonly texts: readonly string[];
  readonly consortiumMembers: readonly ConsortiumMember[];
  readonly consortiumMemberTotals: readonly TokenMembersTotal[];
  readonly consortiumTotals: readonly TokenTotal[];
  readonly i32: number;
  readonly u32: number;
  readonly u64: bigint;
  /** Codes of address formats. */
  readonly formats: readonly number[];
  readonly transfers: TransferStats;
  readonly evm: EvmStats;
  /** Multipliers times 10^8. */
  readonly fractions: readonly SplitEntry[];
}

export type AttributeKind = keyof Values;
export type AttributeValue = { readonly [Kind in AttributeKind]: { readonly kind: Kind; readonly value: Values[Kind] } }[AttributeKind];
export type ValueOf<Kind extends AttributeKind> = Values[Kind];

function splitEntries(multiplier: Codec<bigint>): Codec<readonly SplitEntry[]> {
  return ordered(struct<SplitEntry>({ id: u32, multiplier }), (a, b) => a.id - b.id);
}

const wideI32: Codec<bigint> = mapped(i32, BigInt, Number);
const dexFlow = struct<DexFlow>({ swaps: u64, feeBurn: u64, commissions: u64 });
const signedBalances = ordered(struct<Balances[number]>({ tokenId: u32, amount: i64 }), (a, b) => a.tokenId - b.tokenId);
const evmFees = struct<EvmFees>({ total: i64, min: i64, minHash: hash256, max: i64, maxHash: hash256 });

const transferStats = struct<TransferStats>({
  dvmEvmTotal: signedBalances,
  evmDvmTotal: signedBalances,
  dvmIn: signedBalances,
  evmIn: signedBalances,
  dvmOut: signedBalances,
  evmOut: signedBalances,
  dvmCurrent: signedBalances,
  evmCurrent: signedBalances,
});

/** Encoding of a kind of value: its number in stored and hashed bytes, and the codec of the content. Numbers are never reused. */
interface KindFormat<T> {
  readonly number: number;
  readonly codec: Codec<T>;
}

const formats: { readonly [Kind in AttributeKind]: KindFormat<Values[Kind]> } = {
  bool: { number: 0, codec: bool },
  amount: { number: 1, codec: i64 },
  balances: { number: 2, codec: balances },
  payback: { number: 3, codec: struct<Values['payback']>({ fees: balances, payback: balances }) },
  pair: { number: 4, codec: struct<Values['pair']>({ token: byteString, currency: byteString }) },
  splits: { number: 5, codec: splitEntries(wideI32) },
  descendant: { number: 6, codec: struct<Descendant>({ id: u32, height: i32 }) },
  ascendant: { number: 7, codec: struct<Ascendant>({ id: u32, text: byteString }) },
  direction: { number: 8, codec: u8 },
  dex: { number: 9, codec: ordered(struct<DexPool>({ pool: varInt32, a: dexFlow, b: dexFlow }), (a, b) => a.pool - b.pool) },
  scripts: { number: 10, codec: ordered(varBytes, compareOwners) },
  texts: { number: 11, codec: ordered(byteString, compareTexts) },
  consortiumMembers: { number: 12, codec: consortiumMembers },
  consortiumMemberTotals: { number: 13, codec: tokenMembersTotals },
  consortiumTotals: { number: 14, codec: tokenTotals },
  i32: { number: 15, codec: i32 },
  u32: { number: 16, codec: u32 },
  u64: { number: 17, codec: u64 },
  formats: { number: 18, codec: ordered(u8, (a, b) => a - b) },
  transfers: { number: 19, codec: transferStats },
  evm: { number: 20, codec: struct<EvmStats>({ burnt: evmFees, priority: evmFees }) },
  fractions: { number: 21, codec: splitEntries(i64) },
};

const kindOfNumber: ReadonlyMap<number, AttributeKind> = new Map(
  (Object.keys(formats) as AttributeKind[]).map((kind) => [formats[kind].number, kind]),
);

/** Number of the kind in 4 bytes, then the content. @see docs/protocol/oracles-governance.md 4.1 */
export const attributeValue: Codec<AttributeValue> = valueCodec(() => {
  throw new DecodeError('unknown form of an attribute');
});

/** {@link attributeValue} in a message: an unknown kind has no content and reads as false, as in `defid`. */
export const wireAttributeValue: Codec<AttributeValue> = valueCodec(() => ({ kind: 'bool', value: false }));

function valueCodec(unknown: () => AttributeValue): Codec<AttributeValue> {
  return {
    write(w, { kind, value }) {
      const { number, codec } = formats[kind];
      i32.write(w, number);
      (codec as Codec<unknown>).write(w, value);
    },
    read(r) {
      const kind = kindOfNumber.get(i32.read(r));
      if (!kind) return unknown();
      return { kind, value: formats[kind].codec.read(r) } as AttributeValue;
    },
  };
}
