import { NEVER, OPTION_NAMES, UPGRADES, type Upgrade } from './upgrades.js';

/** Option that moves an upgrade on regtest. */
export interface UpgradeFlag {
  readonly upgrade: Upgrade;
  readonly flag: string;
  /** Name of the upgrade in texts about the option, if another one than its own. */
  readonly label?: string;
}

/**
 * Options in the order in which they are applied: if two move the same upgrade, the later one wins. Eunos Kampung has no option of its
 * own and follows Eunos.
 */
export const UPGRADE_FLAGS: readonly UpgradeFlag[] = [
  { upgrade: 'amk', flag: '-amkheight' },
  { upgrade: 'bayfront', flag: '-bayfrontheight' },
  { upgrade: 'bayfrontMarina', flag: '-bayfrontmarinaheight' },
  { upgrade: 'bayfrontGardens', flag: '-bayfrontgardensheight' },
  { upgrade: 'clarkeQuay', flag: '-clarkequayheight' },
  { upgrade: 'dakota', flag: '-dakotaheight' },
  { upgrade: 'dakotaCrescent', flag: '-dakotacrescentheight' },
  { upgrade: 'eunos', flag: '-eunosheight' },
  { upgrade: 'eunosPaya', flag: '-eunospayaheight' },
  { upgrade: 'fortCanning', flag: '-fortcanningheight' },
  { upgrade: 'fortCanningMuseum', flag: '-fortcanningmuseumheight' },
  { upgrade: 'fortCanningPark', flag: '-fortcanningparkheight' },
  { upgrade: 'fortCanningHill', flag: '-fortcanninghillheight' },
  { upgrade: 'fortCanningRoad', flag: '-fortcanningroadheight' },
  { upgrade: 'fortCanningCrunch', flag: '-fortcanningcrunchheight' },
  { upgrade: 'fortCanningSpring', flag: '-fortcanningspringheight' },
  { upgrade: 'fortCanningGreatWorld', flag: '-fortcanninggreatworldheight' },
  { upgrade: 'fortCanningGreatWorld', flag: '-greatworldheight' },
  { upgrade: 'fortCanningEpilogue', flag: '-fortcanningepilogueheight' },
  { upgrade: 'grandCentral', flag: '-grandcentralheight' },
  { upgrade: 'grandCentralEpilogue', flag: '-grandcentralepilogueheight' },
  // Earlier name of Metachain in `defid`.
  { upgrade: 'metachain', flag: '-nextnetworkupgradeheight', label: 'Next Network Upgrade' },
  { upgrade: 'metachain', flag: '-metachainheight' },
  { upgrade: 'df23', flag: '-df23height' },
  { upgrade: 'df24', flag: '-df24height' },
];

/** Height of the first block under the rules of each upgrade; `NEVER` if it is disabled. */
export type UpgradeHeights = Readonly<Record<Upgrade, number>>;

/** Heights as given by options; -1 means never. */
export type HeightOverrides = { readonly [U in Upgrade]?: number };

/**
 * Height of an option's value.
 * @throws {Error} with the text of `defid` if the value is below -1 or not a height
 */
export function activationHeight(value: number, label: string, flag: string): number {
  if (value < -1 || value >= NEVER) {
    throw new Error(`Activation height ${value} for ${label} is out of valid range. Use -1 to disable ${flag}.`);
  }
  return value === -1 ? NEVER : value;
}

/**
 * Values of the given height options, by upgrade.
 * @param read returns the value of an option (with its dash), undefined if it was not given
 * @throws {Error} for the first value out of range
 */
export function heightsOfFlags(read: (flag: string) => number | undefined): HeightOverrides {
  const given: { [U in Upgrade]?: number } = {};
  for (const { upgrade, flag, label = OPTION_NAMES[upgrade] } of UPGRADE_FLAGS) {
    const value = read(flag);
    if (value === undefined) continue;
    activationHeight(value, label, flag);
    given[upgrade] = value;
  }
  return given;
}

/** Base heights, overridden by the given ones. @throws {Error} for the first value out of range */
export function withHeights(base: UpgradeHeights, given: HeightOverrides): UpgradeHeights {
  const heights: Record<Upgrade, number> = { ...base };
  for (const { upgrade, flag, label = OPTION_NAMES[upgrade] } of UPGRADE_FLAGS) {
    const value = given[upgrade];
    if (value !== undefined) heights[upgrade] = activationHeight(value, label, flag);
  }
  if (given.eunos !== undefined) heights.eunosKampung = heights.eunos;
  if (given.eunosKampung !== undefined)
    heights.eunosKampung = activationHeight(given.eunosKampung, OPTION_NAMES.eunosKampung, '-eunosheight');
  return heights;
}

/** Heights of all upgrades, each `height`. */
export function uniformHeights(height: number): UpgradeHeights {
  return Object.fromEntries(UPGRADES.map((upgrade) => [upgrade, height])) as Record<Upgrade, number>;
}
