import { isFinal, isSane, type Psbt, type PsbtInput } from '../psbt/psbt.js';
import { solveInput, solveOutput } from '../psbt/solve.js';
import { type KeySource, withoutSecrets } from '../script/key-source.js';
import type { Wallet } from './wallet.js';

export interface FillOptions {
  readonly sign: boolean;
  readonly hashType: number;
  /** Tell where the wallet's keys come from. */
  readonly showsPaths: boolean;
}

/** A PSBT contradicts itself, or what was asked for. */
export class BadPsbt extends Error {
  override name = 'BadPsbt';

  constructor(readonly fault: 'insane' | 'other-hash-type') {
    super(fault);
  }
}

/**
 * Adds what the wallet knows about a PSBT, and signs if that is wanted. A locked wallet signs nothing.
 * @throws {BadPsbt}
 * @see docs/protocol/wallet.md 3.56
 */
export function fillPsbt(wallet: Wallet, psbt: Psbt, options: FillOptions): { readonly psbt: Psbt; readonly complete: boolean } {
  const format = wallet.deps.chain.params.txFormat;
  const known = sourceOf(wallet, options.showsPaths);
  const keys = options.sign ? known : withoutSecrets(known);
  let filled = psbt;
  let complete = true;
  for (let i = 0; i < psbt.inputs.length; i++) {
    const input = psbt.inputs[i];
    if (!input) continue;
    if (isFinal(input)) continue;
    filled = withRecord(wallet, filled, i, input);
    if (!isSane(filled)) throw new BadPsbt('insane');
    if (options.sign && input.sighashType > 0 && input.sighashType !== options.hashType) throw new BadPsbt('other-hash-type');
    const solved = solveInput(filled, i, { format, keys, hashType: options.hashType });
    filled = { ...filled, inputs: filled.inputs.with(i, solved.input) };
    complete &&= solved.complete;
  }
  const outputs = filled.outputs.map((_, i) => solveOutput(filled, i, { format, keys }));
  return { psbt: { ...filled, outputs }, complete };
}

/** The wallet's keys, with their paths if they are to be shown. */
function sourceOf({ keys }: Wallet, showsPaths: boolean): KeySource {
  return {
    publicKey: (keyId) => keys.publicKey(keyId),
    origin: (publicKey) => (showsPaths ? keys.origin(publicKey) : undefined),
    script: (scriptId) => keys.script(scriptId),
    privateKey: (keyId) => keys.privateKey(keyId),
  };
}

/** The transaction that has the output which is spent, where the wallet has it. */
function withRecord({ txs }: Wallet, psbt: Psbt, index: number, input: PsbtInput): Psbt {
  const prevout = psbt.tx.vin[index]?.prevout;
  const parent = prevout && !input.nonWitnessUtxo && !input.witnessUtxo ? txs.get(prevout.txid) : undefined;
  if (!parent) return psbt;
  return { ...psbt, inputs: psbt.inputs.with(index, { ...input, nonWitnessUtxo: parent.tx }) };
}
