/**
 * Upgrades in chronological order, each with its names in two kinds of error texts of `defid`: rejections by a rule, such as `called before
 * EunosPaya height`, and errors about the option that moves its height on regtest.
 */
const TABLE = [
  ['amk', 'AMK', 'AMK'],
  ['bayfront', 'Bayfront', 'Bayfront'],
  ['bayfrontMarina', 'Bayfront Marina', 'Bayfront Marina'],
  ['bayfrontGardens', 'Bayfront Gardens', 'Bayfront Gardens'],
  ['clarkeQuay', 'ClarkeQuay', 'Clarke Quay'],
  ['dakota', 'Dakota', 'Dakota'],
  ['dakotaCrescent', 'DakotaCrescent', 'Dakota Crescent'],
  ['eunos', 'Eunos', 'Eunos'],
  ['eunosKampung', 'EunosKampung', 'Eunos Kampung'],
  ['eunosPaya', 'EunosPaya', 'Eunos Paya'],
  ['fortCanning', 'FortCanning', 'Fort Canning'],
  ['fortCanningMuseum', 'FortCanningMuseum', 'Fort Canning Museum'],
  ['fortCanningPark', 'FortCanningPark', 'Fort Canning Park'],
  ['fortCanningHill', 'FortCanningHill', 'Fort Canning Hill'],
  ['fortCanningRoad', 'FortCanningRoad', 'Fort Canning Road'],
  ['fortCanningCrunch', 'FortCanningCrunch', 'Fort Canning Crunch'],
  ['fortCanningSpring', 'FortCanningSpring', 'Fort Canning Spring'],
  ['fortCanningGreatWorld', 'FortCanningGreatWorld', 'Fort Canning Great World'],
  ['fortCanningEpilogue', 'FortCanningEpilogue', 'Fort Canning Epilogue'],
  ['grandCentral', 'GrandCentral', 'Grand Central'],
  ['grandCentralEpilogue', 'GrandCentralEpilogue', 'Grand Central Epilogue'],
  ['metachain', 'Metachain', 'Metachain'],
  ['df23', 'DF23', 'DF23 Upgrade Height'],
  ['df24', 'DF24', 'DF24 Upgrade Height'],
] as const;

export type Upgrade = (typeof TABLE)[number][0];

/** Upgrades in chronological order; each has a height per network. */
export const UPGRADES: readonly Upgrade[] = TABLE.map(([upgrade]) => upgrade);

export type RuleName = (typeof TABLE)[number][1];

/** Names of the upgrades in rejections by a rule. */
export const RULE_NAMES = Object.fromEntries(TABLE.map(([upgrade, name]) => [upgrade, name])) as Readonly<Record<Upgrade, RuleName>>;

/** Names of the upgrades in errors about their options. */
export const OPTION_NAMES = Object.fromEntries(TABLE.map(([upgrade, , name]) => [upgrade, name])) as Readonly<Record<Upgrade, string>>;

/** Height of an upgrade that is disabled. */
export const NEVER = 0x7fffffff;
/** Height of the upgrades of regtest that no option sets. */
export const UNSET = 10_000_000;
