import { isActive, type NetworkParams } from '../../params/network.js';
import { RULE_NAMES, type Upgrade } from '../../params/upgrades.js';
import type { CustomTxType } from '../context/custom-tx.js';
import { TxRejected } from '../kernel/rejected.js';

/** Upgrades that gate custom transactions, in chain order. */
const GATES: readonly Upgrade[] = [
  'amk',
  'bayfront',
  'bayfrontGardens',
  'eunos',
  'eunosPaya',
  'fortCanning',
  'fortCanningHill',
  'fortCanningRoad',
  'fortCanningEpilogue',
  'grandCentral',
  'metachain',
  'df24',
];

/** Checks the gates of a type. @throws {TxRejected} if the type may not be used at the height */
export function checkGate({ since, until }: CustomTxType, height: number, params: NetworkParams): void {
  if (since !== 'genesis' && !isActive(params, since, height)) throw new TxRejected(`called before ${gateName(since, params)} height`);
  if (until && isActive(params, until, height)) throw new TxRejected(`called after ${RULE_NAMES[until]} height`);
}

/** Name of a gate in error texts: of gates at the same height, that of the first. */
function gateName(upgrade: Upgrade, { upgrades }: NetworkParams): string {
  return RULE_NAMES[GATES.find((gate) => upgrades[gate] === upgrades[upgrade]) ?? upgrade];
}
