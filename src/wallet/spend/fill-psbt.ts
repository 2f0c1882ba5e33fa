import type { OutPoint } from '../../primitives/outpoint.js';
import { isFinal, isSaneInput, type Psbt, type PsbtInput, type PsbtOutput } from '../../psbt/psbt.js';
import { type SolvedPsbt, solveInput, solveOutput } from '../../psbt/solve.js';
import { type KeySource, withoutSecrets } from '../../script/key-source.js';
import { WitnessHashes } from '../../script/sighash.js';
import type { Steps } from '../../util/slicer.js';
import type { Wallet } from '../wallet.js';

/** Options of `walletprocesspsbt` and its like. */
export interface FillOptions {
  readonly sign: boolean;
  /** Signature hash type, such as `SIGHASH_ALL`. */
  readonly hashType: number;
  /** Add derivation paths of the wallet's keys (BIP32). */
  readonly showsPaths: boolean;
}

/** The PSBT is inconsistent, or contradicts the options. */
export class BadPsbt extends Error {
  override name = 'BadPsbt';

  constructor(readonly fault: 'insane' | 'other-hash-type') {
    super(fault);
  }
}

/**
 * Adds the wallet's data on inputs and outputs to a PSBT, and optionally signs. A locked wallet signs nothing.
 * @throws {BadPsbt}
 * @see docs/protocol/wallet.md 3.56
 */
export function* fillPsbt(wallet: Wallet, psbt: Psbt, options: FillOptions): Steps<SolvedPsbt> {
  const format = wallet.deps.chain.params.txFormat;
  const known = sourceOf(wallet, options.showsPaths);
  const keys = options.sign ? known : withoutSecrets(known);
  const hashes = new WitnessHashes(psbt.tx, format);
  yield* hashes.prepare();
  const inputs: PsbtInput[] = [...psbt.inputs];
  const filled: Psbt = { ...psbt, inputs };
  let complete = true;
  let sane = true;
  for (const [i, input] of psbt.inputs.entries()) {
    yield;
    if (isFinal(input)) continue;
    const known = withRecord(wallet, input, psbt.tx.vin[i]?.prevout);
    inputs[i] = known;
    // Only the last solved input can be insane: the PSBT was checked when it was parsed.
    if (!sane || !isSaneInput(known)) throw new BadPsbt('insane');
    if (options.sign && input.sighashType > 0 && input.sighashType !== options.hashType) throw new BadPsbt('other-hash-type');
    const solved = solveInput(filled, i, { format, keys, hashType: options.hashType, hashes });
    inputs[i] = solved.input;
    sane = isSaneInput(solved.input);
    complete &&= solved.complete;
  }
  const outputs: PsbtOutput[] = [];
  for (const i of psbt.outputs.keys()) {
    outputs.push(solveOutput(filled, i, { format, keys, hashes }));
    yield;
  }
  return { psbt: { ...filled, outputs }, complete };
}

/** Keys of the wallet, with derivation paths if `showsPaths`. */
function sourceOf({ keys }: Wallet, showsPaths: boolean): KeySource {
  return {
    metachain: keys.metachain,
    publicKey: (keyId) => keys.publicKey(keyId),
    publicKeyOfEvm: (address) => keys.publicKeyOfEvm(address),
    origin: (publicKey) => (showsPaths ? keys.origin(publicKey) : undefined),
    script: (scriptId) => keys.script(scriptId),
    privateKey: (keyId) => keys.privateKey(keyId),
  };
}

/** Adds the transaction whose output is spent, if the wallet has it. */
function withRecord({ txs }: Wallet, input: PsbtInput, prevout: OutPoint | undefined): PsbtInput {
  const parent = prevout && !input.nonWitnessUtxo && !input.witnessUtxo ? txs.get(prevout.txid) : undefined;
  return parent ? { ...input, nonWitnessUtxo: parent.tx } : input;
}
