import type { BlockInvalid, TxInvalid } from '../consensus/errors.js';

/** Reject codes, as `defid` 3.2.8 reports them to peers and clients. @see docs/protocol/chain.md 4.12 */
export const RejectCode = {
  MALFORMED: 1,
  INVALID: 16,
  OBSOLETE: 17,
  DUPLICATE: 18,
  NON_STANDARD: 64,
  INSUFFICIENT_FEE: 66,
  CHECKPOINT: 67,
  CUSTOM_TX: 68,
  HIGH_FEE: 256,
} as const;

export type RejectCode = (typeof RejectCode)[keyof typeof RejectCode];

const { DUPLICATE, NON_STANDARD, INSUFFICIENT_FEE, HIGH_FEE } = RejectCode;

/** Codes of reasons that are not violations of consensus; all other reasons are INVALID. */
const CODES: Readonly<Record<string, RejectCode>> = {
  'txn-already-in-mempool': DUPLICATE,
  'txn-already-known': DUPLICATE,
  'txn-mempool-conflict': DUPLICATE,
  version: NON_STANDARD,
  'tx-size': NON_STANDARD,
  'tx-size-small': NON_STANDARD,
  'scriptsig-size': NON_STANDARD,
  'scriptsig-not-pushonly': NON_STANDARD,
  scriptpubkey: NON_STANDARD,
  'eth-scriptpubkey': NON_STANDARD,
  'bare-multisig': NON_STANDARD,
  dust: NON_STANDARD,
  'multi-op-return': NON_STANDARD,
  'non-final': NON_STANDARD,
  'non-BIP68-final': NON_STANDARD,
  'bad-txns-nonstandard-inputs': NON_STANDARD,
  'bad-witness-nonstandard': NON_STANDARD,
  'bad-txns-too-many-sigops': NON_STANDARD,
  'too-long-mempool-chain': NON_STANDARD,
  'too many potential replacements': NON_STANDARD,
  'replacement-adds-unconfirmed': NON_STANDARD,
  'evm-low-fee': NON_STANDARD,
  'evm-sender-info': NON_STANDARD,
  'failed-to-parse-evm-tx-metadata': NON_STANDARD,
  'too-many-evm-rbf-txs-by-sender': NON_STANDARD,
  'too-many-evm-txs-by-sender': NON_STANDARD,
  'mempool min fee not met': INSUFFICIENT_FEE,
  'min relay fee not met': INSUFFICIENT_FEE,
  'insufficient fee': INSUFFICIENT_FEE,
  'mempool full': INSUFFICIENT_FEE,
  'absurdly-high-fee': HIGH_FEE,
};

/** Prefix of the reason for scripts that violate only relay policy; the script error follows. */
const NON_MANDATORY_SCRIPT = 'non-mandatory-script-verify-flag ';

export function rejectCodeOf({ reason }: Pick<TxInvalid, 'reason'>): RejectCode {
  if (reason.startsWith(NON_MANDATORY_SCRIPT)) return NON_STANDARD;
  return Object.hasOwn(CODES, reason) ? (CODES[reason] as RejectCode) : RejectCode.INVALID;
}

/** Reject code of a block or header. */
export function blockRejectCodeOf({ kind, reason }: Pick<BlockInvalid, 'kind' | 'reason'>): RejectCode {
  if (kind === 'checkpoint') return RejectCode.CHECKPOINT;
  if (reason.startsWith('bad-version(')) return RejectCode.OBSOLETE;
  return reason === 'bad-custom-tx' ? RejectCode.CUSTOM_TX : rejectCodeOf({ reason });
}

/** Violations without misbehaviour score, because the peer's tip may be ahead of ours. */
const BLAMELESS = new Set(['bad-txns-premature-spend-of-coinbase', 'bad-txns-collateral-locked']);

/** Violations that count although their reasons are not of the common form. */
const BLAMED: ReadonlySet<string> = new Set(['coinbase', 'collateral-locked-in-mempool', 'burnt-output']);

/**
 * Misbehaviour score for the peer that sent the transaction. Only violations that no honest node relays count, not policy and not
 * custom transactions.
 * @see docs/protocol/chain.md 7.4
 */
export function misbehaviourOf({ reason }: Pick<TxInvalid, 'reason'>): 0 | 100 {
  const malformed = reason.startsWith('bad-') && rejectCodeOf({ reason }) === RejectCode.INVALID && !BLAMELESS.has(reason);
  return malformed || BLAMED.has(reason) || reason.startsWith('mandatory-script-verify-flag-failed') ? 100 : 0;
}
