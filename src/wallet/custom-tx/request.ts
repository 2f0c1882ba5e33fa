import type { DefinedTx } from '../../dfi/context/custom-tx.js';
import type { OutPoint } from '../../primitives/outpoint.js';
import type { TxOut } from '../../primitives/transaction.js';
import type { Destination } from '../../script/address.js';
import type { CoinSearch } from '../coin-search.js';

/** What an operation says of the custom transaction that it wants; the builder does the rest. */
export interface CustomTxRequest<Body> {
  readonly definition: DefinedTx<Body>;
  /** The message; where outputs are minted it may depend on the index of the first of them. */
  readonly body: Body | ((mintedFrom: number) => Body);
  /** Scripts whose owners have to show themselves: an output of each is spent. In any order, twice or once. */
  readonly auths?: readonly Uint8Array[];
  /** Some member has to show itself too, unless an owner does. */
  readonly member?: MemberAuth | undefined;
  /** Inputs that a caller names: then no one is looked for. */
  readonly inputs?: readonly OutPoint[] | undefined;
  /** Inputs behind those, whoever chose them. */
  readonly spends?: readonly OutPoint[];
  /** What the first output holds, which is burnt: a creation fee, or what an account gets. In satoshis. */
  readonly burns?: bigint;
  /** Token of that; DFI by default. */
  readonly burnsToken?: number;
  /** Outputs behind the first one, a collateral for example. */
  readonly outputs?: readonly TxOut[];
  /** Outputs at the end that no input pays for. */
  readonly mints?: readonly TxOut[];
  /** Where change goes; by default to the one who shows itself, if it is one alone, else to a new address. */
  readonly change?: ChangeRule;
  /** The rules look at signatures too, so it is signed before it is tried. */
  readonly signsFirst?: boolean;
  /** What is done once it was tried, before it is sent. */
  readonly onTried?: () => void;
  /** Only coins with this script pay, beside the inputs above. */
  readonly payer?: Uint8Array | undefined;
  /** By default as the operator has it. */
  readonly coinSearch?: CoinSearch | undefined;
}

/** Whose member has to show itself; the foundation's come first. */
export type MemberAuth = 'foundation' | 'foundation-or-governance';

export type ChangeRule =
  | Destination
  /** The one that shows itself, if there is no other. */
  | 'sole-auth'
  /** The first of those who show themselves: shorter scripts first, then by bytes. */
  | 'first-auth';
