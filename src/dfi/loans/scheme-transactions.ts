import { i64, struct, u32, u64 } from '../../primitives/codec.js';
import { type AnyCustomTx, customTx, type TxContext } from '../context/custom-tx.js';
import { requireShape } from '../context/shape.js';
import { TxRejected } from '../kernel/rejected.js';
import { byteString } from '../kernel/text.js';
import { listVaults, putVault } from '../vaults/columns.js';
import { requireLoanAuthority, requireScheme } from './checks.js';
import {
  defaultScheme,
  deleteLoanScheme,
  endingSchemes,
  getLoanScheme,
  loanSchemes,
  pendingSchemes,
  setDefaultScheme,
} from './scheme-columns.js';

/** Lowest minimum ratio, in percent. */
const LOWEST_RATIO = 100;
const LOWEST_RATE = 1_000_000n;
const MAX_ID = 8;
/** Height of an update that takes effect immediately. */
export const CHANGES_IMMEDIATELY = 0xffff_ffff_ffff_ffffn;

/** @throws {TxRejected} */
function requireId(id: string): void {
  if (id === '' || id.length > MAX_ID) throw new TxRejected('id cannot be empty or more than 8 chars long');
}

/** A scheme: minimum ratio in percent, interest per year in percent scaled by COIN, and id. */
export interface SetLoanScheme {
  readonly ratio: number;
  readonly rate: bigint;
  readonly id: string;
  /** 0 for a new scheme. */
  readonly updateHeight: bigint;
}

/** Creates a scheme, or changes one immediately or at a later height. @see docs/protocol/defi.md 3.4 */
export const setLoanScheme = customTx<SetLoanScheme>({
  type: 'L',
  name: 'LoanScheme',
  since: 'fortCanning',
  codec: struct<SetLoanScheme>({ ratio: u32, rate: i64, id: byteString, updateHeight: u64 }),
  apply(context, { ratio, rate, id, updateHeight }) {
    const { view, vaultHistoryRecorder } = context;
    if (vaultHistoryRecorder) vaultHistoryRecorder.schemeChange = { id, scheme: { ratio, rate }, isNew: updateHeight === 0n };
    requireShape(context);
    requireLoanAuthority(context);
    if (ratio < LOWEST_RATIO) throw new TxRejected('minimum collateral ratio cannot be less than 100');
    if (rate < LOWEST_RATE) throw new TxRejected('interest rate cannot be less than 0.01');
    requireId(id);
    requireUniqueTerms(context, { ratio, rate });
    const exists = getLoanScheme(view, id) !== undefined;
    if (exists && updateHeight === 0n) throw new TxRejected(`Loan scheme already exist with id ${id}`);
    if (!exists && updateHeight !== 0n) throw new TxRejected(`Cannot find existing loan scheme with id ${id}`);
    const height = BigInt(context.height);
    if (![0n, CHANGES_IMMEDIATELY, height].includes(updateHeight)) {
      if (updateHeight < height) throw new TxRejected('Update height below current block height, set future height');
      view.put(pendingSchemes, { id, height: updateHeight }, { ratio, rate });
      return;
    }
    if (defaultScheme(view) === undefined) setDefaultScheme(view, id);
    view.put(loanSchemes, id, { ratio, rate });
  },
});

/** Requires that no other scheme, current or pending, has the same terms. @throws {TxRejected} */
function requireUniqueTerms({ view }: TxContext, { ratio, rate }: Pick<SetLoanScheme, 'ratio' | 'rate'>): void {
  const same = 'with same interestrate and mincolratio';
  for (const [id, scheme] of view.entries(loanSchemes)) {
    if (scheme.ratio === ratio && scheme.rate === rate) throw new TxRejected(`Loan scheme ${id} ${same} already exists`);
  }
  for (const [{ id, height }, scheme] of view.entries(pendingSchemes)) {
    if (scheme.ratio === ratio && scheme.rate === rate) throw new TxRejected(`Loan scheme ${id} ${same} pending on block ${height}`);
  }
}

export interface SetDefaultLoanScheme {
  readonly id: string;
}

/** Makes a scheme the default of new vaults. @see docs/protocol/defi.md 3.4 */
export const setDefaultLoanScheme = customTx<SetDefaultLoanScheme>({
  type: 'd',
  name: 'DefaultLoanScheme',
  since: 'fortCanning',
  codec: struct<SetDefaultLoanScheme>({ id: byteString }),
  apply(context, { id }) {
    const { view } = context;
    requireShape(context);
    requireLoanAuthority(context);
    requireId(id);
    requireScheme(view, id);
    if (defaultScheme(view) === id) throw new TxRejected(`Loan scheme with id ${id} is already set as default`);
    const end = view.get(endingSchemes, id);
    if (end !== undefined) throw new TxRejected(`Cannot set ${id} as default, set to destroyed on block ${end}`);
    setDefaultScheme(view, id);
  },
});

/** A scheme and the height at which it is destroyed. */
export interface DestroyLoanScheme {
  readonly id: string;
  /** 0: immediately. */
  readonly destroyHeight: bigint;
}

/** Destroys a scheme immediately or at a later height; its vaults get the default one. @see docs/protocol/defi.md 3.4 */
export const destroyLoanScheme = customTx<DestroyLoanScheme>({
  type: 'D',
  name: 'DestroyLoanScheme',
  since: 'fortCanning',
  codec: struct<DestroyLoanScheme>({ id: byteString, destroyHeight: u64 }),
  apply(context, { id, destroyHeight }) {
    const { view } = context;
    requireShape(context);
    requireLoanAuthority(context);
    requireId(id);
    requireScheme(view, id);
    const fallback = defaultScheme(view);
    if (fallback === undefined || fallback === id) throw new TxRejected('Cannot destroy default loan scheme, set new default first');
    const height = BigInt(context.height);
    if (destroyHeight !== 0n && destroyHeight !== height) {
      if (destroyHeight < height) throw new TxRejected('Destruction height below current block height, set future height');
      view.put(endingSchemes, id, destroyHeight);
      return;
    }
    for (const [vaultId, vault] of [...listVaults(view)]) if (vault.scheme === id) putVault(view, vaultId, { ...vault, scheme: fallback });
    deleteLoanScheme(view, id);
  },
});

/** Custom transactions on loan schemes. */
export const loanSchemeTypes: readonly AnyCustomTx[] = [setLoanScheme, setDefaultLoanScheme, destroyLoanScheme];
