import { isActive } from '../../params/network.js';
import type { OutPoint } from '../../primitives/outpoint.js';
import { SEQUENCE_NOT_FINAL, SEQUENCE_REPLACEABLE, TX_VERSION_TOKENS, type TxIn } from '../../primitives/transaction.js';
import { EMPTY_BYTES } from '../../util/bytes.js';
import type { Random } from '../../util/random.js';
import type { Wallet } from '../wallet.js';
import type { BuildOptions, Recipient } from './build-request.js';
import { InputSizes } from './input-size.js';

/** Inputs of all steps that build one transaction. */
export interface BuildPlan {
  readonly wallet: Wallet;
  readonly recipients: readonly Recipient[];
  readonly options: BuildOptions;
  readonly changeScript: Uint8Array;
  readonly random: Random;
  readonly sizes: InputSizes;
  readonly version: number;
  readonly replaceable: boolean;
}

/** Resolves defaults of the options. @param changeScript script of the change output, if there is one */
export function planOf(
  wallet: Wallet,
  recipients: readonly Recipient[],
  options: BuildOptions,
  changeScript: Uint8Array,
  random: Random,
): BuildPlan {
  const { chain, settings } = wallet.deps;
  const sizes = new InputSizes(wallet.keys, chain.params.txFormat);
  const version = isActive(chain.params, 'amk', chain.tip.height) ? TX_VERSION_TOKENS : 2;
  const replaceable = options.replaceable ?? settings.replaceable;
  return { wallet, recipients, options, changeScript, random, sizes, version, replaceable };
}

/** An unsigned input. */
export function inputOf({ replaceable }: BuildPlan, prevout: OutPoint): TxIn {
  const sequence = replaceable ? SEQUENCE_REPLACEABLE : SEQUENCE_NOT_FINAL;
  return { prevout, scriptSig: EMPTY_BYTES, sequence, witness: [] };
}
