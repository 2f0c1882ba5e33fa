import { networkParams } from '../../src/params/index.js';
import { decode, list, struct, u32, varBytes } from '../../src/primitives/codec.js';
import { NULL_OUTPOINT } from '../../src/primitives/outpoint.js';
import { addressesOf } from '../../src/script/address.js';
import { scriptAsm } from '../../src/script/asm.js';
import { TransactionChecker } from '../../src/script/checker.js';
import { markerPayload } from '../../src/script/marker.js';
import { isPushOnly, scriptOps } from '../../src/script/script.js';
import { ScriptError } from '../../src/script/script-error.js';
import { countP2shSigOps, countSigOps } from '../../src/script/sigops.js';
import { classify } from '../../src/script/standard.js';
import { verifyScript } from '../../src/script/verify.js';
import { EMPTY_BYTES } from '../../src/util/bytes.js';

const { address, txFormat } = networkParams({ network: 'regtest' });

/** All functions that analyse output scripts. */
export function readScript(script: Uint8Array): unknown {
  const asked = [scriptAsm(script), scriptAsm(script, { sighash: true, metachain: true }), classify(script), addressesOf(script, address)];
  return [
    ...asked,
    countSigOps(script, true),
    countP2shSigOps(script, script),
    isPushOnly(script),
    [...scriptOps(script)].length,
    markerPayload(script, 'DfTx'),
  ];
}

/** Flags, then the two scripts and the witness of a spend. */
export const scriptRun = struct<ScriptRun>({ flags: u32, scriptSig: varBytes, scriptPubKey: varBytes, witness: list(varBytes) });

export interface ScriptRun {
  readonly flags: number;
  readonly scriptSig: Uint8Array;
  readonly scriptPubKey: Uint8Array;
  readonly witness: readonly Uint8Array[];
}

/** Verifies the decoded spend under its flags: it succeeds or fails with a ScriptError. */
export function runScripts(bytes: Uint8Array): unknown {
  const { flags, ...spend } = decode(scriptRun, bytes);
  const vin = [{ prevout: NULL_OUTPOINT, scriptSig: spend.scriptSig, sequence: 0xffffffff, witness: spend.witness }];
  const vout = [{ value: 1n, scriptPubKey: EMPTY_BYTES, tokenId: 0 }];
  const checker = new TransactionChecker({ version: 4, vin, vout, lockTime: 0 }, txFormat, 0, 1n);
  try {
    verifyScript(spend, flags, checker);
    return 'valid';
  } catch (error) {
    if (error instanceof ScriptError) return error.message;
    throw error;
  }
}
