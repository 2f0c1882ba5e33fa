import { warnOfInvalidChains } from '../chain/invalid-chains.js';
import { Warnings, warnOfDamage, warnOfFaults, warnOfUnknownRules } from '../chain/warnings.js';
import type { StartedChain } from './chain.js';
import type { StartedEvents } from './events.js';
import { alerter } from './notify.js';
import type { StartParts } from './parts.js';

/** Starts the warnings to the operator: storage faults, damaged blocks, unknown rules, invalid chains. */
export function startWarnings(
  { config, log: root, lifecycle }: StartParts,
  { chain, rules, note }: StartedChain & Pick<StartedEvents, 'note'>,
): Warnings {
  const log = root.child('node');
  const alert = alerter(config.chain.alertCommand, log);
  const warnings = new Warnings(log, alert, (text, holds) => note({ kind: 'node', state: holds ? 'warning' : 'warning_cleared', text }));
  warnOfFaults(chain, warnings, alert);
  warnOfDamage(chain, warnings, alert);
  warnOfUnknownRules(chain, warnings, lifecycle.interrupt, rules);
  warnOfInvalidChains(chain, warnings);
  return warnings;
}
