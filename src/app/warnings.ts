import type { Chain } from '../chain/chain.js';
import { warnOfInvalidChains } from '../chain/invalid-chains.js';
import { Warnings, warnOfDamage, warnOfFaults, warnOfUnknownRules } from '../chain/warnings.js';
import { alerter } from './notify.js';
import type { StartParts } from './parts.js';

/** Starts the warnings to the operator: storage faults, damaged blocks, unknown rules, invalid chains. */
export function startWarnings({ config, log: root, lifecycle }: StartParts, chain: Chain): Warnings {
  const log = root.child('node');
  const alert = alerter(config.chain.alertCommand, log);
  const warnings = new Warnings(log, alert);
  warnOfFaults(chain, warnings, alert);
  warnOfDamage(chain, warnings, alert);
  warnOfUnknownRules(chain, warnings, lifecycle.interrupt);
  warnOfInvalidChains(chain, warnings);
  return warnings;
}
