import type { Chain } from '../chain/chain.js';
import { Warnings, warnOfUnknownRules } from '../chain/warnings.js';
import { alerter } from './notify.js';
import type { StartParts } from './parts.js';

/** Begins to look for what the operator should know. */
export function startWarnings({ config, log: root }: StartParts, chain: Chain): Warnings {
  const log = root.child('node');
  const warnings = new Warnings(log, alerter(config.chain.alertCommand, log));
  warnOfUnknownRules(chain, warnings);
  return warnings;
}
