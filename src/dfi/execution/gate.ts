import { isActive, type NetworkParams } from '../../params/network.js';
import type { Upgrade } from '../../params/upgrades.js';
import type { CustomTxType } from '../context/custom-tx.js';
import { TxRejected } from '../kernel/rejected.js';

/** Upgrades that gate custom transactions, in chain order, with their names in error texts. */
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

/** Checks the gates of a type. @throws {TxRejected} if the type may not be used at the height */
export function checkGate({ since, until }: CustomTxType, height: number, params: NetworkParams): void {
  if (since !== 'genesis' && !isActive(params, since, height)) throw new TxRejected(`called before ${gateName(since, params)} height`);
  if (until && isActive(params, until, height)) throw new TxRejected(`called after ${nameOf(until)} height`);
}

/** Name of a gate in error texts: of upgrades at the same height, that of the first. */
function gateName(upgrade: Upgrade, { upgrades }: NetworkParams): string {
  return GATE_NAMES.find(([name]) => upgrades[name] === upgrades[upgrade])?.[1] ?? upgrade;
}

function nameOf(upgrade: Upgrade): string {
  return GATE_NAMES.find(([name]) => name === upgrade)?.[1] ?? upgrade;
}
