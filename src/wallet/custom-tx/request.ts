import type { DefinedTx } from '../../dfi/context/custom-tx.js';
import type { OutPoint } from '../../primitives/outpoint.js';
import type { TxOut } from '../../primitives/transaction.js';
import type { Destination } from '../../script/address.js';
import type { CoinSearch } from '../coin-search.js';

/** A custom transaction as an operation requests it; the builder adds authorisation, funding and signatures. */
export interface CustomTxRequest<Body> {
  readonly definition: DefinedTx<Body>;
  /** The message, or a function of the index of the first minted output. */
  readonly body: Body | ((mintedFrom: number) => Body);
  /** Required signers: one output of each script is spent. Order and duplicates do not matter. */
  readonly auths?: readonly Uint8Array[];
  /** Requires a member to sign if no coin of `auths` does. */
  readonly member?: MemberAuth | undefined;
  /** A member who signs in the place of `auths` if the wallet cannot authorise for them. */
  readonly memberInstead?: MemberAuth | undefined;
  /** Inputs named by the client; if there are any, the wallet selects no coins of required signers. */
  readonly inputs?: readonly OutPoint[] | undefined;
  /** Further inputs after those that authorise. */
  readonly spends?: readonly OutPoint[];
  /** Value of the first output, which is burnt, in satoshis: a creation fee, or the amount credited to an account. 0 by default. */
  readonly burns?: bigint;
  /** Token of `burns`; DFI by default. */
  readonly burnsToken?: number;
  /** Outputs after the first one, such as a collateral. */
  readonly outputs?: readonly TxOut[];
  /** Adds the collateral of a loan token: an output of the least value that is relayed, to the first required signer. */
  readonly holdsCollateral?: boolean;
  /** Last outputs, minted by the message: no input pays for them. */
  readonly mints?: readonly TxOut[];
  /** Destination of change; `sole-auth` by default. */
  readonly change?: ChangeRule;
  /** Sign before the test execution, for rules that read signatures. */
  readonly signsFirst?: boolean;
  /** Only coins with this script are added as inputs. */
  readonly payer?: Uint8Array | undefined;
  /** By default as `-walletcoinopt*` says. */
  readonly coinSearch?: CoinSearch | undefined;
}

/** Group of which a member must sign; members of the foundation are preferred. */
export type MemberAuth = 'foundation' | 'foundation-or-governance';

/** Destination of change; where a rule names none, a new address. */
export type ChangeRule =
  | Destination
  /** The required signer, if there is exactly one. */
  | 'sole-auth'
  /** The first required signer: shorter scripts first, then by bytes. */
  | 'first-auth';
