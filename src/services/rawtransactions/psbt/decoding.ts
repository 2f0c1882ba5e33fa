import type {
  HexMap,
  PsbtInput as InputView,
  PsbtOutput as OutputView,
  PsbtKeyPaths,
  PsbtScript,
} from '../../../../gen/ts/dfi/rawtransactions/v1/psbt.js';
import type { DecodePsbtRequest, DecodePsbtResponse } from '../../../../gen/ts/dfi/rawtransactions/v1/rawtransactions.js';
import type { ScriptSig } from '../../../../gen/ts/dfi/types/v1/transaction.js';
import { formatKeyPath } from '../../../crypto/key-path.js';
import type { NetworkParams } from '../../../params/network.js';
import type { TxOut } from '../../../primitives/transaction.js';
import { sortedEntries } from '../../../psbt/fields.js';
import { type KeyPaths, type PartialSignatures, type Psbt, type PsbtInput, type PsbtOutput, spentOutput } from '../../../psbt/psbt.js';
import type { Handler } from '../../../rpc/handler.js';
import { destinationOf, encodeDestination } from '../../../script/address.js';
import { scriptAsm } from '../../../script/asm.js';
import { hashTypeName } from '../../../script/signature-encoding.js';
import { classify } from '../../../script/standard.js';
import { toHex } from '../../../util/bytes.js';
import { inSlices, type Steps } from '../../../util/slicer.js';
import { scriptOptions } from '../../format/script.js';
import { formatLongTransaction } from '../../format/transaction.js';
import { parsePsbtArgument } from '../format/arguments.js';
import type { RawtransactionsModules } from '../modules.js';

type Modules = { readonly chain: Pick<RawtransactionsModules['chain'], 'params'> };

/** @see docs/protocol/rpc-chain.md 3.3.11 */
export const decodePsbt: Handler<Modules, DecodePsbtRequest, DecodePsbtResponse> = ({ chain: { params } }, request, call) =>
  inSlices(decode(request, params), call);

function* decode(request: DecodePsbtRequest, params: NetworkParams): Steps<DecodePsbtResponse> {
  const psbt = yield* parsePsbtArgument(request.psbt, params.txFormat);
  const tx = yield* formatLongTransaction(psbt.tx, { params });
  const inputs: InputView[] = [];
  for (const input of psbt.inputs) {
    inputs.push(yield* formatInput(input, params));
    yield;
  }
  const outputs: OutputView[] = [];
  for (const output of psbt.outputs) {
    outputs.push(formatOutput(output, params));
    yield;
  }
  return { tx, unknown: hexEntries(psbt.unknown), inputs, outputs, fee: feeOf(psbt) };
}

/** Fee in satoshis; undefined if a spent output is unknown. */
function feeOf(psbt: Psbt): bigint | undefined {
  let fee = 0n;
  for (const i of psbt.inputs.keys()) {
    const spent = spentOutput(psbt, i);
    if (!spent) return undefined;
    fee += spent.value;
  }
  for (const { value } of psbt.tx.vout) fee -= value;
  return fee;
}

function* formatInput(input: PsbtInput, params: NetworkParams): Steps<InputView> {
  const { witnessUtxo, nonWitnessUtxo, partialSignatures, sighashType, finalScriptSig, finalWitness } = input;
  const finalScript = finalScriptSig.length > 0 ? formatScriptSig(finalScriptSig, params) : undefined;
  return {
    witnessUtxo: witnessUtxo && { amount: witnessUtxo.value, scriptpubkey: formatPaidScript(witnessUtxo, params) },
    nonWitnessUtxo: witnessUtxo || !nonWitnessUtxo ? undefined : yield* formatLongTransaction(nonWitnessUtxo, { params }),
    partialSignatures: partialSignatures.size > 0 ? { entries: signaturesByKey(partialSignatures) } : undefined,
    sighash: sighashType > 0 ? (hashTypeName(sighashType & 0xff) ?? '') : undefined,
    ...formatOutput(input, params),
    finalScriptSig: finalScript,
    finalScriptsig: finalScript,
    finalScriptwitness: finalWitness.length > 0 ? { items: finalWitness.map(toHex) } : undefined,
  };
}

/** Members that inputs and outputs share. */
function formatOutput({ redeemScript, witnessScript, keyPaths, unknown }: PsbtOutput, params: NetworkParams): OutputView {
  return {
    redeemScript: formatScript(redeemScript, params),
    witnessScript: formatScript(witnessScript, params),
    bip32Derivs: keyPaths.size > 0 ? formatKeyPaths(keyPaths) : undefined,
    unknown: unknown.size > 0 ? { entries: hexEntries(unknown) } : undefined,
  };
}

function formatPaidScript({ scriptPubKey }: TxOut, params: NetworkParams): PsbtScript {
  const destination = destinationOf(scriptPubKey, scriptOptions(params));
  return { ...describeScript(scriptPubKey, params), address: destination && encodeDestination(destination, params.address) };
}

function formatScript(script: Uint8Array, params: NetworkParams): PsbtScript | undefined {
  return script.length > 0 ? describeScript(script, params) : undefined;
}

function describeScript(script: Uint8Array, params: NetworkParams): PsbtScript {
  const options = scriptOptions(params);
  return { asm: scriptAsm(script, options), hex: toHex(script), type: classify(script, options).type };
}

function formatScriptSig(script: Uint8Array, params: NetworkParams): ScriptSig {
  return { asm: scriptAsm(script, { sighash: true, ...scriptOptions(params) }), hex: toHex(script) };
}

/** Signatures in the order of key ids, as stored. */
function signaturesByKey(signatures: PartialSignatures): HexMap['entries'] {
  return Object.fromEntries(sortedEntries(signatures).map(([, { publicKey, signature }]) => [toHex(publicKey), toHex(signature)]));
}

function formatKeyPaths(keyPaths: KeyPaths): PsbtKeyPaths {
  const paths = sortedEntries(keyPaths).map(
    ([
      pubkey,
      {
        origin: { fingerprint, path },
      },
    ]) => {
      return { pubkey, masterFingerprint: toHex(fingerprint), path: `m${formatKeyPath(path)}` };
    },
  );
  return { paths };
}

function hexEntries(entries: Psbt['unknown']): HexMap['entries'] {
  return Object.fromEntries(sortedEntries(entries).map(([key, value]) => [key, toHex(value)]));
}
