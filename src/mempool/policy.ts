import type { SpentOutput } from '../consensus/transaction.js';
import {
  isCoinbase,
  type Transaction,
  type TxFormat,
  type TxOut,
  transactionWeight,
  txOutSize,
  WITNESS_SCALE_FACTOR,
} from '../primitives/transaction.js';
import { isPayToScriptHash, isPushOnly, isUnspendable, witnessProgram } from '../script/script.js';
import { runScriptSig } from '../script/script-sig.js';
import { countSigOps } from '../script/sigops.js';
import { type Classified, type ClassifyOptions, classify } from '../script/standard.js';
import { EMPTY_BYTES } from '../util/bytes.js';
import { feeForSize } from './fee-rate.js';

/** Rules for relay and minting, stricter than those of consensus. Fee rates in satoshis per 1,000 virtual bytes. */
export interface Policy {
  readonly requireStandard: boolean;
  readonly dustRelayFeeRate: bigint;
  readonly minRelayFeeRate: bigint;
  readonly incrementalRelayFeeRate: bigint;
  readonly permitBareMultisig: boolean;
  /** Undefined rejects all OP_RETURN scripts. */
  readonly dataCarrierBytes: DataCarrierBytes | undefined;
  readonly bytesPerSigOp: number;
}

/** Maximum sizes of an OP_RETURN script, opcodes included. The default of `defid` grew with the 4.x releases. */
export interface DataCarrierBytes {
  readonly beforeMetachain: number;
  readonly sinceMetachain: number;
}

/** Weight units of a transaction. */
export const MAX_STANDARD_WEIGHT = 400_000;
/** Bytes of a transaction without witness data: a transaction of 64 bytes could pass for an inner node of the merkle tree (CVE-2017-12842). */
export const MIN_STANDARD_STRIPPED_SIZE = 82;
const MAX_STANDARD_SCRIPTSIG = 1650;
const MAX_STANDARD_VERSION = 4;
const MAX_STANDARD_MULTISIG_KEYS = 3;
const MAX_P2SH_SIGOPS = 15;
const MAX_P2WSH_STACK_ITEMS = 100;
const MAX_P2WSH_STACK_ITEM = 80;
const MAX_P2WSH_SCRIPT = 3600;
const SPEND_SIZE = 148;
const WITNESS_SPEND_SIZE = 67;

/** Reason of an output to an EVM address, which is refused even where nonstandard transactions are relayed. */
export const PAYS_EVM_ADDRESS = 'eth-scriptpubkey';

/**
 * Reason for which a transaction is nonstandard, that is, not relayed; undefined for a standard one.
 * @param options.metachain rules of the Metachain upgrade: outputs to EVM addresses are nonstandard, OP_KECCAK is a form of P2PKH
 * @returns the first in the order of docs/protocol/chain.md 5.2
 */
export function nonstandardReason(tx: Transaction, policy: Policy, format: TxFormat, options: ClassifyOptions = {}): string | undefined {
  if (tx.version > MAX_STANDARD_VERSION || tx.version < 1) return 'version';
  if (transactionWeight(tx) > MAX_STANDARD_WEIGHT) return 'tx-size';
  for (const { scriptSig } of tx.vin) {
    if (scriptSig.length > MAX_STANDARD_SCRIPTSIG) return 'scriptsig-size';
    if (!isPushOnly(scriptSig)) return 'scriptsig-not-pushonly';
  }
  const maxDataBytes = maxDataScriptBytes(policy, options);
  let dataOutputs = 0;
  for (const out of tx.vout) {
    const kind = classify(out.scriptPubKey, options);
    if (!isStandardOutput(kind, out, maxDataBytes)) return kind.type === 'witness_v16_ethhash' ? PAYS_EVM_ADDRESS : 'scriptpubkey';
    // A lone OP_RETURN carries no data.
    if (kind.type === 'nulldata' && out.scriptPubKey.length > 1) dataOutputs += 1;
    else if (kind.type === 'multisig' && !policy.permitBareMultisig) return 'bare-multisig';
    else if (out.value < dustThreshold(out, tx.version, policy, format)) return 'dust';
  }
  return dataOutputs > 1 ? 'multi-op-return' : undefined;
}

/** True for a standard output script. An OP_RETURN script may have up to `maxDataBytes` bytes. */
export function isStandardScript(script: Uint8Array, maxDataBytes: number): boolean {
  return isStandardOutput(classify(script), { scriptPubKey: script }, maxDataBytes);
}

/** Maximum size of an OP_RETURN script, opcodes included; undefined if none is relayed. */
export function maxDataScriptBytes(
  { dataCarrierBytes }: Pick<Policy, 'dataCarrierBytes'>,
  { metachain = false }: ClassifyOptions,
): number | undefined {
  return metachain ? dataCarrierBytes?.sinceMetachain : dataCarrierBytes?.beforeMetachain;
}

function isStandardOutput({ type, solutions }: Classified, out: Pick<TxOut, 'scriptPubKey'>, maxDataBytes: number | undefined): boolean {
  if (type === 'nonstandard' || type === 'witness_v16_ethhash') return false;
  if (type === 'nulldata') return maxDataBytes !== undefined && out.scriptPubKey.length <= maxDataBytes;
  if (type !== 'multisig') return true;
  const keys = solutions.length;
  return keys >= 1 && keys <= MAX_STANDARD_MULTISIG_KEYS;
}

/** Value in satoshis below which an output costs more to spend than it is worth; 0 for unspendable outputs. */
export function dustThreshold(
  out: TxOut,
  version: number,
  { dustRelayFeeRate }: Pick<Policy, 'dustRelayFeeRate'>,
  format: TxFormat,
): bigint {
  if (isUnspendable(out.scriptPubKey)) return 0n;
  const spend = witnessProgram(out.scriptPubKey) ? WITNESS_SPEND_SIZE : SPEND_SIZE;
  return feeForSize(dustRelayFeeRate, txOutSize(out, version, format) + spend);
}

/** True if all spent outputs have standard scripts, and P2SH redeem scripts have at most 15 signature operations. */
export function areInputsStandard(tx: Transaction, spent: readonly SpentOutput[], options: ClassifyOptions = {}): boolean {
  if (isCoinbase(tx)) return true;
  return tx.vin.every(({ scriptSig }, i) => {
    const { scriptPubKey } = (spent[i] as SpentOutput).out;
    const { type } = classify(scriptPubKey, options);
    if (type === 'nonstandard') return false;
    if (type !== 'scripthash') return true;
    const redeemScript = redeemScriptOf(scriptSig);
    return redeemScript !== undefined && countSigOps(redeemScript, true) <= MAX_P2SH_SIGOPS;
  });
}

/** True if all witnesses belong to witness programs, and those of P2WSH are within the standard size limits. */
export function isWitnessStandard(tx: Transaction, spent: readonly SpentOutput[]): boolean {
  return tx.vin.every(({ scriptSig, witness }, i) => {
    if (witness.length === 0) return true;
    let script = (spent[i] as SpentOutput).out.scriptPubKey;
    if (isPayToScriptHash(script)) script = redeemScriptOf(scriptSig) ?? EMPTY_BYTES;
    const program = witnessProgram(script);
    if (!program) return false;
    if (program.version !== 0 || program.program.length !== 32) return true;
    if (witness.length - 1 > MAX_P2WSH_STACK_ITEMS) return false;
    const witnessScript = witness.at(-1) as Uint8Array;
    return witnessScript.length <= MAX_P2WSH_SCRIPT && witness.slice(0, -1).every((item) => item.length <= MAX_P2WSH_STACK_ITEM);
  });
}

/** Top of the stack after a scriptSig; undefined if it fails, as a push above 520 bytes or OP_RESERVED does, or leaves nothing. */
function redeemScriptOf(scriptSig: Uint8Array): Uint8Array | undefined {
  const { stack, failed } = runScriptSig(scriptSig);
  return failed ? undefined : stack.at(-1);
}

/** Virtual size on which fee rates are based: the larger of size by weight and `bytesPerSigOp` for each signature operation; rounded up. */
export function policySize(tx: Transaction, sigOpsCost: number, { bytesPerSigOp }: Pick<Policy, 'bytesPerSigOp'>): number {
  const weight = Math.max(transactionWeight(tx), sigOpsCost * bytesPerSigOp);
  return Math.ceil(weight / WITNESS_SCALE_FACTOR);
}
