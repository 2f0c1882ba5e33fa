/** Upgrades in chronological order; each has a height per network. */
export const UPGRADES = [
  'amk',
  'bayfront',
  'bayfrontMarina',
  'bayfrontGardens',
  'clarkeQuay',
  'dakota',
  'dakotaCrescent',
  'eunos',
  'eunosKampung',
  'eunosPaya',
  'fortCanning',
  'fortCanningMuseum',
  'fortCanningPark',
  'fortCanningHill',
  'fortCanningRoad',
  'fortCanningCrunch',
  'fortCanningSpring',
  'fortCanningGreatWorld',
  'fortCanningEpilogue',
  'grandCentral',
  'grandCentralEpilogue',
  'metachain',
  'df23',
  'df24',
] as const;

export type Upgrade = (typeof UPGRADES)[number];

/** Height of an upgrade that is disabled. */
export const NEVER = 0x7fffffff;
