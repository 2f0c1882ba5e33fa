import { bool, type Codec, DecodeError, i32, i64, mapped, struct, u8, u32, u64, varBytes, varInt32 } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import { type Balances, balances, compareOwners } from '../amounts.js';
import { byteString } from '../state/tokens.js';
import {
  type ConsortiumMember,
  consortiumMembers,
  type TokenMembersTotal,
  type TokenTotal,
  tokenMembersTotals,
  tokenTotals,
} from './consortium-values.js';
import { compareTexts, ordered } from './ordered.js';

/** What a token became, or what it was, as a split notes it. */
export interface Descendant {
  readonly id: number;
  readonly height: number;
}
export interface Ascendant {
  readonly id: number;
  readonly text: string;
}

/** What a pool's swaps did to one of its tokens, in satoshis. */
export interface DexFlow {
  readonly swaps: bigint;
  readonly feeBurn: bigint;
  readonly commissions: bigint;
}
export interface DexPool {
  readonly pool: number;
  readonly a: DexFlow;
  readonly b: DexFlow;
}

/** A token of a split and what its amounts are multiplied with; negative: divided by. */
export interface SplitEntry {
  readonly id: number;
  readonly multiplier: bigint;
}

/** What moved between the two domains; amounts may be negative. */
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

export interface EvmFees {
  readonly total: bigint;
  readonly min: bigint;
  readonly minHash: Hash256;
  readonly max: bigint;
  readonly maxHash: Hash256;
}

/** Fees of the blocks of the EVM: burnt, and those that went to minters. */
export interface EvmStats {
  readonly burnt: EvmFees;
  readonly priority: EvmFees;
}

/** Values that attributes can have. Texts hold one char per byte; lists are ascending and name nothing twice. */
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
  /** Multipliers in satoshis. */
  readonly fractions: readonly SplitEntry[];
}

export type AttributeForm = keyof Values;
export type AttributeValue = { readonly [Form in AttributeForm]: { readonly form: Form; readonly value: Values[Form] } }[AttributeForm];
export type ValueOf<Form extends AttributeForm> = Values[Form];

function splitEntries(multiplier: Codec<bigint>): Codec<readonly SplitEntry[]> {
  return ordered(struct<SplitEntry>({ id: u32, multiplier }), (a, b) => a.id - b.id);
}

const wideI32: Codec<bigint> = mapped(i32, BigInt, Number);
const dexFlow = struct<DexFlow>({ swaps: u64, feeBurn: u64, commissions: u64 });
const signedBalances = ordered(struct<Balances[number]>({ tokenId: u32, amount: i64 }), (a, b) => a.tokenId - b.tokenId);
const evmFees = struct<EvmFees>({ total: i64, min: i64, minHash: hash256, max: i64, maxHash: hash256 });

const codecs: { readonly [Form in AttributeForm]: Codec<Values[Form]> } = {
  bool,
  amount: i64,
  balances,
  payback: struct<Values['payback']>({ fees: balances, payback: balances }),
  pair: struct<Values['pair']>({ token: byteString, currency: byteString }),
  splits: splitEntries(wideI32),
  descendant: struct<Descendant>({ id: u32, height: i32 }),
  ascendant: struct<Ascendant>({ id: u32, text: byteString }),
  direction: u8,
  dex: ordered(struct<DexPool>({ pool: varInt32, a: dexFlow, b: dexFlow }), (a, b) => a.pool - b.pool),
  scripts: ordered(varBytes, compareOwners),
  texts: ordered(byteString, compareTexts),
  consortiumMembers,
  consortiumMemberTotals: tokenMembersTotals,
  consortiumTotals: tokenTotals,
  i32,
  u32,
  u64,
  formats: ordered(u8, (a, b) => a - b),
  transfers: struct<TransferStats>({
    dvmEvmTotal: signedBalances,
    evmDvmTotal: signedBalances,
    dvmIn: signedBalances,
    evmIn: signedBalances,
    dvmOut: signedBalances,
    evmOut: signedBalances,
    dvmCurrent: signedBalances,
    evmCurrent: signedBalances,
  }),
  evm: struct<EvmStats>({ burnt: evmFees, priority: evmFees }),
  fractions: splitEntries(i64),
};

/** The number of a form is its place here. @see spec: oracles-governance 4.1 */
const FORMS = Object.keys(codecs) as AttributeForm[];

/** Number of the form in 4 bytes, then the content. */
export const attributeValue: Codec<AttributeValue> = {
  write(w, { form, value }) {
    i32.write(w, FORMS.indexOf(form));
    (codecs[form] as Codec<unknown>).write(w, value);
  },
  read(r) {
    const form = FORMS[i32.read(r)];
    if (!form) throw new DecodeError('unknown form of an attribute');
    return { form, value: codecs[form].read(r) } as AttributeValue;
  },
};
