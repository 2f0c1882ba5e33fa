import { isActive, type NetworkParams } from '../../params/network.js';
import type { Upgrade } from '../../params/upgrades.js';
import type { CustomTxType } from '../context/custom-tx.js';
import { TxRejected } from '../kernel/rejected.js';

/** Upgrades that a message can wait for, as errors call them. */
const GATE_NAMES: readonly (readonly [Upgrade, string])[] = [
  ['amk', 'AMK'],
  ['bayfront', 'Bayfront'],
  ['bayfrontGardens', 'Bayfront Gardens'],
  ['eunos', 'Eunos'],
  ['eunosPaya', 'EunosPaya'],
  ['fortCanning', 'FortCanning'],
  ['fortCanningHill', 'FortCanningHill'],
  ['fortCanningRoad', 'FortCanningRoad'],
  ['fortCanningEpilogue', 'FortCanningEpilogue'],
  ['grandCentral', 'GrandCentral'],
  ['metachain', 'Metachain'],
  ['df24', 'DF24'],
];

/** @throws {TxRejected} if a type may not be used at a height */
export function checkGate({ since, until }: CustomTxType, height: number, params: NetworkParams): void {
  if (since !== 'genesis' && !isActive(params, since, height)) throw new TxRejected(`called before ${gateName(since, params)} height`);
  if (until && isActive(params, until, height)) throw new TxRejected(`called after ${nameOf(until)} height`);
}

/** Of upgrades at one height the first gives its name to what waits for them. */
function gateName(upgrade: Upgrade, { upgrades }: NetworkParams): string {
  return GATE_NAMES.find(([name]) => upgrades[name] === upgrades[upgrade])?.[1] ?? upgrade;
}

function nameOf(upgrade: Upgrade): string {
  return GATE_NAMES.find(([name]) => name === upgrade)?.[1] ?? upgrade;
}
