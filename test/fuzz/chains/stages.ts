import { heightsOfFlags, UPGRADE_FLAGS } from '../../../src/params/upgrade-heights.js';
import { NEVER, UPGRADES, type Upgrade } from '../../../src/params/upgrades.js';
import type { DefidVersion } from '../calls/defid.js';

/** Upgrades without an option in `defid` 3.2.8. */
const LATER: ReadonlySet<Upgrade> = new Set(['bayfrontMarina', 'metachain', 'df23', 'df24']);
/** Option of Metachain that `defid` 4.2.5 does not have. */
const OLD_FLAG = '-nextnetworkupgradeheight';
/** Second option of an upgrade that has another one. */
const DOUBLE_FLAG = '-greatworldheight';
/** Height of the first upgrade that is postponed, by default; the world is made by then. */
const FIRST = 140;
/** Blocks between two upgrades that are postponed. */
const INTERVAL = 6;

/**
 * Options that activate all upgrades that a version has.
 * @param from first upgrade that is postponed until the world is made, with those after it, one after the other; by default none is
 * @param fromHeight height of that upgrade
 */
export function upgradeFlags(version: DefidVersion, from?: Upgrade, fromHeight = FIRST): string[] {
  const known = UPGRADE_FLAGS.filter(({ upgrade, flag }) => (version === '4.2.5' ? flag !== OLD_FLAG : !LATER.has(upgrade)));
  const postponed = from === undefined ? [] : UPGRADES.slice(UPGRADES.indexOf(from)).filter((each) => isKnown(known, each));
  return known
    .filter(({ flag }) => flag !== DOUBLE_FLAG)
    .map(({ upgrade, flag }) => {
      const at = postponed.indexOf(upgrade);
      return `${flag}=${at < 0 ? 1 : fromHeight + at * INTERVAL}`;
    });
}

/** Height of an upgrade by the options of {@link upgradeFlags}. */
export function heightIn(flags: readonly string[], upgrade: Upgrade): number {
  const given = new Map(flags.map((flag) => flag.split('=') as [string, string | undefined]));
  return heightsOfFlags((flag) => (given.has(flag) ? Number(given.get(flag)) : undefined))[upgrade] ?? NEVER;
}

function isKnown(flags: typeof UPGRADE_FLAGS, upgrade: Upgrade): boolean {
  return flags.some((each) => each.upgrade === upgrade);
}

/** Upgrade named by the words of a command line, `from=eunos`. @throws {RangeError} if there is none of this name */
export function upgradeIn(words: readonly string[]): Upgrade | undefined {
  const name = words.flatMap((word) => /^from=(.+)$/.exec(word)?.[1] ?? [])[0];
  const upgrade = UPGRADES.find((each) => each === name);
  if (name !== undefined && upgrade === undefined) throw new RangeError(`no upgrade: ${name}`);
  return upgrade;
}
