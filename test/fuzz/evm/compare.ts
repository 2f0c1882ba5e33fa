import type { Oracle } from './oracle.js';
import { describeOutcome } from './outcome.js';
import { runOwnEngine } from './own-engine.js';
import { scenarioOf } from './scenario.js';

/** Difference between our engine and the oracle in the scenario of a number; undefined if there is none. */
export async function differenceOf(oracle: Oracle, number: number): Promise<string | undefined> {
  const scenario = scenarioOf(number);
  const ours = describeOutcome(runOwnEngine(scenario));
  const theirs = describeOutcome(await oracle.run(scenario));
  const lines = [...ours.filter((line) => !theirs.includes(line)).map((line) => `  ours:   ${line}`)];
  lines.push(...theirs.filter((line) => !ours.includes(line)).map((line) => `  oracle: ${line}`));
  return lines.length === 0 && ours.length === theirs.length ? undefined : `scenario ${number}:\n${lines.join('\n')}`;
}
