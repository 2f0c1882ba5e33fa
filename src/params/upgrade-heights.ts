import { NEVER, UPGRADES, type Upgrade } from './upgrades.js';

/** An option that moves an upgrade on regtest, and the upgrade's name in error texts. */
export interface UpgradeFlag {
  readonly upgrade: Upgrade;
  readonly flag: string;
  readonly label: string;
}

/**
 * Options in the order in which they are applied: if two move the same upgrade, the later one wins. Eunos Kampung has no option of its
 * own and follows Eunos.
 */
export const UPGRADE_FLAGS: readonly UpgradeFlag[] = [
  { upgrade: 'amk', flag: '-amkheight', label: 'AMK' },
  { upgrade: 'bayfront', flag: '-bayfrontheight', label: 'Bayfront' },
  { upgrade: 'bayfrontMarina', flag: '-bayfrontmarinaheight', label: 'Bayfront Marina' },
  { upgrade: 'bayfrontGardens', flag: '-bayfrontgardensheight', label: 'Bayfront Gardens' },
  { upgrade: 'clarkeQuay', flag: '-clarkequayheight', label: 'Clarke Quay' },
  { upgrade: 'dakota', flag: '-dakotaheight', label: 'Dakota' },
  { upgrade: 'dakotaCrescent', flag: '-dakotacrescentheight', label: 'Dakota Crescent' },
  { upgrade: 'eunos', flag: '-eunosheight', label: 'Eunos' },
  { upgrade: 'eunosPaya', flag: '-eunospayaheight', label: 'Eunos Paya' },
  { upgrade: 'fortCanning', flag: '-fortcanningheight', label: 'Fort Canning' },
  { upgrade: 'fortCanningMuseum', flag: '-fortcanningmuseumheight', label: 'Fort Canning Museum' },
  { upgrade: 'fortCanningPark', flag: '-fortcanningparkheight', label: 'Fort Canning Park' },
  { upgrade: 'fortCanningHill', flag: '-fortcanninghillheight', label: 'Fort Canning Hill' },
  { upgrade: 'fortCanningRoad', flag: '-fortcanningroadheight', label: 'Fort Canning Road' },
  { upgrade: 'fortCanningCrunch', flag: '-fortcanningcrunchheight', label: 'Fort Canning Crunch' },
  { upgrade: 'fortCanningSpring', flag: '-fortcanningspringheight', label: 'Fort Canning Spring' },
  { upgrade: 'fortCanningGreatWorld', flag: '-fortcanninggreatworldheight', label: 'Fort Canning Great World' },
  { upgrade: 'fortCanningGreatWorld', flag: '-greatworldheight', label: 'Fort Canning Great World' },
  { upgrade: 'fortCanningEpilogue', flag: '-fortcanningepilogueheight', label: 'Fort Canning Epilogue' },
  { upgrade: 'grandCentral', flag: '-grandcentralheight', label: 'Grand Central' },
  { upgrade: 'grandCentralEpilogue', flag: '-grandcentralepilogueheight', label: 'Grand Central Epilogue' },
  // Earlier name of Metachain in `defid`.
  { upgrade: 'metachain', flag: '-nextnetworkupgradeheight', label: 'NextNetworkUpgrade' },
  { upgrade: 'metachain', flag: '-metachainheight', label: 'Metachain' },
  { upgrade: 'df23', flag: '-df23height', label: 'DF23 Upgrade Height' },
  { upgrade: 'df24', flag: '-df24height', label: 'DF24 Upgrade Height' },
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
  for (const { upgrade, flag, label } of UPGRADE_FLAGS) {
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
  for (const { upgrade, flag, label } of UPGRADE_FLAGS) {
    const value = given[upgrade];
    if (value !== undefined) heights[upgrade] = activationHeight(value, label, flag);
  }
  if (given.eunos !== undefined) heights.eunosKampung = heights.eunos;
  if (given.eunosKampung !== undefined) heights.eunosKampung = activationHeight(given.eunosKampung, 'Eunos Kampung', '-eunosheight');
  return heights;
}

/** The same height for every upgrade. */
export function uniformHeights(height: number): UpgradeHeights {
  return Object.fromEntries(UPGRADES.map((upgrade) => [upgrade, height])) as Record<Upgrade, number>;
}
